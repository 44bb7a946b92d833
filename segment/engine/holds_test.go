package engine

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/schedule"
)

// newHolds returns the holds of n superpixels before any evidence.
func newHolds(n int) *Holds {
	return &Holds{slices.Repeat([]uint8{segment.Void}, n), make([]int, n), make([]int, n)}
}

// click notes clicks: they win over picks made before them.
func (h *Holds) click(at int, nodes ...int) {
	for _, i := range nodes {
		h.Clicked[i] = at
		h.Labels[i], h.Picked[i] = segment.Void, 0
	}
}

// pick notes that superpixels have been picked with the given classes, labels
// per superpixel of the map; picks of undecided hold nothing.
func (h *Holds) pick(at int, labels []uint8, nodes ...int) {
	for _, i := range nodes {
		h.Labels[i], h.Picked[i] = labels[i], at
		if labels[i] == segment.Void {
			h.Picked[i] = 0
		}
	}
}

// release takes clicks and picks away.
func (h *Holds) release(nodes ...int) {
	for _, i := range nodes {
		h.Labels[i], h.Picked[i], h.Clicked[i] = segment.Void, 0, 0
	}
}

// history plays random clicks, picks of whole hypotheses and of regions, and
// clears on the superpixels of a model, with the hypotheses that the engine makes
// of them, and calls check after each event.
func history(t *rapid.T, m *Model, check func(h *Holds, clicks []uint8, s *Sequence, shown []uint8)) {
	n := len(m.shares)
	rest := rapid.SampledFrom([]segment.Rest{
		{}, {Mode: segment.RestClass}, {Mode: segment.RestUndecided}, {Mode: segment.RestFirst},
	}).Draw(t, "rest")
	holds, clicks := newHolds(n), clicksOn(n, nil)
	var s *Sequence
	var shown []uint8
	last := 0
	for event := range rapid.IntRange(2, 8).Draw(t, "events") {
		node := rapid.IntRange(0, n-1).Draw(t, "superpixel")
		kind := rapid.SampledFrom([]string{"click", "click", "card", "region", "clear"}).Draw(t, "kind")
		if s == nil || s.Len() == 0 {
			kind = "click"
		}
		switch kind {
		case "click":
			clicks[node] = rapid.SampledFrom([]uint8{0, 1, 2}).Draw(t, "class")
			holds.click(event+1, node)
			last = node
		case "clear":
			clicks[node] = segment.Void
			holds.release(node)
		default:
			h, err := s.At(t.Context(), rapid.IntRange(0, min(3, s.Len()-1)).Draw(t, "rank"))
			if err != nil {
				t.Fatal(err)
			}
			var picked []int
			for i := range n {
				if clicks[i] == segment.Void && (kind == "card" || i%7 == node%7) {
					picked = append(picked, i)
				}
			}
			holds.pick(event+1, h.Labels, picked...)
			shown = h.Labels
		}
		e := Evidence{Clicks: slices.Clone(clicks), Rest: rest, Holds: &Holds{slices.Clone(holds.Labels), slices.Clone(holds.Picked), slices.Clone(holds.Clicked)}}
		if clicks[last] != segment.Void {
			e.Shown, e.Since = shown, []int32{int32(last)}
		}
		s = NewSequence(m, e, event+1)
		check(holds, clicks, s, shown)
		if s.Len() > 0 {
			h, err := s.At(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			shown = h.Labels
		}
	}
}

// TestAPickLasts checks the promise over random histories: in no hypothesis does a
// picked superpixel have another class unless a path of changed superpixels joins
// it to a click made after the pick; and no click is contradicted.
func TestAPickLasts(t *testing.T) {
	m := NewModel(gridGraph(7, 5), DefaultParameters)
	adjacent := m.around()
	rapid.Check(t, func(t *rapid.T) {
		history(t, m, func(h *Holds, clicks []uint8, s *Sequence, _ []uint8) {
			for rank := range min(4, s.Len()) {
				x, err := s.At(t.Context(), rank)
				if err != nil {
					t.Fatal(err)
				}
				for i, c := range clicks {
					if c != segment.Void && x.Labels[i] != c {
						t.Fatalf("hypothesis %d gives superpixel %d class %d, clicked was %d", rank, i, x.Labels[i], c)
					}
				}
				for i, held := range h.Labels {
					if held != segment.Void && x.Labels[i] != held && !released(h, x.Labels, adjacent, i) {
						t.Fatalf("hypothesis %d changes superpixel %d from %d, picked by event %d, to %d; no later click is joined to it",
							rank, i, held, h.Picked[i], x.Labels[i])
					}
				}
			}
		})
	})
}

// released looks for the path, depth first.
func released(h *Holds, x []uint8, adjacent [][]int32, from int) bool {
	seen := map[int]bool{from: true}
	var walk func(i int) bool
	walk = func(i int) bool {
		for _, j := range adjacent[i] {
			j := int(j)
			if h.Clicked[j] > h.Picked[from] {
				return true
			}
			if !seen[j] && h.Picked[j] > 0 && x[j] != h.Labels[j] {
				seen[j] = true
				if walk(j) {
					return true
				}
			}
		}
		return false
	}
	return walk(from)
}

func TestKeepByHand(t *testing.T) {
	// Six superpixels in a row; 1 to 4 were picked, 3 by a later pick, 0 was clicked between the two.
	adjacent := [][]int32{{1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4}}
	h := newHolds(6)
	h.pick(1, []uint8{0, 1, 1, 1, 1, 0}, 1, 2, 3, 4)
	h.click(2, 0)
	h.pick(3, []uint8{0, 1, 1, 1, 1, 0}, 3)
	x := []uint8{0, 0, 0, 0, 0, 0}
	if h.keep(x, adjacent); !slices.Equal(x, []uint8{0, 0, 0, 1, 1, 0}) {
		t.Errorf("%v; the click takes back what it reaches, 3 stays and 4 behind it", x)
	}
	h.click(4, 5)
	x = []uint8{0, 1, 1, 0, 0, 0}
	if h.keep(x, adjacent); !slices.Equal(x, []uint8{0, 1, 1, 0, 0, 0}) {
		t.Errorf("%v; the click on 5 is later than both picks", x)
	}
	h.release(3)
	h.pick(5, []uint8{0, 0, 0, 0, segment.Void, 0}, 4)
	if h.keep(x, adjacent); !slices.Equal(x, []uint8{0, 1, 1, 0, 0, 0}) {
		t.Error("what was released, or picked as undecided, is put back")
	}
}

// After an acceptance all hypotheses are the first one, which is made once, also when
// many are asked for.
func TestSettledIsMadeOnce(t *testing.T) {
	m, h, clicks := NewModel(gridGraph(8, 3), DefaultParameters), newHolds(64), clicksOn(64, map[int]uint8{0: 0, 63: 1})
	h.click(1, 0)
	h.click(2, 63)
	accepted := first(t, NewSequence(m, Evidence{Clicks: clicks, Holds: h}, 2), 1)[0]
	every := make([]int, 64)
	for i := range every {
		every[i] = i
	}
	h.pick(3, accepted.Labels, every...)
	s, turns := NewSequence(m, Evidence{Clicks: clicks, Holds: h}, 3), 0
	s.TakeTurns(func(_ context.Context, _ schedule.Class, step func()) error {
		turns++
		step()
		return nil
	})
	made := first(t, s, 30)
	for rank, got := range made {
		if got.Rank != rank || got.Digest != made[0].Digest || got.Energy != made[0].Energy || !slices.Equal(got.Labels, accepted.Labels) {
			t.Errorf("hypothesis %d is %d, %s, not the accepted one", rank, got.Rank, got.Digest)
		}
	}
	if turns != 1 {
		t.Errorf("30 equal hypotheses took %d turns", turns)
	}
}

// Picks of one class along the whole border, such as those of an imported mask, and the
// rest, which leans in from there, are in an exact tie, which the picks win.
func TestPicksAlongTheBorder(t *testing.T) {
	for _, side := range []int{1, 2, 4} {
		n := side * side
		m := NewModel(gridGraph(side, 1), DefaultParameters)
		holds := newHolds(n)
		for i, rim := range m.rim {
			if rim {
				holds.Labels[i], holds.Picked[i] = 5, 1
			}
		}
		for _, rest := range []segment.Rest{{Mode: segment.RestClass, Class: 3}, {Mode: segment.RestClass, Class: 9}, {Mode: segment.RestUndecided}} {
			s := NewSequence(m, Evidence{Clicks: clicksOn(n, nil), Holds: holds, Rest: rest}, 1)
			if h := first(t, s, 1)[0]; slices.ContainsFunc(h.Labels, func(class uint8) bool { return class != 5 }) {
				t.Errorf("%d × %d superpixels, the rest is %v: %v", side, side, rest, h.Labels)
			}
		}
	}
}
