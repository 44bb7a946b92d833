package engine

import (
	"slices"

	"collie/segment"
)

// Holds are the picks that last. Numbers are those of events or any others that
// grow with time, from 1.
type Holds struct {
	Labels  []uint8 // class that a superpixel was picked as, or Void
	Picked  []int   // when it was, 0 where it was not
	Clicked []int   // when it was last clicked, 0 for never
}

// settled reports whether every superpixel that has no click, -1 in fixed, is held
// and was picked after the last click.
func (h *Holds) settled(fixed []int16) bool {
	if h == nil {
		return false
	}
	last := slices.Max(h.Clicked)
	for i, f := range fixed {
		if f < 0 && (h.Labels[i] == segment.Void || h.Picked[i] < last) {
			return false
		}
	}
	return true
}

// in returns the holds with indices of the classes in play as labels; nil when
// nothing is held.
func (h *Holds) in(index *[256]int16) *Holds {
	if h == nil || !slices.ContainsFunc(h.Labels, func(class uint8) bool { return class != segment.Void }) {
		return nil
	}
	out := *h
	out.Labels = slices.Clone(h.Labels)
	for i, class := range out.Labels {
		if class != segment.Void {
			out.Labels[i] = uint8(index[class])
		}
	}
	return &out
}

// keep puts back in x what is held: a picked superpixel keeps its class unless a
// path of superpixels that have all changed joins it to one that was clicked
// after the pick. Clicked superpixels stay. O(nodes + edges) for each round; few are needed.
func (h *Holds) keep(x []uint8, adjacent [][]int32) {
	changed := func(i int32) bool { return h.Picked[i] > 0 && x[i] != h.Labels[i] }
	latest := make([]int, len(x)) // click that the changed part around a superpixel is joined to
	for {
		clear(latest)
		again := false
		for start := range x {
			if !changed(int32(start)) || latest[start] != 0 {
				continue
			}
			part := []int32{int32(start)}
			latest[start] = -1
			click := 0
			for at := 0; at < len(part); at++ {
				for _, j := range adjacent[part[at]] {
					click = max(click, h.Clicked[j])
					if changed(j) && latest[j] == 0 {
						latest[j] = -1
						part = append(part, j)
					}
				}
			}
			for _, i := range part {
				if h.Picked[i] >= click {
					x[i] = h.Labels[i]
					again = true
				}
			}
		}
		if !again {
			return
		}
	}
}
