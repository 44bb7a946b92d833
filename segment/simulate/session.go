package simulate

import (
	"context"
	"strconv"

	"collie/segment"
	"collie/segment/assistant"
	"collie/segment/engine"
	"collie/segment/timeline"
	"collie/superpixels"
)

// Session is the assistant that the product has, with the same evidence log: each
// click is an event that names the hypothesis it corrects, what is not clicked is
// the rest.
type Session struct {
	*assistant.Assistant
	Map      *superpixels.Map   // of the finest superpixels
	Timeline *timeline.Timeline // of the assistant

	cut   *superpixels.Cut
	model *engine.Model // of cut
	shown *segment.Pick // the last first hypothesis
	done  int           // points of the gestures so far
}

// NewSession returns the session of a person before the first gesture.
func NewSession(a *assistant.Assistant, cells *superpixels.Runs, regions int) *Session {
	return &Session{Assistant: a, Map: cells.Map(), Timeline: a.Timeline(cells, regions)}
}

// Hypotheses answers with the sequence for the gestures.
func (s *Session) Hypotheses(ctx context.Context, g Gestures, count int) ([][]uint8, error) {
	if b := g.Box; !b.Empty() && s.Timeline.Seq() == 0 {
		s.add(segment.Event{Kind: segment.Outline, Class: Thing, Points: [][2]float64{
			{float64(b.Min.X), float64(b.Min.Y)}, {float64(b.Max.X), float64(b.Max.Y)},
		}})
	}
	for _, p := range g.Points[s.done:] {
		s.add(segment.Event{Kind: segment.Click, Class: int(p.Class), Points: [][2]float64{{float64(p.X), float64(p.Y)}}, Pick: s.shown})
	}
	s.done = len(g.Points)
	cut := s.Timeline.Cut()
	if s.cut != cut {
		s.cut, s.model = cut, s.Model(cut, assistant.Known{})
	}
	sequence := s.Sequence(s.Timeline, s.model, every, everythingElse)
	var out [][]uint8
	for rank := range min(count, sequence.Len()) {
		h, err := sequence.At(ctx, rank)
		if err != nil {
			return nil, err
		}
		if rank == 0 {
			s.shown = &segment.Pick{Digest: h.Digest.String(), Labels: h.Labels}
		}
		out = append(out, Spread(h.Labels, cut.Parent))
	}
	return out, nil
}

// Evidence is that of the gestures so far, for the model of the timeline's cut.
func (s *Session) Evidence() engine.Evidence {
	return s.Assistant.Evidence(s.Timeline, s.model, every, everythingElse)
}

func (s *Session) add(e segment.Event) {
	e.ID = strconv.Itoa(s.Timeline.Seq())
	s.Timeline.Apply(e)
}

// every is the table of an object's classes, and everythingElse is the rest.
var (
	every          = (&segment.Project{Classes: []segment.Class{{ID: Rest}, {ID: Thing}}}).Resolve()
	everythingElse = segment.Rest{Mode: segment.RestClass, Class: Rest}
)
