package workspace

import (
	"image"
	"math"

	"collie/segment"
	"collie/segment/engine"
)

// evidence returns what determines the current hypotheses, with deleted classes
// resolved. The caller owns its slices and holds the lock.
func (a *Annotation) evidence() engine.Evidence {
	constraints := a.constraints()
	return engine.Evidence{
		Clicks:   a.table.Through(a.timeline.Clicks()),
		Rest:     a.project.PresentRest(),
		Box:      a.box(constraints.Boxes),
		Holds:    a.holds(),
		Excluded: a.excluded(constraints.Excluded),
		Guess:    engine.NewGuess(a.timeline.Scores(), a.table, a.timeline.First(), a.timeline.Cut(), a.cellGraph),
	}
}

// holds are the lasting picks: regions that were accepted and not clicked
// since.
func (a *Annotation) holds() *engine.Holds {
	holds := &engine.Holds{Labels: a.table.Through(a.timeline.Labelling())}
	holds.Clicked, holds.Picked = a.timeline.Times()
	for i, picked := range holds.Picked {
		if picked == 0 || picked < holds.Clicked[i] || holds.Labels[i] == segment.Void {
			holds.Labels[i], holds.Picked[i] = segment.Void, 0
		}
	}
	return holds
}

// box joins the boxes of all classes; everything outside all of them is the
// rest. It is nil without a box.
func (a *Annotation) box(boxes []segment.Box) *engine.Box {
	var joined *engine.Box
	for _, b := range boxes {
		box := a.look().model.NewBox(b.Class, image.Rect(
			int(math.Floor(b.Min[0])), int(math.Floor(b.Min[1])), int(math.Ceil(b.Max[0])), int(math.Ceil(b.Max[1]))))
		if joined == nil {
			joined = box
			continue
		}
		for i, outside := range box.Outside {
			joined.Outside[i] = joined.Outside[i] && outside
		}
	}
	return joined
}

// excluded converts exclusions of cells to superpixels.
func (a *Annotation) excluded(cells []segment.Exclusion) []engine.Exclusion {
	seen := map[engine.Exclusion]bool{}
	var out []engine.Exclusion
	for _, x := range cells {
		e := engine.Exclusion{Superpixel: int(a.timeline.Cut().Parent[x.Cell]), Class: x.Class}
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}
