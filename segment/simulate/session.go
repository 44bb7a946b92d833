package simulate

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/engine"
	"collie/superpixels"
)

// Session is the assistant that the product has: each click is a point around
// which superpixels become finer, what is not clicked is the rest, and each
// first hypothesis corrects the one before.
type Session struct {
	Hierarchy *superpixels.Hierarchy
	Cells     *superpixels.Graph // of the finest superpixels
	Map       *superpixels.Map   // of these
	Base      *superpixels.Cut   // before the first click

	shown []uint8 // by the last first hypothesis, per cell
	cut   *superpixels.Cut
	model *engine.Model // of cut
}

// Hypotheses answers with the sequence for the gestures.
func (s *Session) Hypotheses(ctx context.Context, g Gestures, count int) ([][]uint8, error) {
	clicks := make([]engine.CellClick, len(g.Points))
	for i, p := range g.Points {
		clicks[i] = engine.CellClick{Cell: int32(s.Map.At(p.X, p.Y)), Class: p.Class}
	}
	focus := engine.NewFocus(s.Base, s.Cells, clicks, g.Box)
	if s.cut == nil || !slices.Equal(s.cut.Parent, focus.Cut.Parent) {
		s.cut, s.model = focus.Cut, engine.ModelOf(s.Hierarchy, s.Cells, focus.Cut, engine.DefaultParameters)
	}
	e := engine.Evidence{
		Clicks: focus.Clicks, Beside: focus.Beside,
		Rest: segment.Rest{Mode: segment.RestClass, Class: Rest},
	}
	if !g.Box.Empty() {
		e.Box = s.model.NewBox(Thing, g.Box)
	}
	if s.shown != nil && len(clicks) > 0 {
		e.Last = int(focus.Cut.Parent[clicks[len(clicks)-1].Cell])
		e.Shown = make([]uint8, focus.Cut.N)
		for cell, p := range focus.Cut.Parent {
			e.Shown[p] = s.shown[cell]
		}
	}
	sequence := engine.NewSequence(s.model, e, len(clicks))
	out, err := firstOf(ctx, sequence, count)
	if err != nil {
		return nil, err
	}
	for rank, x := range out {
		out[rank] = spread(x, focus.Cut.Parent)
	}
	s.shown = out[0]
	return out, nil
}
