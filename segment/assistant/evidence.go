package assistant

import (
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/timeline"
)

// Evidence returns what determines the hypotheses of a timeline's state, see
// Sequence.
func (a *Assistant) Evidence(t *timeline.Timeline, m *engine.Model, table *segment.ClassTable, rest segment.Rest) engine.Evidence {
	constraints := t.Constraints().Through(table)
	e := engine.Evidence{
		Clicks:   table.Through(t.Clicks()),
		Beside:   table.Through(t.Beside()),
		Rest:     rest,
		Boxes:    boxesOf(m, constraints.Boxes),
		Excluded: excluded(t, constraints.Excluded),
		Guess:    engine.NewGuess(t.Scores(), table, t.First(), t.Cut(), a.Cells),
	}
	e.Holds = holds(t, table, e.Excluded)
	if shown, since := t.Shown(); shown != nil {
		e.Shown, e.Since = make([]uint8, t.Cut().N), since
		for cell, s := range t.Cut().Parent {
			e.Shown[s] = table[shown.Labels[cell]]
		}
	}
	return e
}

// holds returns the lasting picks: regions that were accepted, and neither
// clicked nor excluded since.
func holds(t *timeline.Timeline, table *segment.ClassTable, excluded []engine.Exclusion) *engine.Holds {
	h := &engine.Holds{Labels: table.Through(t.Labelling())}
	h.Clicked, h.Picked = t.Times()
	for i, picked := range h.Picked {
		if picked == 0 || picked < h.Clicked[i] || h.Labels[i] == segment.Void {
			h.Labels[i], h.Picked[i] = segment.Void, 0
		}
	}
	for _, x := range excluded {
		if h.Labels[x.Superpixel] == x.Class {
			h.Labels[x.Superpixel], h.Picked[x.Superpixel] = segment.Void, 0
		}
	}
	return h
}

// boxesOf converts boxes of pixels to superpixels.
func boxesOf(m *engine.Model, boxes []segment.Box) (out []engine.Box) {
	for _, b := range boxes {
		out = append(out, m.NewBox(b.Class, timeline.Bounds(b)))
	}
	return out
}

// excluded converts exclusions of cells to superpixels.
func excluded(t *timeline.Timeline, cells []segment.Exclusion) []engine.Exclusion {
	var out []engine.Exclusion
	known := map[engine.Exclusion]bool{}
	for _, x := range cells {
		if e := (engine.Exclusion{Superpixel: int(t.Cut().Parent[x.Cell]), Class: x.Class}); !known[e] {
			known[e] = true
			out = append(out, e)
		}
	}
	return out
}
