package workspace

import (
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// scores returns those of the current first guess, or nil.
func (a *Annotation) scores() *segment.Scores {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.timeline.Scores()
}

func (a *Annotation) firstCut() *superpixels.Cut {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.timeline.First()
}

// firstLabels returns, for each superpixel of the initial map, the class of
// most of its area.
func (a *Annotation) firstLabels() []uint8 {
	state, first := a.State(), a.firstCut()
	areas := make([][256]int, first.N)
	for cell, l := range state.Cells(state.Labels) {
		areas[first.Parent[cell]][l] += a.assistant.Cells.Regions[cell].Area
	}
	labels := make([]uint8, first.N)
	for i := range areas {
		labels[i] = uint8(slices.Index(areas[i][:], slices.Max(areas[i][:])))
	}
	return labels
}
