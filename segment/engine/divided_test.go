package engine

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/affinity"
	"collie/superpixels"
)

// blocks is a hierarchy of noisy blocks.
func blocks(finest int) (*superpixels.Hierarchy, *superpixels.Graph) {
	rng := rand.New(rand.NewPCG(5, 6))
	img := image.NewNRGBA(image.Rect(0, 0, 150, 110))
	for p := range img.Pix {
		x, y := p/4%150, p/4/150
		img.Pix[p] = uint8(60*(x/30%3) + 40*(y/25%4) + rng.IntN(25))
	}
	return superpixels.Divide(img, finest)
}

// drawDivision draws superpixels that clicks divide, one click after the other.
func drawDivision(t *rapid.T, cut *superpixels.Cut, cells *superpixels.Graph) *superpixels.Cut {
	divided := cut
	for range rapid.IntRange(0, 3).Draw(t, "clicks") {
		cell := rapid.Int32Range(0, int32(len(cells.Regions)-1)).Draw(t, "cell")
		divided = divided.Divide(cut.Around(cells, cell))
	}
	return divided
}

// However many divisions came before, of whatever superpixels, a division has the
// affinities that it has when it is the first; and a superpixel keeps those to
// others while clicks divide neither.
func TestDivisionsDependOnNothingElse(t *testing.T) {
	h, cells := blocks(240)
	cut := h.Cut(cells, 60, make([]uint8, h.Finest()), 0)
	parameters := Learned(affinity.Default())
	used := ModelOf(h, cells, cut, parameters)
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		divided := drawDivision(t, cut, cells)
		m, again := used.Divided(divided), ModelOf(h, cells, cut, parameters).Divided(divided)
		if rapid.Bool().Draw(t, "forget") {
			used.whole.parts, used.whole.borders = nil, map[[2]int32]border{}
		}
		i := rapid.IntRange(0, divided.N-1).Draw(t, "superpixel")
		got, want := m.affinities(), again.affinities()
		if diff := cmp.Diff(want.conductances(), got.conductances()); diff != "" {
			t.Fatalf("conductances (-first +later):\n%s", diff)
		}
		if diff := cmp.Diff(want.similarity(i, nil), got.similarity(i, nil)); diff != "" {
			t.Fatalf("similarities of %d (-first +later):\n%s", i, diff)
		}
		if diff := cmp.Diff(again.borders(), m.borders(), cmp.AllowUnexported(borders{})); diff != "" {
			t.Fatalf("borders (-first +later):\n%s", diff)
		}
		clicks := clicksOn(divided.N, map[int]uint8{i: 1, (i + divided.N/2) % divided.N: 0})
		if divided.N > 1 {
			e := Evidence{Clicks: clicks, Rest: segment.Rest{Mode: segment.RestClass}}
			if diff := cmp.Diff(first(tb, NewSequence(again, e, 2), 3), first(tb, NewSequence(m, e, 2), 3)); diff != "" {
				t.Fatalf("hypotheses (-first +later):\n%s", diff)
			}
		}

		if m == used {
			return // nothing is divided
		}
		whole := func(r int) bool { return m.affinities().(*division).cell[r] < 0 }
		before := map[[2]int32]float64{}
		for _, e := range used.conductances() {
			before[[2]int32{e.A, e.B}] = e.W
		}
		for _, e := range got.conductances() {
			if whole(int(e.A)) && whole(int(e.B)) && e.W != before[[2]int32{e.A, e.B}] {
				t.Fatalf("conductance %v between the whole superpixels %d and %d, was %v", e.W, e.A, e.B, before[[2]int32{e.A, e.B}])
			}
		}
		if !whole(i) {
			return
		}
		was := used.affinities().similarity(i, nil)
		for j, v := range got.similarity(i, nil) {
			if whole(j) && v != was[j] {
				t.Fatalf("similarity %v of the whole superpixels %d and %d, was %v", v, i, j, was[j])
			}
		}
	})
}

// Without Local a division's model is that of any cut.
func TestDivisionsThatAreNotLocal(t *testing.T) {
	h, cells := blocks(240)
	cut := h.Cut(cells, 60, make([]uint8, h.Finest()), 0)
	divided := cut.Divide(cut.Around(cells, 100))
	parameters := Learned(affinity.Default())
	parameters.Local = false
	e := Evidence{Clicks: clicksOn(divided.N, map[int]uint8{3: 1, 50: 0})}
	want := first(t, NewSequence(ModelOf(h, cells, divided, parameters), e, 2), 5)
	if diff := cmp.Diff(want, first(t, NewSequence(ModelOf(h, cells, cut, parameters).Divided(divided), e, 2), 5)); diff != "" {
		t.Errorf("hypotheses (-whole +divided):\n%s", diff)
	}
}

// Images of a few hundred pixels have one superpixel, until a click divides it into
// cells.
func TestOneSuperpixel(t *testing.T) {
	for _, size := range []image.Point{{15, 15}, {16, 16}, {22, 22}, {510, 1}, {1, 511}} {
		h, cells := superpixels.Divide(patches(size.X, size.Y), 4)
		cut := h.Cut(cells, 1, make([]uint8, h.Finest()), 0)
		whole := ModelOf(h, cells, cut, DefaultParameters)
		m := whole.Divided(cut.Divide([]int32{0}))
		n := len(m.bounds)
		for name, e := range map[string]Evidence{
			"click":       {Clicks: clicksOn(n, map[int]uint8{0: 1})},
			"two clicks":  {Clicks: clicksOn(n, map[int]uint8{0: 1, n - 1: 2})},
			"box":         {Clicks: clicksOn(n, nil), Boxes: []Box{m.NewBox(1, m.bounds[0])}},
			"whole box":   {Clicks: clicksOn(n, nil), Boxes: []Box{m.NewBox(1, image.Rectangle{Max: size})}},
			"excluded":    {Clicks: clicksOn(n, map[int]uint8{0: 1}), Excluded: []Exclusion{{n - 1, 1}}},
			"on the rest": {Clicks: clicksOn(n, map[int]uint8{0: 1, n - 1: 0})},
		} {
			e.Rest = segment.Rest{Mode: segment.RestClass}
			t.Run(fmt.Sprint(size, name), func(t *testing.T) {
				s := NewSequence(m, e, 1)
				for rank, h := range first(t, s, min(25, s.Len())) {
					for i, class := range e.Clicks {
						if class != segment.Void && h.Labels[i] != class {
							t.Errorf("hypothesis %d gives superpixel %d class %d, the person said %d", rank, i, h.Labels[i], class)
						}
					}
				}
				if _, err := s.Suggest(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		undivided := NewSequence(whole, Evidence{Clicks: []uint8{1}, Rest: segment.Rest{Mode: segment.RestClass}}, 1)
		if h := first(t, undivided, 3)[2]; h.Labels[0] != 1 {
			t.Errorf("%v: the only superpixel was clicked as 1 and is %d", size, h.Labels[0])
		}
	}
}
