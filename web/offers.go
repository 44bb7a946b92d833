package web

import (
	"context"
	"net/http"
	"sync"

	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/web/query"
	"collie/web/wire"
)

// asked returns what the present sequence of the image of a request answers. The image
// is closed by then, so that a slow client keeps none open.
func asked[T any](s *Server, r *http.Request, question func(*engine.Sequence, context.Context) (T, error)) (state annotation.State, sequence *engine.Sequence, answer T, err error) {
	a, err := s.annotation(r)
	if err != nil {
		return state, nil, answer, err
	}
	defer a.Close()
	state, sequence = a.Present()
	answer, err = question(sequence, r.Context())
	return state, sequence, answer, err
}

// guessedJSON is the first guess as a labelling.
type guessedJSON struct {
	Seq    int          `json:"seq"`
	Map    string       `json:"map" doc:"name of the superpixel map that the labels are for"`
	Labels wire.Numbers `json:"labels" doc:"class id per superpixel"`
	Digest string       `json:"digest"`
	Energy float64      `json:"energy"`
}

// getGuess sends the first guess as it is.
func (s *Server) getGuess(w http.ResponseWriter, r *http.Request) error {
	state, sequence, g, err := asked(s, r, (*engine.Sequence).Guessed)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, guessedJSON{sequence.Seq(), state.Map, g.Labels, g.Digest.String(), g.Energy})
}

// ladderJSON is the ladder of masks between two classes.
type ladderJSON struct {
	Seq   int          `json:"seq"`
	Map   string       `json:"map" doc:"name of the superpixel map that from is for"`
	Class int          `json:"class" doc:"id of the class that there is more of on each rung"`
	Other int          `json:"other" doc:"id of the class of everything else; 255 for undecided"`
	Best  int          `json:"best" doc:"the most probable rung"`
	Rungs []rungJSON   `json:"rungs"`
	From  wire.Numbers `json:"from" doc:"for each superpixel, the first rung on which it has the class; the number of rungs where it never has. Above that rung it always has"`
}

type rungJSON struct {
	Digest string  `json:"digest"`
	Energy float64 `json:"energy"`
	Share  float64 `json:"share" doc:"of the image that has the class" schema:"min=0,max=1"`
}

// getLadder sends nested masks from less to more of a class.
func (s *Server) getLadder(w http.ResponseWriter, r *http.Request) error {
	state, sequence, l, err := asked(s, r, (*engine.Sequence).Ladder)
	if err != nil {
		return err
	}
	out := ladderJSON{Seq: sequence.Seq(), Map: state.Map, Class: l.Class, Other: l.Other, Best: l.Best, From: l.From}
	for _, rung := range l.Rungs {
		out.Rungs = append(out.Rungs, rungJSON{rung.Digest.String(), rung.Energy, rung.Share})
	}
	return s.answers.JSON(w, http.StatusOK, out)
}

// alternativesJSON answers 'what if these were something else?'.
type alternativesJSON struct {
	Seq          int               `json:"seq"`
	Map          string            `json:"map" doc:"name of the superpixel map that the labels are for"`
	Superpixels  []int32           `json:"superpixels" doc:"those asked about, ascending"`
	Alternatives []alternativeJSON `json:"alternatives" doc:"one for each other class in play that they can have, the most likely first"`
}

type alternativeJSON struct {
	Class   int          `json:"class" doc:"id of the class that all the superpixels have"`
	Labels  wire.Numbers `json:"labels" doc:"class id per superpixel"`
	Digest  string       `json:"digest"`
	Energy  float64      `json:"energy"`
	Gain    float64      `json:"gain" doc:"energy above the first hypothesis; the further below 0, the less likely"`
	Optimal bool         `json:"optimal" doc:"no labelling in which the superpixels have the class is better"`
	Changed []int32      `json:"changed" doc:"superpixels that have another class than in the first hypothesis"`
	Area    float64      `json:"area" doc:"share of the image that these cover" schema:"min=0,max=1"`
}

// alternativeBytes is the memory for a superpixel of an alternative: the messages and
// unaries from which it is made; less later, when it is its class and, where that changed,
// its number, and their JSON, while that is made twice.
const alternativeBytes = 64

var superpixelsQuery = query.Numbers{Name: "superpixels", Most: 10_000, Doc: "the superpixels in question, as hypotheses number them, separated by commas"}

// listAlternatives sends the best labellings with another class on some superpixels.
func (s *Server) listAlternatives(w http.ResponseWriter, r *http.Request) error {
	a, err := s.annotation(r)
	if err != nil {
		return err
	}
	shut := sync.OnceFunc(a.Close)
	defer shut()
	superpixels, err := superpixelsQuery.Of(r)
	if err != nil {
		return err
	}
	state, sequence := a.Present()
	give, err := s.memory.Lend(r.Context(), alternativeBytes*int64(len(sequence.Classes()))*int64(len(state.Labels)))
	if err != nil {
		return err
	}
	defer give()
	found, err := sequence.Alternatives(r.Context(), superpixels)
	if err != nil {
		return err
	}
	shut()
	out := alternativesJSON{Seq: sequence.Seq(), Map: state.Map, Superpixels: superpixels, Alternatives: []alternativeJSON{}}
	for _, f := range found {
		out.Alternatives = append(out.Alternatives, alternativeJSON{f.Class, f.Labels, f.Digest.String(), f.Energy, f.Gain, f.Optimal, f.Changed, f.Area})
	}
	return s.answers.JSON(w, http.StatusOK, out)
}
