package superpixels

import (
	"image"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawCut draws a picture, its hierarchy and a labelling of the finest level.
func drawCut(t *rapid.T) (h *Hierarchy, fine *Map, g *Graph, apart []uint8) {
	img := drawPicture(t)
	h = NewHierarchy(img, rapid.IntRange(1, 150).Draw(t, "finest"))
	fine = h.At(h.Finest())
	apart = make([]uint8, fine.N)
	for range rapid.IntRange(0, 12).Draw(t, "labels") {
		i := rapid.IntRange(0, fine.N-1).Draw(t, "region")
		apart[i] = rapid.Uint8Range(0, 2).Draw(t, "class")
	}
	return h, fine, Describe(img, fine), apart
}

// coarsen returns the map that a cut makes of the finest one.
func coarsen(fine *Map, c *Cut) *Map { return fine.Runs().Coarsen(c.Parent, c.N).Map() }

// A cut keeps values apart, is no coarser than its level and not finer than
// it must be, and lower levels are nested in higher ones.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, fine, g, apart := drawCut(t)
		n := rapid.IntRange(0, fine.N+2).Draw(t, "n")
		cut := h.Cut(g, n, apart, 0)
		m := coarsen(fine, cut)
		checkMap(t, m, fine.Width, fine.Height, cut.N)
		level := h.At(n)
		checkNested(t, level, m)
		checkNested(t, m, fine)
		value := make([]int, cut.N)
		for i, p := range cut.Parent {
			if value[p] > 0 && value[p] != int(apart[i])+1 {
				t.Fatalf("region %d holds two values", p)
			}
			value[p] = int(apart[i]) + 1
		}
		above := make([]int32, cut.N) // region of the level
		for p, l := range m.Labels {
			above[l] = level.Labels[p]
		}
		values := map[int32]map[int]bool{}
		for l, above := range above {
			if values[above] == nil {
				values[above] = map[int]bool{}
			}
			if value[l] != 1 {
				values[above][value[l]] = true
			}
		}
		split := 0
		for _, v := range values {
			if len(v) > 1 {
				split++
			}
		}
		if split != cut.Split {
			t.Fatalf("Split = %d, want %d", cut.Split, split)
		}
		for _, e := range g.Coarsen(cut.Parent, cut.N).Edges {
			if above[e.A] == above[e.B] && value[e.A] == value[e.B] {
				t.Fatalf("regions %d and %d could be one", e.A, e.B)
			}
		}
		coarser := h.Cut(g, n/2, apart, 0)
		checkNested(t, coarsen(fine, coarser), m)
		if diff := cmp.Diff(cut, h.Cut(g, n, apart, 0)); diff != "" {
			t.Fatalf("the same cut made again: %s", diff)
		}
	})
}

// A cut of one value is the level.
func TestPlainCut(t *testing.T) {
	img := picture(60, 40, 8, 10, 3)
	h := NewHierarchy(img, 200)
	fine := h.At(200)
	for _, n := range []int{1, 2, 50, 200} {
		cut := h.Cut(Describe(img, fine), n, make([]uint8, 200), 0)
		if diff := cmp.Diff(h.At(n), coarsen(fine, cut)); diff != "" || cut.Split != 0 {
			t.Errorf("%d regions: split %d, %s", n, cut.Split, diff)
		}
	}
}

// The graph of a coarse map is what Describe measures on it, but for rounding
// and the median, which lies among the medians of the parts.
func TestCoarsenedGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		img := drawPicture(t)
		h := NewHierarchy(img, rapid.IntRange(1, 150).Draw(t, "finest"))
		fine := h.At(h.Finest())
		g := Describe(img, fine)
		cut := h.Cut(g, rapid.IntRange(1, fine.N).Draw(t, "n"), make([]uint8, fine.N), 0)
		got := g.Coarsen(cut.Parent, cut.N)
		want := Describe(img, coarsen(fine, cut))
		low, high := map[[2]int32]float32{}, map[[2]int32]float32{}
		for _, e := range g.Edges {
			key := [2]int32{min(cut.Parent[e.A], cut.Parent[e.B]), max(cut.Parent[e.A], cut.Parent[e.B])}
			if l, ok := low[key]; !ok || e.MedianContour < l {
				low[key] = e.MedianContour
			}
			high[key] = max(high[key], e.MedianContour)
		}
		for i := range got.Edges {
			e := &got.Edges[i]
			if key := [2]int32{e.A, e.B}; e.MedianContour < low[key] || e.MedianContour > high[key] {
				t.Fatalf("median %v outside %v to %v", e.MedianContour, low[key], high[key])
			}
			if i < len(want.Edges) {
				e.MedianContour = want.Edges[i].MedianContour
			}
		}
		near := cmp.Comparer(func(a, b float32) bool {
			return math.Abs(float64(a-b)) <= 2e-3*(1+math.Abs(float64(a))+math.Abs(float64(b)))
		})
		share := cmp.Comparer(func(a, b uint8) bool { return max(a, b)-min(a, b) <= 1 })
		if diff := cmp.Diff(want, got, near, share); diff != "" {
			t.Fatalf("(-described +coarsened):\n%s", diff)
		}
	})
}

// Shares of pixels are right in regions of many megapixels, also on 32 bits.
func TestSharesOfLargeRegions(t *testing.T) {
	g := &Graph{Regions: make([]Region, 2), Edges: []Edge{{A: 0, B: 1, Length: 5000}}}
	for i := range g.Regions {
		r := &g.Regions[i]
		r.Area, r.Bounds = 5000*1800, BoxOf(image.Rect(0, 1800*i, 5000, 1800*(i+1)))
		for c := range r.Colours {
			r.Colours[c][3+i] = 255
		}
		r.Directions[1] = 255
	}
	joined := g.Coarsen([]int32{0, 0}, 1).Regions[0]
	if colours := joined.Colours[2]; joined.Area != 18_000_000 || colours[3] != 128 || colours[4] != 128 || joined.Directions[1] != 255 {
		t.Errorf("colours %v, directions %v of %d pixels", colours, joined.Directions, joined.Area)
	}
}

// What a coarse level says of a cut it says of all that the cut's regions are
// made of.
func TestLevelOfACut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, fine, g, apart := drawCut(t)
		n := rapid.IntRange(1, fine.N).Draw(t, "regions")
		c := h.Cut(g, n, apart, 0)
		coarse := rapid.IntRange(1, n).Draw(t, "coarse")
		of, level := h.LevelOf(c, coarse), h.Level(coarse)
		if len(of) != c.N {
			t.Fatalf("%d regions, the cut has %d", len(of), c.N)
		}
		for i, parent := range c.Parent {
			if of[parent] != level[i] {
				t.Fatalf("region %d is said to be in %d, region %d of the finest level, a part of it, is in %d", parent, of[parent], i, level[i])
			}
		}
	})
}

// Dividing some regions of a cut into cells gives a nested map in which the
// others are what they were, and numbers that were there stay where they begin.
func TestDividedCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, fine, g, apart := drawCut(t)
		cut := h.Cut(g, rapid.IntRange(1, fine.N).Draw(t, "n"), apart, 0)
		chosen := rapid.SliceOf(rapid.Int32Range(0, int32(cut.N-1))).Draw(t, "regions")
		divided := cut.Divide(chosen)
		first := func(c *Cut) map[int32]int {
			cells := map[int32]int{}
			for cell, p := range c.Parent {
				if _, met := cells[p]; !met {
					cells[p] = cell
				}
			}
			return cells
		}
		before, after := first(cut), first(divided)
		if len(after) != divided.N {
			t.Fatalf("%d of %d numbers are used", len(after), divided.N)
		}
		for p, cell := range before {
			if after[p] != cell {
				t.Fatalf("region %d begins at cell %d, began at %d", p, after[p], cell)
			}
		}
		checkNested(t, coarsen(fine, cut), coarsen(fine, divided))
		cells := map[int32]int{}
		for _, p := range divided.Parent {
			cells[p]++
		}
		for cell, p := range cut.Parent {
			if slices.Contains(chosen, p) && cells[divided.Parent[cell]] != 1 {
				t.Fatalf("cell %d of region %d is still with others", cell, p)
			}
		}
		whole := divided.N
		for _, p := range slices.Compact(slices.Sorted(slices.Values(chosen))) {
			for _, q := range cut.Parent {
				if q == p {
					whole--
				}
			}
			whole++
		}
		if whole != cut.N {
			t.Fatalf("dividing %v of %d regions gives %d", chosen, cut.N, divided.N)
		}
	})
}

// The graph of a divided cut is the coarsened one, made from the graph of the cut
// before: edges between regions that are whole are those of that graph.
func TestDividedGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, fine, g, apart := drawCut(t)
		cut := h.Cut(g, rapid.IntRange(1, fine.N).Draw(t, "n"), apart, 0)
		divided := cut
		for range rapid.IntRange(0, 3).Draw(t, "times") {
			divided = divided.Divide(rapid.SliceOf(rapid.Int32Range(0, int32(cut.N-1))).Draw(t, "regions"))
		}
		if divided.Undivided() != cut {
			t.Fatal("a divided cut has forgotten what it was made from")
		}
		undivided := g.Coarsen(cut.Parent, cut.N)
		want := g.Coarsen(divided.Parent, divided.N)
		d := g.Divided(undivided, divided)
		if diff := cmp.Diff(want, d.Graph); diff != "" {
			t.Fatalf("(-coarsened +divided):\n%s", diff)
		}
		parts := make([]int, divided.N)
		for _, p := range divided.Parent {
			parts[p]++
		}
		for r, cell := range d.Cell {
			if whole := r < cut.N && parts[r] == len(members(cut, r)); (cell < 0) != whole {
				t.Fatalf("region %d is cell %d and has %d parts", r, cell, parts[r])
			}
			if cell >= 0 && (int(divided.Parent[cell]) != r || parts[r] != 1) {
				t.Fatalf("region %d, of %d cells, is said to be cell %d", r, parts[r], cell)
			}
		}
		for i, from := range d.From {
			if e := d.Graph.Edges[i]; (from < 0) != (d.Cell[e.A] >= 0 || d.Cell[e.B] >= 0) {
				t.Fatalf("edge %v is said to be edge %d of the undivided graph", e, from)
			} else if from >= 0 && undivided.Edges[from] != e {
				t.Fatalf("edge %v was %v", e, undivided.Edges[from])
			}
		}
	})
}

// members are the cells of a region.
func members(c *Cut, region int) (cells []int32) {
	for cell, p := range c.Parent {
		if int(p) == region {
			cells = append(cells, int32(cell))
		}
	}
	return cells
}

// The shells up to a number hold what a coarser level has around the region.
func TestShells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, fine, g, _ := drawCut(t)
		n := rapid.IntRange(1, fine.N).Draw(t, "n")
		cut := h.Cut(g, n, make([]uint8, fine.N), 0) // a level, so regions of coarser ones are unions
		region := rapid.IntRange(0, cut.N-1).Draw(t, "region")
		shell := h.Shells(cut, region)
		if own := shell[region]; own != slices.Min(shell) {
			t.Fatalf("region %d itself is in shell %d of %v", region, own, shell)
		}
		coarse := h.Cut(g, rapid.IntRange(1, n).Draw(t, "coarser"), make([]uint8, fine.N), 0)
		around := coarse.Parent[slices.Index(cut.Parent, int32(region))]
		inside, outside := int32(-1), int32(1<<30)
		for cell, p := range cut.Parent {
			if coarse.Parent[cell] == around {
				inside = max(inside, shell[p])
			} else {
				outside = min(outside, shell[p])
			}
		}
		if inside >= outside {
			t.Fatalf("shells %v: up to %d inside a coarser region around region %d, from %d outside", shell, inside, region, outside)
		}
	})
}

// The merges of a level's graph are those of the hierarchy from there on, and
// those of any cut end in one region and keep together what the level does.
func TestCoarsenedMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, _, g, apart := drawCut(t)
		g.Merges = h.merges
		n := rapid.IntRange(1, h.Finest()).Draw(t, "n")
		lower := rapid.IntRange(1, n).Draw(t, "lower")
		plain := h.Cut(g, n, make([]uint8, len(apart)), 0)
		coarse := Hierarchy{finest: h.Runs().Coarsen(plain.Parent, plain.N), merges: g.Coarsen(plain.Parent, plain.N).Merges}
		if diff := cmp.Diff(h.At(lower), coarse.At(lower)); diff != "" {
			t.Fatalf("level %d, of the hierarchy and of the cut:\n%s", lower, diff)
		}
		cut := h.Cut(g, n, apart, 0)
		merges := g.Coarsen(cut.Parent, cut.N).Merges
		whole := Hierarchy{finest: h.Runs().Coarsen(cut.Parent, cut.N), merges: merges}
		data, err := whole.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Hierarchy).UnmarshalBinary(data); err != nil {
			t.Fatalf("merges of a cut are no hierarchy: %v", err)
		}
	})
}
