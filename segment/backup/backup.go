// Package backup is the format of a complete project's backup, a zip that
// contains
//
//	backup.json            a Document: the project, its classes, its images
//	originals/STEM.EXT     each image's file as it was uploaded
//	maps/STEM.hierarchy    its superpixels (superpixels.Hierarchy.MarshalBinary)
//	maps/STEM.graph        their graph (superpixels.Graph.MarshalBinary)
//	evidence/STEM.jsonl    its evidence log, an Event in JSON per line
//	manifest.json          the report of the export
//
// backup.json comes last except for the manifest and names the files of each
// image. Superpixels are stored, not recomputed, because evidence refers to
// them by number: storing the files for new images and playing the log gives
// the same labellings, bit by bit, even if the algorithms have changed.
// Labelling, in the record of an image, is for checking that. Display copies
// and thumbnails are made from the original.
package backup

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"collie/segment"
)

// Kind and Version of a Document.
const (
	Kind    = "collie-backup"
	Version = 1
)

// File is the name of the Document in the zip.
const File = "backup.json"

// Document is the table of contents of a backup.
type Document struct {
	Kind    string  `json:"kind"`
	Version int     `json:"version"`
	Project Project `json:"project"`
	Images  []Image `json:"images"` // in order of upload
}

// Project is a segment.Project.
type Project struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Classes []Class   `json:"classes"` // in project order

	Deleted []DeletedClass `json:"deleted"` // in the order of their deletion

	// Unaided says that the project makes no guesses.
	Unaided bool `json:"unaided,omitempty"`

	Rest segment.Rest `json:"rest"` // what unclicked regions become; if absent, nothing
}

// Class is a segment.Class. Labels and picks hold ids of classes.
type Class struct {
	ID    uint8  `json:"id"`
	Name  string `json:"name"`
	Color string `json:"color"`
}

// DeletedClass is a segment.DeletedClass.
type DeletedClass struct {
	Class
	Target  uint8     `json:"target"` // id of its replacement, or 255
	Deleted time.Time `json:"deleted"`
}

// Image is the record of an image and the names of its files in the zip.
type Image struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Format  string    `json:"format"`
	Width   int       `json:"width"`
	Height  int       `json:"height"`
	Regions int       `json:"regions"` // initial number of superpixels
	Bytes   int64     `json:"bytes"`
	Created time.Time `json:"created"`
	Seq     int       `json:"seq"` // events in the log

	Original  string `json:"original"`
	Hierarchy string `json:"hierarchy"`
	Graph     string `json:"graph"`
	Evidence  string `json:"evidence"`
	// Labelling is the SHA-256, in hexadecimal, of the labelling per pixel:
	// class ids or 255, row-major, as annotation.Annotation.Pixels returns it.
	Labelling string `json:"labelling_sha256"`

	Review *Review `json:"review,omitempty"`
}

// Review is a segment.Review.
type Review struct {
	Status  string    `json:"status"`
	Comment string    `json:"comment,omitempty"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at"`
	Seq     int       `json:"seq"`
}

// event is a segment.Event in its stored form.
type event struct {
	ID          string       `json:"id"`
	Seq         int          `json:"seq"`
	Kind        string       `json:"kind"`
	Superpixels []int32      `json:"superpixels,omitempty"`
	Points      [][2]float64 `json:"points,omitempty"`
	Class       int          `json:"class"`
	Former      []byte       `json:"former,omitempty"`
	Regions     int          `json:"regions,omitempty"`
	Pick        *pick        `json:"pick,omitempty"`
	Repairs     []repair     `json:"repairs,omitempty"`
	Cells       []byte       `json:"cells,omitempty"`
	Instances   []int32      `json:"instances,omitempty"`
	Drawn       []drawn      `json:"drawn,omitempty"`
	Scores      *scores      `json:"scores,omitempty"`
	Embedding   *embedding   `json:"embedding,omitempty"`
	Affinities  *affinities  `json:"affinities,omitempty"`
	To          int          `json:"to,omitempty"`
	By          string       `json:"by,omitempty"`
	Created     time.Time    `json:"created"`
}

type pick struct {
	Rank   int    `json:"rank"`
	Digest string `json:"digest"`
	Labels []byte `json:"labels"` // class id per superpixel of the current map
}

type scores struct {
	Classes []byte `json:"classes"` // ids
	Shares  []byte `json:"shares"`  // rows × classes, 255 for 1

	// See segment.Scores.
	Regions  int     `json:"regions,omitempty"`
	Reserve  []byte  `json:"reserve,omitempty"`
	Strength float64 `json:"strength,omitempty"`
	Exponent float64 `json:"exponent,omitempty"`
	Proof    float64 `json:"proof,omitempty"`
	Patience float64 `json:"patience,omitempty"`
	Model    int     `json:"model,omitempty"`
	Learnt   int     `json:"learnt,omitempty"`
}

// embedding is a segment.Embedding.
type embedding struct {
	Values  []byte     `json:"values,omitempty"`
	Dims    int        `json:"dims,omitempty"`
	Scale   float64    `json:"scale,omitempty"`
	Borders likelihood `json:"borders"`
	Pairs   likelihood `json:"pairs"`
	Learnt  int        `json:"learnt,omitempty"`
}

type likelihood struct {
	Bias  float64 `json:"bias"`
	Slope float64 `json:"slope"`
}

// affinities are segment.Affinities.
type affinities struct {
	Model  []byte `json:"model"`
	Learnt int    `json:"learnt"`
}

// drawn is a segment.ObjectPixels.
type drawn struct {
	Class  uint8   `json:"class"`
	Number int32   `json:"number"`
	Runs   []int32 `json:"runs"` // as in a repair
}

type repair struct {
	Class uint8   `json:"class"`
	Runs  []int32 `json:"runs"` // first pixel, number of pixels, first pixel, …
}

// WriteEvents writes a log, an event per line. The same log gives the same bytes.
func WriteEvents(w io.Writer, events []segment.Event) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for i := range events {
		e := &events[i]
		line := event{
			ID: e.ID, Seq: e.Seq, Kind: string(e.Kind), Superpixels: e.Superpixels, Points: e.Points,
			Class: e.Class, Former: e.Former, Regions: e.Regions, Cells: e.Cells, Instances: e.Instances, To: e.To, By: e.By, Created: e.Created,
		}
		for _, r := range e.Repairs {
			line.Repairs = append(line.Repairs, repair(r))
		}
		for _, o := range e.Drawn {
			line.Drawn = append(line.Drawn, drawn(o))
		}
		if e.Scores != nil {
			line.Scores = (*scores)(e.Scores)
		}
		if v := e.Embedding; v != nil {
			line.Embedding = &embedding{v.Values, v.Dims, v.Scale, likelihood(v.Borders), likelihood(v.Pairs), v.Learnt}
		}
		if e.Affinities != nil {
			line.Affinities = (*affinities)(e.Affinities)
		}
		if e.Pick != nil {
			line.Pick = &pick{e.Pick.Rank, e.Pick.Digest, e.Pick.Labels}
		}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// longestLine is the largest size of an event in bytes, many times that of a
// pick of all cells of the largest image.
const longestLine = 20 << 20

// ReadEvents reads a log, one event after the other. It checks the form and
// that events are numbered from 1, not whether an event makes sense for the
// image. An error ends it.
func ReadEvents(r io.Reader) iter.Seq2[segment.Event, error] {
	return func(yield func(segment.Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, longestLine)
		number := 0
		for lines.Scan() {
			number++
			e, err := readEvent(lines.Bytes())
			if err == nil && e.Seq != number {
				err = fmt.Errorf("it has the number %d", e.Seq)
			}
			if err != nil {
				yield(segment.Event{}, fmt.Errorf("event %d of the log: %w", number, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("event %d of the log is longer than %d MiB", number+1, longestLine>>20)
			}
			yield(segment.Event{}, err)
		}
	}
}

func readEvent(line []byte) (segment.Event, error) {
	var in event
	if err := json.Unmarshal(line, &in); err != nil {
		return segment.Event{}, err
	}
	e := segment.Event{
		ID: in.ID, Seq: in.Seq, Kind: segment.EventKind(in.Kind), Superpixels: in.Superpixels, Points: in.Points,
		Class: in.Class, Former: in.Former, Regions: in.Regions, Cells: in.Cells, Instances: in.Instances, To: in.To, By: in.By, Created: in.Created.UTC(),
	}
	if in.Scores != nil {
		e.Scores = (*segment.Scores)(in.Scores)
	}
	if v := in.Embedding; v != nil {
		e.Embedding = &segment.Embedding{Values: v.Values, Dims: v.Dims, Scale: v.Scale, Borders: segment.Likelihood(v.Borders), Pairs: segment.Likelihood(v.Pairs), Learnt: v.Learnt}
	}
	if in.Affinities != nil {
		e.Affinities = (*segment.Affinities)(in.Affinities)
	}
	for _, r := range in.Repairs {
		e.Repairs = append(e.Repairs, segment.Repair(r))
	}
	for _, o := range in.Drawn {
		e.Drawn = append(e.Drawn, segment.ObjectPixels(o))
	}
	if in.Pick != nil {
		e.Pick = &segment.Pick{Rank: in.Pick.Rank, Digest: in.Pick.Digest, Labels: in.Pick.Labels}
	}
	return e, nil
}
