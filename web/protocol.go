package web

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"collie/segment"
	"collie/segment/engine"
)

// This file is the contract with other programs: the JSON bodies of /api/v1 and
// the messages of the websocket /api/v1/images/{id}/socket.
//
// # superpixels.bin
//
// A gzip-encoded body (Content-Encoding) of superpixels.Runs.MarshalBinary:
// a header of 20 bytes, little-endian, of magic "CSPM", version uint8 = 1,
// three zero bytes, width, height and the number of superpixels as uint32; then,
// row by row, pairs of unsigned LEB128 numbers (superpixel id, run length)
// whose lengths add up to the width.
//
// # Socket, client to server (text frames, JSON, "type" first)
//
//	hello    {epoch, seq, unacked:[evidence…]}  first message; epoch "" and seq 0 when new
//	evidence {id, expected_seq, kind, map, superpixels|points, class, hypothesis, regions, repairs, to}
//	run      {count}                            restart the sequence, 1..100 hypotheses
//	stop     {}                                 end the running sequence
//	credit   {n}                                once sent, only n more hypotheses come until the next
//	suppose  {expected_seq, map, superpixels|points, class}  what the first hypothesis would be with this label
//
// # Socket, server to client
//
//	state  {epoch, seq, clicks, labels, undo, redo,
//	        map, regions, wanted, finest, split,
//	        repairs}                            after hello and after every event, by anyone
//	project {project}                           its classes have changed; project is as in GET project
//	ack    {id, seq}                            the event is on disk as number seq
//	reject {id, reason, detail, seq}            it is not; reason is "stale", "map", "invalid" or "unavailable"
//	run    {run, seq, count, classes}           a sequence starts; earlier runs are superseded
//	done   {run, reason, detail}                reason: complete, one-class, no-evidence, stopped, superseded, busy (it starts again by itself), failed
//	error  {detail}                             a message could not be understood; nothing was changed
//	binary                                      a hypothesis, see HypothesisFrame; of run 0 the answer to suppose
//
// clicks and labels are standard base64 of one byte per superpixel: a class
// id, or 255 for none.
//
// # Suppositions
//
// A page sends suppose when a button is pressed and evidence when it is
// released. Nothing is stored, nobody else is told, and credit is not used up.
// The answer is one hypothesis of run 0 for seq expected_seq + 1, or nothing when
// the state is another by now or the server has no time. It is the first one of
// the run that follows when the same label is sent.
//
// # Classes
//
// A class has an id, 0..254, that never changes and an index, its place in the
// project's list; in a new project the two are the same. Events, states,
// hypotheses and runs speak of ids. Exported masks hold indices.
//
// PATCH /api/v1/projects/{id} {classes, remap, base} takes the whole list in its
// new order. An entry with an id is that class, which keeps its name or its colour
// where the entry has none; one without is new; a class whose id is missing is
// deleted. remap {"3": 1} says that labels of class 3 now count as class 1, or
// with 255 as undecided; without it the deletion of a class that labels use is
// refused (409, with in_use {"3": images}). A list in which no entry has an id
// goes by position and can't delete. Evidence is not rewritten: the deleted
// class is read as the one in its place, and an entry with its id, or POST
// …/classes/{class}/restore, brings it back within 30 days. Pages that have an
// image of the project open are sent project, then state and run anew, with the
// seq they had.
//
// base, beside classes, is the list that the new one was made from. When the
// project's is another by now, nothing is changed and the answer is 409 with the
// project as it is. PUT …/classes takes a label set or, for the same, a form whose
// part file is the set and whose part base is the list that it is to replace.
//
// # Pixel repairs
//
// An event of kind pixels {repairs: [{class, runs: [start, length, …]}]} gives
// single pixels a class, or 255 for undecided, whatever the superpixel under
// them has. Pixel y·width + x of the upright image has that number; runs ascend,
// may go over the end of a row and name each pixel once; one event has up to
// 100,000 of them (a message of the socket is limited to 64 KiB, a POST to
// 4 MiB). What was said last of a pixel counts: a later label or clear of a
// superpixel takes the repairs within it away, while an accept leaves them.
// Hypotheses do not see repairs. States, GET image and masks do: a state has all
// present repairs in the form of the event, in runs as long as can be, or no
// field repairs when they are those of the state that the socket was sent before.
//
// # History
//
// An event of kind restore {to} makes labelling, clicks, repairs and granularity
// what they were after event number to, 0 for the beginning; it is a step that
// undo takes back like any other, so nothing that came between is lost.
//
// GET evidence?after=&limit=&detail= lists events in order, up to limit of them
// (10,000 at most and by default); more says that there are others behind the
// last one. detail is summary (counts in place of lists), events (with
// superpixels, points and the runs of pixels events; the default) or full (with
// all runs, and the labels of hypotheses that were accepted as base64). An undo
// or a redo says which event it is about. An event of kind import, which can't
// be sent, is a mask that was uploaded: a class per cell, which is a superpixel
// of the finest map, and repairs for the pixels that differ.
//
// # Granularity
//
// An event of kind granularity {regions} makes the superpixels coarser or
// finer, and an undo can take that back. Labels stay where they are: an image
// has as many superpixels as wanted, its clicks and its labelling are kept in
// terms of the finest ones, and a superpixel that would hold two labels stays
// divided. Numbers of superpixels, in events, states and hypotheses, are those
// of the map in force, which map names; superpixels.bin and superpixels.png are
// that map and have its name in their ETag. An event with a map is refused
// ("map") unless it is the one in force, so that a client who has not seen the
// new one yet can't label the wrong superpixels; points mean the same always.

// classJSON is a class in project order.
type classJSON struct {
	ID    int    `json:"id" doc:"names the class in evidence, labels and hypotheses, and never changes" schema:"min=0,max=254"`
	Index int    `json:"index" doc:"place in the project's list and value in exported masks"`
	Name  string `json:"name"`
	Color string `json:"color" schema:"pattern=^#[0-9a-fA-F]{6}$"`
}

// deletedClassJSON is a class that can be restored.
type deletedClassJSON struct {
	ID      int       `json:"id"`
	Name    string    `json:"name"`
	Color   string    `json:"color"`
	Target  int       `json:"target" doc:"id of the class that its labels count as, or 255 for undecided"`
	Deleted time.Time `json:"deleted"`
}

// projectJSON answers project calls.
type projectJSON struct {
	ID      string             `json:"id"`
	Name    string             `json:"name"`
	Classes []classJSON        `json:"classes"`
	Deleted []deletedClassJSON `json:"deleted,omitempty" doc:"classes that can be restored; absent when there are none"`
	Rest    restJSON           `json:"rest"`
	Created time.Time          `json:"created"`
}

// trashJSON is something in the trash.
type trashJSON struct {
	Kind        segment.TrashKind `json:"kind" schema:"enum=project|image|class"`
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Project     string            `json:"project" doc:"identifier of the project it belongs to"`
	ProjectName string            `json:"project_name"`
	Images      int               `json:"images" doc:"images that come back with it"`
	Trashed     time.Time         `json:"trashed"`
	Until       time.Time         `json:"until" doc:"when it is erased for good"`
}

// imageJSON answers image calls.
type imageJSON struct {
	ID      string    `json:"id"`
	Project string    `json:"project"`
	Name    string    `json:"name"`
	Format  string    `json:"format" schema:"enum=jpeg|png|webp|gif|bmp|tiff"`
	Bytes   int64     `json:"bytes"`
	Width   int       `json:"width"`
	Height  int       `json:"height"`
	Regions int       `json:"regions" doc:"number of superpixels at present; in lists, of an image to start with"`
	Status  string    `json:"status" schema:"enum=untouched|started|done"`
	Seq     int       `json:"seq" doc:"number of evidence events"`
	Clicks  int       `json:"clicks"`
	Decided float64   `json:"decided" doc:"share of the area that has a class" schema:"min=0,max=1"`
	Doubt   *float64  `json:"expected_wrong_area,omitempty" doc:"share of the area that is probably wrong, judged by the latest hypotheses; absent before the first" schema:"min=0,max=1"`
	Created time.Time `json:"created"`
}

// openImageJSON answers for one image, with what its superpixels are at present.
type openImageJSON struct {
	imageJSON
	Map     string       `json:"map" doc:"name of the superpixel map in force, which is also its ETag"`
	Finest  int          `json:"finest" doc:"the most superpixels that a granularity event can ask for"`
	Repairs []repairJSON `json:"repairs" doc:"the present repairs of pixels, by class"`
}

// evidenceJSON is an event as clients send it, over HTTP and the socket.
type evidenceJSON struct {
	ID          string       `json:"id,omitempty" doc:"made by the client, unique within the image" schema:"required,minLength=1,maxLength=64"`
	ExpectedSeq *int         `json:"expected_seq,omitempty" doc:"number of events that the client has seen" schema:"required"`
	Kind        string       `json:"kind,omitempty" schema:"required,enum=label|clear|pixels|accept|granularity|undo|redo|restore"`
	Map         string       `json:"map,omitempty" doc:"name of the map that superpixels are of; when given and not the one in force, the event is refused"`
	Superpixels []int32      `json:"superpixels,omitempty"`
	Points      [][2]float64 `json:"points,omitempty" doc:"x, y in pixels of the upright image; each stands for the superpixel under it"`
	Class       *int         `json:"class,omitempty" doc:"of a label event: id of the class"`
	Hypothesis  *pickJSON    `json:"hypothesis,omitempty" doc:"of an accept event; a bare number is its rank. With superpixels only that region is accepted" schema:"or=integer"`
	Regions     *int         `json:"regions,omitempty" doc:"of a granularity event: how many superpixels are wanted. Labels stay where they are; a superpixel that would hold two of them stays divided" schema:"min=2"`
	Repairs     []repairJSON `json:"repairs,omitempty" doc:"of a pixels event: single pixels get a class, whatever their superpixel has; up to 100,000 runs. A later label or clear of a superpixel takes the repairs within it away, an accept leaves them"`
	To          *int         `json:"to,omitempty" doc:"of a restore event: labelling, clicks, repairs and granularity become what they were after this event; 0 is the beginning" schema:"min=0"`
}

// repairJSON gives runs of pixels a class.
type repairJSON struct {
	Class *int    `json:"class" doc:"id of the class, or 255 for undecided" schema:"required,min=0,max=255"`
	Runs  []int32 `json:"runs" doc:"start, length, start, length, …: runs of pixels, ascending, each pixel in one at most; pixel y·width + x of the upright image has that number"`
}

// pickJSON names a hypothesis of the present sequence. A bare number is taken
// as its rank.
type pickJSON struct {
	Rank   int    `json:"rank" schema:"min=0"`
	Digest string `json:"digest,omitempty" doc:"when given it must be that of the present hypothesis"`
}

// UnmarshalJSON accepts {"rank", "digest"} and a bare rank.
func (p *pickJSON) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return json.Unmarshal(b, &p.Rank)
	}
	type plain pickJSON
	return json.Unmarshal(b, (*plain)(p))
}

// hypothesisJSON is a hypothesis for scripts.
type hypothesisJSON struct {
	Rank   int     `json:"rank"`
	Energy float64 `json:"energy" doc:"higher is better"`
	Digest string  `json:"digest"`
	Labels []int   `json:"labels" doc:"class per superpixel"`
}

// clientMessage is any text frame from a client; Type says which fields count.
type clientMessage struct {
	Type    string         `json:"type"`
	Epoch   string         `json:"epoch,omitempty"`
	Seq     int            `json:"seq,omitempty"`
	Unacked []evidenceJSON `json:"unacked,omitempty"`
	Count   int            `json:"count,omitempty"`
	N       int            `json:"n,omitempty"`
	evidenceJSON
}

type stateMessage struct {
	Type   string `json:"type"` // "state"
	Epoch  string `json:"epoch"`
	Seq    int    `json:"seq"`
	Clicks []byte `json:"clicks"`
	Labels []byte `json:"labels"`
	Undo   int    `json:"undo"` // steps that can be undone
	Redo   int    `json:"redo"`

	Map     string `json:"map"`     // name of the superpixel map
	Regions int    `json:"regions"` // its superpixels
	Wanted  int    `json:"wanted"`  // superpixels asked for
	Finest  int    `json:"finest"`  // the most that can be
	Split   int    `json:"split"`   // superpixels that stay divided because they hold two classes

	// Repairs are absent when they are those of the state that this client was
	// sent before.
	Repairs []repairJSON `json:"repairs,omitzero"`
}

// projectMessage tells of a change of the project's classes.
type projectMessage struct {
	Type    string      `json:"type"` // "project"
	Project projectJSON `json:"project"`
}

type ackMessage struct {
	Type string `json:"type"` // "ack"
	ID   string `json:"id"`
	Seq  int    `json:"seq"`
}

type rejectMessage struct {
	Type   string `json:"type"` // "reject"
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
	Seq    int    `json:"seq"`
}

type runMessage struct {
	Type    string `json:"type"` // "run"
	Run     uint32 `json:"run"`
	Seq     int    `json:"seq"`
	Count   int    `json:"count"`
	Classes []int  `json:"classes"` // ids of the classes in play
}

type doneMessage struct {
	Type   string `json:"type"` // "done"
	Run    uint32 `json:"run"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

type errorMessage struct {
	Type   string `json:"type"` // "error"
	Detail string `json:"detail"`
}

// HypothesisFrame is the binary message that carries one hypothesis. All
// numbers are little-endian:
//
//	offset 0  uint8    version, 1
//	       1  3 bytes  zero
//	       4  uint32   run
//	       8  uint32   seq of the evidence it was made for
//	      12  uint32   rank, from 0
//	      16  uint32   N, the number of superpixels
//	      20  4 bytes  zero
//	      24  float64  energy, higher is better
//	      32  8 bytes  digest
//	      40  N bytes  class id per superpixel
type HypothesisFrame struct {
	Run, Seq, Rank uint32
	Energy         float64
	Digest         engine.Digest
	Labels         []uint8
}

const (
	frameVersion = 1
	frameHeader  = 40
)

// frameOf encodes a hypothesis of a run.
func frameOf(run uint32, seq int, h engine.Hypothesis) ([]byte, error) {
	frame := HypothesisFrame{Run: run, Seq: uint32(seq), Rank: uint32(h.Rank), Energy: h.Energy, Digest: h.Digest, Labels: h.Labels}
	return frame.AppendBinary(make([]byte, 0, frameHeader+len(h.Labels)))
}

// AppendBinary appends the frame's bytes to b.
func (f *HypothesisFrame) AppendBinary(b []byte) ([]byte, error) {
	le := binary.LittleEndian
	b = append(b, frameVersion, 0, 0, 0)
	b = le.AppendUint32(b, f.Run)
	b = le.AppendUint32(b, f.Seq)
	b = le.AppendUint32(b, f.Rank)
	b = le.AppendUint32(b, uint32(len(f.Labels)))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, math.Float64bits(f.Energy))
	b = append(b, f.Digest[:]...)
	return append(b, f.Labels...), nil
}

// UnmarshalBinary reads a frame; Labels aliases b.
func (f *HypothesisFrame) UnmarshalBinary(b []byte) error {
	if len(b) < frameHeader {
		return fmt.Errorf("hypothesis frame of %d bytes is shorter than its header of %d", len(b), frameHeader)
	}
	if b[0] != frameVersion {
		return fmt.Errorf("hypothesis frame has version %d, want %d", b[0], frameVersion)
	}
	le := binary.LittleEndian
	if n := le.Uint32(b[16:]); int64(n) != int64(len(b)-frameHeader) {
		return fmt.Errorf("hypothesis frame says %d superpixels and holds %d", n, len(b)-frameHeader)
	}
	f.Run, f.Seq, f.Rank = le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:])
	f.Energy = math.Float64frombits(le.Uint64(b[24:]))
	copy(f.Digest[:], b[32:])
	f.Labels = b[frameHeader:]
	return nil
}
