package annotation

import (
	"errors"
	"slices"

	"collie/segment"
)

// ErrLocked is the cause of the Invalid for an event that would only paint over
// locked classes.
var ErrLocked = errors.New("all of it is locked")

// constraints returns the boxes, exclusions and locks, with deleted classes
// resolved. The caller holds the lock.
func (a *Annotation) constraints() segment.Constraints {
	return a.timeline.Constraints().Through(a.table)
}

// spareLocked removes from an event what would paint over a locked class, and
// refuses an event that is left with nothing. A label writes whole superpixels, so
// one with a locked part is left out as a whole. The stored event says what
// happened, so playing the log needs no locks.
func (a *Annotation) spareLocked(e *segment.Event) error {
	constraints := a.constraints()
	if len(constraints.Locked) == 0 {
		return nil
	}
	spared := false
	guarded := func(cells []int32) bool {
		return a.timeline.Shows(cells, func(l uint8) bool {
			l = a.table[l]
			return constraints.IsLocked(l) && (e.Kind == segment.Clear || int(l) != e.Class)
		})
	}
	switch e.Kind {
	case segment.Click:
		e.Points = slices.DeleteFunc(slices.Clone(e.Points), func(p [2]float64) bool { return guarded(a.timeline.Clicked(p)) })
		spared = len(e.Points) == 0
	case segment.Label, segment.Clear:
		e.Superpixels = slices.DeleteFunc(slices.Clone(e.Superpixels), func(s int32) bool { return guarded(a.timeline.In(s)) })
		spared = len(e.Superpixels) == 0
	case segment.Pixels:
		var pixels []uint8 // scratch
		e.Repairs = spareRuns(e.Repairs, &constraints, func(start, end int32) []uint8 {
			pixels = a.timeline.Pixels(pixels[:0], int(start), int(end))
			for i, l := range pixels {
				pixels[i] = a.table[l]
			}
			return pixels
		})
		spared = len(e.Repairs) == 0
	}
	if spared {
		return segment.Errorf(segment.Invalid, "Everything there belongs to a locked class, or has parts that do. Unlock the class to change it. Nothing was changed.").Because(ErrLocked)
	}
	return nil
}

// spareRuns returns repairs without the pixels that have a locked class. labels returns
// the classes of some pixels, until the next call.
func spareRuns(repairs []segment.Repair, constraints *segment.Constraints, labels func(start, end int32) []uint8) []segment.Repair {
	var out []segment.Repair
	for _, r := range repairs {
		var runs []int32
		for pair := range slices.Chunk(r.Runs, 2) {
			open := false
			for i, l := range labels(pair[0], pair[0]+pair[1]) {
				if l != r.Class && constraints.IsLocked(l) {
					open = false
					continue
				}
				if !open {
					runs = append(runs, pair[0]+int32(i), 0)
					open = true
				}
				runs[len(runs)-1]++
			}
		}
		if len(runs) > 0 {
			out = append(out, segment.Repair{Class: r.Class, Runs: runs})
		}
	}
	return out
}
