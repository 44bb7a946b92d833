package web

import (
	"math"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
)

// eventJSON is a stored event. Superpixels holds what the points fell on too;
// its numbers are those of the map that was in force.
type eventJSON struct {
	Seq         int          `json:"seq"`
	ID          string       `json:"id"`
	Kind        string       `json:"kind"`
	Superpixels []int32      `json:"superpixels,omitempty"`
	Points      [][2]float64 `json:"points,omitempty"`
	Class       *int         `json:"class,omitempty"`
	Hypothesis  *pickJSON    `json:"hypothesis,omitempty"`
	Regions     int          `json:"regions,omitempty"` // granularity only
	Repairs     []repairJSON `json:"repairs,omitempty"` // pixels only
	By          string       `json:"by,omitempty"`      // name of who made it, where known
	Created     time.Time    `json:"created"`
}

type seqJSON struct {
	Seq int `json:"seq"`
}

func (s *Server) listEvidence(w http.ResponseWriter, r *http.Request) error {
	after, err := queryInt(r, "after", 0, 0, math.MaxInt32)
	if err != nil {
		return err
	}
	a, err := s.annotation(r)
	if err != nil {
		return err
	}
	defer a.Close()
	events := a.Events(after)
	out := struct {
		Seq    int         `json:"seq"`
		Events []eventJSON `json:"events"`
	}{a.State().Seq, make([]eventJSON, len(events))}
	for i, e := range events {
		out.Events[i] = eventOut(e)
		out.Seq = e.Seq
	}
	return s.sendJSON(w, http.StatusOK, out)
}

func eventOut(e segment.Event) eventJSON {
	out := eventJSON{Seq: e.Seq, ID: e.ID, Kind: string(e.Kind), Superpixels: e.Superpixels, Points: e.Points, Regions: e.Regions, By: e.By, Created: e.Created}
	if e.Kind == segment.Label {
		out.Class = &e.Class
	}
	if len(e.Repairs) > 0 {
		out.Repairs = repairsOut(e.Repairs)
	}
	if e.Pick != nil {
		out.Hypothesis = &pickJSON{Rank: e.Pick.Rank, Digest: e.Pick.Digest}
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
