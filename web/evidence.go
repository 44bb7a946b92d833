package web

import (
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/workspace"
)

// eventJSON is a stored event. Superpixels holds what the points fell on too;
// its numbers are those of the map that was in force.
type eventJSON struct {
	Seq         int                `json:"seq"`
	ID          string             `json:"id"`
	Kind        string             `json:"kind"`
	Superpixels []int32            `json:"superpixels,omitempty"`
	Points      [][2]float64       `json:"points,omitempty"`
	Class       *int               `json:"class,omitempty"` // label only
	Hypothesis  *pickJSON          `json:"hypothesis,omitempty"`
	Labels      []byte             `json:"labels,omitempty"`  // of the hypothesis, or of all cells after an import; with full detail
	Regions     int                `json:"regions,omitempty"` // granularity only
	Repairs     []loggedRepairJSON `json:"repairs,omitempty"`
	To          *int               `json:"to,omitempty"`    // restore only
	About       int                `json:"about,omitempty"` // undo and redo: the event they are about
	Count       int                `json:"count,omitempty"` // superpixels that it is about
	By          string             `json:"by,omitempty"`    // name of who made it, where known
	Created     time.Time          `json:"created"`
}

// loggedRepairJSON is what an event gave one class.
type loggedRepairJSON struct {
	Class  int     `json:"class"`
	Pixels int     `json:"pixels"`         // how many
	Runs   []int32 `json:"runs,omitempty"` // not in a summary
}

// evidenceListJSON is a part of an image's log.
type evidenceListJSON struct {
	Seq    int         `json:"seq"` // events there are
	More   bool        `json:"more,omitempty"`
	Events []eventJSON `json:"events"`
}

// mostEvents is how many events one answer lists.
const mostEvents = 10_000

// How much of each event a list has; the first is the default.
const (
	detailEvents  = "events"
	detailSummary = "summary"
	detailFull    = "full"
)

type seqJSON struct {
	Seq int `json:"seq"`
}

func (s *Server) listEvidence(w http.ResponseWriter, r *http.Request) error {
	after, err := queryInt(r, "after", 0, 0, math.MaxInt32)
	if err != nil {
		return err
	}
	limit, err := queryInt(r, "limit", mostEvents, 1, mostEvents)
	if err != nil {
		return err
	}
	detail, err := queryWord(r, "detail", detailEvents, detailSummary, detailFull)
	if err != nil {
		return err
	}
	a, err := s.annotation(r)
	if err != nil {
		return err
	}
	defer a.Close()
	entries, seq, err := a.History(r.Context(), after, limit)
	if err != nil {
		return err
	}
	out := evidenceListJSON{Seq: seq, More: after+len(entries) < seq, Events: make([]eventJSON, len(entries))}
	for i, e := range entries {
		out.Events[i] = eventOut(e, detail)
	}
	return s.sendJSON(w, http.StatusOK, out)
}

func eventOut(e workspace.Entry, detail string) eventJSON {
	out := eventJSON{
		Seq: e.Seq, ID: e.ID, Kind: string(e.Kind), Regions: e.Regions, About: e.About, Count: len(e.Superpixels), By: e.By, Created: e.Created,
	}
	if detail != detailSummary {
		out.Superpixels, out.Points = e.Superpixels, e.Points
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
	case segment.Label:
		out.Class = &e.Class
	case segment.Restore:
		out.To = &e.To
	}
	if e.Kind == segment.Import && detail == detailFull {
		out.Labels = e.Cells
	}
	if e.Pick != nil {
		out.Hypothesis = &pickJSON{Rank: e.Pick.Rank, Digest: e.Pick.Digest}
		if len(e.Superpixels) == 0 {
			out.Count = len(e.Pick.Labels)
		}
		if detail == detailFull {
			out.Labels = e.Pick.Labels
		}
	}
	return out
}

// appendEvidence stores one event, like an evidence message of the socket;
// pages that have the image open follow.
func (s *Server) appendEvidence(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.May(r.Context(), access.Annotate); err != nil {
		return err // before the image is opened
	}
	var body evidenceJSON
	if err := decodeBody(r, &body); err != nil {
		return err
	}
	event, expected, err := body.event()
	if err != nil {
		return err
	}
	room, err := s.hub.enter(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	defer room.leave()
	seq, err := room.append(r.Context(), expected, event, nil)
	if err != nil {
		return err
	}
	return s.sendJSON(w, http.StatusOK, seqJSON{seq})
}
