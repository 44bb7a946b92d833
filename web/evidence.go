package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"time"
	"unsafe"

	"collie/segment"
	"collie/segment/annotation"
	"collie/web/answers"
	"collie/web/query"
	"collie/web/wire"
)

// eventJSON is a stored event. Superpixels includes those that the points fell
// on; its numbers are those of the map in use at the time.
type eventJSON struct {
	Seq         int                `json:"seq"`
	ID          string             `json:"id"`
	Kind        string             `json:"kind"`
	Superpixels []int32            `json:"superpixels,omitempty" doc:"of the map in use at the time"`
	Points      [][2]float64       `json:"points,omitempty"`
	Fine        bool               `json:"fine,omitempty" doc:"of a label that is about points and not whole superpixels"`
	Class       *int               `json:"class,omitempty" doc:"of a label, box, exclude, lock, unlock or instance event"`
	Number      *int               `json:"number,omitempty" doc:"of an instance event: the object's number, 0 for none"`
	Hypothesis  *wire.Pick         `json:"hypothesis,omitempty"`
	Labels      []byte             `json:"labels,omitempty" doc:"with detail=full: for an accept, or a fine label that corrects a hypothesis, a class id per superpixel; for an import, a class id per cell (superpixel of the finest map)"`
	Regions     int                `json:"regions,omitempty" doc:"of a granularity event"`
	To          *int               `json:"to,omitempty" doc:"of a restore event"`
	Learnt      *int               `json:"learnt,omitempty" doc:"of a guess event: number of finished images that the guess was learned from, 0 for imported scores, 1 for the labelling of another image; absent when the event removed the guess. Of an embedding event: number of finished images from which it was learned how much embeddings count. Of an affinities event: number of finished images that they were learned from; absent when it removed them"`
	Copied      bool               `json:"copied,omitempty" doc:"of a guess event: it is the labelling of another image"`
	Weighed     bool               `json:"weighed,omitempty" doc:"of an embedding event: it only says how much the embedding counts that the image has"`
	About       int                `json:"about,omitempty" doc:"of an undo or redo: the number of the event that it undid or redid"`
	Count       int                `json:"count,omitempty" doc:"the superpixels affected"`
	By          string             `json:"by,omitempty" doc:"name of the user who made it, where known"`
	Created     time.Time          `json:"created"`
	Repairs     []loggedRepairJSON `json:"repairs,omitempty" doc:"the pixels that a pixels or import event set, by class"`
}

// loggedRepairJSON is the pixels that an event gave one class.
type loggedRepairJSON struct {
	Class  int     `json:"class" doc:"id of the class, or 255 for undecided"`
	Pixels int     `json:"pixels" doc:"how many pixels"`
	Runs   []int32 `json:"runs,omitempty" doc:"start, length, …; absent with detail=summary; for an import only with detail=full"`
}

// evidenceListJSON is a part of an image's log.
type evidenceListJSON struct {
	Seq    int         `json:"seq" doc:"number of events in the log"`
	More   bool        `json:"more,omitempty" doc:"whether more events follow the last one listed"`
	Events []eventJSON `json:"events"`
}

// mostEvents is the maximum number of events in one answer.
const mostEvents = 10_000

// How much of each event a list includes; the first is the default.
const (
	detailEvents  = "events"
	detailSummary = "summary"
	detailFull    = "full"
)

// The query of the log.
var (
	afterEventQuery = query.Int{Name: "after", High: math.MaxInt32, Doc: "only events after this number"}
	limitQuery      = query.Int{Name: "limit", Fallback: mostEvents, Low: 1, High: mostEvents, Doc: "the maximum number of events"}
	detailQuery     = query.Word{Name: "detail", Words: []string{detailEvents, detailSummary, detailFull}, Doc: "summary has counts in place of lists; full adds the labels of accepted hypotheses and the runs of imports"}
)

type seqJSON struct {
	Seq int `json:"seq"`
}

func (s *Server) listEvidence(w http.ResponseWriter, r *http.Request) error {
	after, err := afterEventQuery.Of(r)
	if err != nil {
		return err
	}
	limit, err := limitQuery.Of(r)
	if err != nil {
		return err
	}
	detail, err := detailQuery.Of(r)
	if err != nil {
		return err
	}
	events, seq, give, err := s.openEvents(r, after, limit, detail)
	if err != nil {
		return err
	}
	defer give()
	frame, err := json.Marshal(evidenceListJSON{Seq: seq, More: after+len(events) < seq, Events: []eventJSON{}})
	if err != nil {
		return err
	}
	return s.answers.Stream(w, "application/json", func(to io.Writer) error { return writeEvents(to, frame, events) })
}

// openEvents is up to limit of the events after a number of the image in the URL, and
// how many there are; their memory is lent until give is called.
func (s *Server) openEvents(r *http.Request, after, limit int, detail string) (events []eventJSON, seq int, give func(), err error) {
	a, err := s.annotation(r)
	if err != nil {
		return nil, 0, nil, err
	}
	defer a.Close()
	list := func() error {
		entries, number, err := a.History(r.Context(), after, limit)
		events, seq = make([]eventJSON, len(entries)), number
		for i, e := range entries {
			events[i] = eventOut(e, detail)
		}
		return err
	}
	if err := list(); err != nil {
		return nil, 0, nil, err
	}
	size := memoryOf(events)
	if size > answers.SmallAnswer {
		events = nil // none is kept while the request waits
	}
	if give, err = s.memory.Lend(r.Context(), size); err != nil {
		return nil, 0, nil, err
	}
	if events == nil {
		if err := list(); err != nil {
			give()
			return nil, 0, nil, err
		}
	}
	return events, seq, give, nil
}

// eventBytes is the memory of an event without its lists.
const eventBytes = int64(unsafe.Sizeof(eventJSON{}))

// memoryOf is the memory of events in bytes while they are sent: that of all, and the
// JSON of the largest without its runs, which are sent piece by piece.
func memoryOf(events []eventJSON) int64 {
	var all, largest int64
	for _, e := range events {
		all += eventBytes + int64(4*len(e.Superpixels)+16*len(e.Points)+len(e.Labels))
		for _, r := range e.Repairs {
			all += 4 * int64(len(r.Runs))
		}
		largest = max(largest, int64(12*len(e.Superpixels)+48*len(e.Points)+2*len(e.Labels)))
	}
	return all + largest
}

// writeEvents writes a list that ends with an empty one of events, and events into
// that.
func writeEvents(to io.Writer, list []byte, events []eventJSON) error {
	out := bufio.NewWriterSize(to, 64<<10)
	end := []byte("]}")
	_, _ = out.Write(bytes.TrimSuffix(list, end))
	for i, e := range events {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		repairs := e.Repairs
		e.Repairs = nil
		event, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if len(repairs) == 0 {
			_, _ = out.Write(event)
			continue
		}
		_, _ = out.Write(bytes.TrimSuffix(event, end[1:]))
		_, _ = out.WriteString(`,"repairs":[`)
		for j, repair := range repairs {
			if j > 0 {
				_ = out.WriteByte(',')
			}
			_, _ = fmt.Fprintf(out, `{"class":%d,"pixels":%d`, repair.Class, repair.Pixels)
			if len(repair.Runs) > 0 {
				_, _ = out.WriteString(`,"runs":`)
				wire.WriteRuns(out, repair.Runs)
			}
			_ = out.WriteByte('}')
		}
		_, _ = out.Write(end)
	}
	_, _ = out.Write(append(end, '\n'))
	return out.Flush() // which returns the first error of all writes
}

func eventOut(e annotation.Entry, detail string) eventJSON {
	out := eventJSON{
		Seq: e.Seq, ID: e.ID, Kind: string(e.Kind), Regions: e.Regions, About: e.About, Count: len(e.Superpixels), By: e.By, Created: e.Created,
	}
	if detail != detailSummary {
		out.Superpixels, out.Points = e.Superpixels, e.Points
	}
	if e.Kind == segment.Outline {
		out.Points = e.Points // its corners; none when it removes the box
	}
	for _, r := range e.Repairs {
		logged := loggedRepairJSON{Class: int(r.Class)}
		for pair := range slices.Chunk(r.Runs, 2) {
			logged.Pixels += int(pair[1])
		}
		if detail == detailFull || detail == detailEvents && e.Kind == segment.Pixels {
			logged.Runs = r.Runs
		}
		out.Repairs = append(out.Repairs, logged)
	}
	switch e.Kind {
	case segment.Click, segment.Label, segment.Outline, segment.Exclude, segment.Lock, segment.Unlock:
		out.Class = &e.Class
	case segment.Instance:
		number := int(e.Instances[0])
		out.Class, out.Number = &e.Class, &number
	case segment.Restore:
		out.To = &e.To
	}
	if e.Scores != nil {
		out.Learnt, out.Copied = &e.Scores.Learnt, e.Scores.Copied()
	}
	if e.Embedding != nil {
		out.Learnt, out.Weighed = &e.Embedding.Learnt, len(e.Embedding.Values) == 0
	}
	if e.Affinities != nil {
		out.Learnt = &e.Affinities.Learnt
	}
	if e.Kind == segment.Import && detail == detailFull {
		out.Labels = e.Cells
	}
	if e.Kind == segment.Click {
		out.Kind, out.Fine = string(segment.Label), true
	}
	if e.Pick != nil {
		out.Hypothesis = &wire.Pick{Rank: e.Pick.Rank, Digest: e.Pick.Digest}
		if e.Kind == segment.Accept && len(e.Superpixels) == 0 {
			out.Count = len(e.Pick.Labels)
		}
		if detail == detailFull {
			out.Labels = e.Pick.Labels
		}
	}
	return out
}

// appendEvidence stores one event, like an evidence message on the socket;
// pages that have the image open are updated.
func (s *Server) appendEvidence(w http.ResponseWriter, r *http.Request) error {
	im, err := s.annotatable(r)
	if err != nil {
		return err
	}
	var body wire.Evidence
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	event, expected, err := body.Event()
	if err != nil {
		return err
	}
	seq, err := s.hub.Append(r.Context(), im.ID, expected, event)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, seqJSON{seq})
}
