package workspace

import "collie/segment/timeline"

// Objects tells apart the objects of a state's labelling: those that are marked
// and, for each pixel of the labelling, which [Annotation.PixelsOf] returns, the
// place of its object among them, or -1. Both are nil without marked objects. See
// [timeline.Objects].
func (a *Annotation) Objects(state State, pixels []uint8) (list []timeline.Object, of []int32) {
	if len(state.Constraints.Objects) == 0 {
		return nil, nil
	}
	list, of = timeline.Objects(a.assistant.Cells, state.Cells(state.Labels), state.Constraints.Objects)
	if list == nil {
		return nil, nil
	}
	return list, timeline.SpreadObjects(a.cells, pixels, list, of)
}

// PointsIn returns, for each cell, the x and y of a pixel in it: the middle of its
// longest run.
func (a *Annotation) PointsIn() [][2]int {
	points, longest := make([][2]int, a.cells.N), make([]int, a.cells.N)
	for run := range a.cells.All() {
		if n := run.End - run.Start; n > longest[run.Region] {
			at := run.Start + n/2
			longest[run.Region], points[run.Region] = n, [2]int{at % a.cells.Width, at / a.cells.Width}
		}
	}
	return points
}
