package engine

import (
	"slices"
	"testing"

	"collie/crf"
)

// A mask that is roughly right becomes exactly what looks like most of its inside, and
// neither specks nor whole images are mended.
func TestMasksMendedByTheirColours(t *testing.T) {
	g := gridGraph(20, 4)
	square := func(left, top, side int) []bool {
		in := make([]bool, len(g.Regions))
		for i := range in {
			x, y := i%20-left, i/20-top
			in[i] = x >= 0 && y >= 0 && x < side && y < side
		}
		return in
	}
	thing := square(6, 6, 8)
	for i := range g.Regions {
		for c := range g.Regions[i].Colours {
			bin := 3
			if thing[i] {
				bin = 11
			}
			g.Regions[i].Colours[c][bin] = 255
		}
	}
	m := NewModel(g, HandMade)
	edges := slices.Clone(m.borders().weights)
	for i := range edges {
		edges[i].W = 0.01
	}
	model := &crf.Model{Nodes: len(g.Regions), Labels: 2, Unary: make([]float64, 2*len(g.Regions)), Edges: edges}
	ladder, err := crf.NewLadder(model, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got [][]uint8
	mend := func(masks ...[]bool) (n int) {
		got = nil
		extents := make([]Extent, len(masks))
		for i := range masks {
			extents[i].Mask = masks[i]
		}
		if err := m.recolour(ladder, extents, func(x []uint8) { got = append(got, x) }); err != nil {
			t.Fatal(err)
		}
		return len(got)
	}
	if n := mend(square(8, 7, 7), square(3, 3, 2), square(9, 8, 7)); n != 3*2 { // the third is hardly larger than the first
		t.Errorf("%d masks, want 6", n)
	}
	for i, l := range got[4] { // of the larger square, without a shift
		if (l == 1) != thing[i] {
			t.Errorf("superpixel %d: %d, and it is of the thing: %t", i, l, thing[i])
		}
	}
	if n := mend(square(0, 0, 0), square(0, 0, 20)); n != 0 {
		t.Errorf("%d masks of nothing and of everything", n)
	}
}
