package annotation

import (
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Scores returns those of the current first guess, or nil. They are shared and
// read-only.
func (a *Annotation) Scores() *segment.Scores {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.timeline.Scores()
}

// FirstCut returns the image's initial superpixels. It is shared and immutable.
func (a *Annotation) FirstCut() *superpixels.Cut {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.timeline.First()
}

// FirstLabels returns, for each superpixel of the initial map, the class of
// most of its area. The caller owns the slice.
func (a *Annotation) FirstLabels() []uint8 {
	state, first := a.State(), a.FirstCut()
	areas := make([][256]int, first.N)
	for cell, l := range state.Cells(state.Labels) {
		areas[first.Parent[cell]][l] += int(a.assistant.Cells.Regions[cell].Area)
	}
	labels := make([]uint8, first.N)
	for i := range areas {
		labels[i] = uint8(slices.Index(areas[i][:], slices.Max(areas[i][:])))
	}
	return labels
}
