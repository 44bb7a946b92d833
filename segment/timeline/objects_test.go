package timeline

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/superpixels"
)

// speckled returns the cells of a small picture and their graph. Its pixels fill the
// words of a subset, so a step beyond the last one is out of range.
func speckled(seed uint64) (*superpixels.Runs, *superpixels.Graph) {
	rng := rand.New(rand.NewPCG(seed, 1))
	img := image.NewNRGBA(image.Rect(0, 0, 24, 16))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.IntN(256))
	}
	h := superpixels.NewHierarchy(img, 60)
	return h.Runs(), superpixels.Describe(img, h.At(h.Finest()))
}

// componentsOf numbers the connected cells of one label.
func componentsOf(g *superpixels.Graph, labels []uint8) []int {
	of := make([]int, len(labels))
	for i := range of {
		of[i] = i
	}
	for range labels { // as far as the longest way
		for _, e := range g.Edges {
			if labels[e.A] == labels[e.B] {
				of[e.A] = min(of[e.A], of[e.B])
				of[e.B] = of[e.A]
			}
		}
	}
	return of
}

// objectClass draws classes, one of them so often that it forms large components.
var objectClass = rapid.SampledFrom([]uint8{0, 1, 1, 1, segment.Void})

// drawObjects draws the labels of n cells and marks on them.
func drawObjects(t *rapid.T, n int) (labels []uint8, marks []segment.ObjectMark) {
	labels = make([]uint8, n)
	for i := range labels {
		labels[i] = objectClass.Draw(t, "label")
	}
	for range rapid.IntRange(0, 6).Draw(t, "marks") {
		m := segment.ObjectMark{Cell: rapid.Int32Range(0, int32(n-1)).Draw(t, "cell"), Class: rapid.Uint8Range(0, 2).Draw(t, "class"), Number: rapid.Int32Range(1, 3).Draw(t, "number")}
		marks = marked(marks, []segment.ObjectMark{m})
	}
	return labels, marks
}

// A component is divided exactly when it has marks: every cell belongs to one of
// its objects, each marked cell to its own, and each object holds together with
// its marks. The order of the marks counts for nothing.
func TestObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, g := speckled(rapid.Uint64Range(0, 3).Draw(t, "picture"))
		labels, marks := drawObjects(t, cells.N)
		list, of := Objects(g, labels, marks, nil)
		component := componentsOf(g, labels)
		told := map[int][]Object{}
		for _, m := range marks {
			if labels[m.Cell] != m.Class {
				continue
			}
			if got := list[of[m.Cell]]; got != (Object{m.Class, m.Number}) {
				t.Fatalf("the marked cell %d belongs to %v, want %v", m.Cell, got, m)
			}
			told[component[m.Cell]] = append(told[component[m.Cell]], Object{m.Class, m.Number})
		}
		own := slices.Clone(labels) // so that objects differ
		for cell, object := range of {
			if has := told[component[cell]]; labels[cell] == segment.Void || len(has) == 0 {
				if object >= 0 {
					t.Fatalf("cell %d of an unmarked component belongs to %v", cell, list[object])
				}
			} else if object < 0 || !slices.Contains(has, list[object]) {
				t.Fatalf("cell %d belongs to none of %v", cell, has)
			}
			if object >= 0 {
				own[cell] = 100 + uint8(object)
			}
		}
		parts := componentsOf(g, own)
		for cell, object := range of {
			if object >= 0 && !slices.ContainsFunc(marks, func(m segment.ObjectMark) bool { return parts[m.Cell] == parts[cell] && of[m.Cell] == object }) {
				t.Fatalf("cell %d is cut off from the marks of %v", cell, list[object])
			}
		}
		mixed := slices.Clone(marks)
		slices.Reverse(mixed)
		again, ofAgain := Objects(g, labels, mixed, nil)
		if d := cmp.Diff(list, again) + cmp.Diff(of, ofAgain); d != "" {
			t.Fatalf("in another order:\n%s", d)
		}
	})
}

// A step is as long as the way between the centroids, and longer over a contour.
func TestStepsOfObjects(t *testing.T) {
	g := &superpixels.Graph{
		Regions: []superpixels.Region{{}, {Centroid: [2]float32{3, 4}}, {Centroid: [2]float32{9, 9}}},
		Edges:   []superpixels.Edge{{A: 0, B: 1, Contour: 2}, {A: 1, B: 2}},
	}
	want := [][]neighbour{{{1, 1 + 256*5*3/2}}, {{0, 1 + 256*5*3/2}}, nil}
	if diff := cmp.Diff(want, neighbours(g, []uint8{1, 1, 2}), cmp.AllowUnexported(neighbour{})); diff != "" {
		t.Errorf("neighbours (-want +got):\n%s", diff)
	}
}

// Two marks divide a row of cells in the middle; without a second one it is one
// object; pixels that a repair adds go with those beside them.
func TestObjectsOfARow(t *testing.T) {
	const n = 8
	cells := strip(n)
	g := &superpixels.Graph{}
	for i := range n {
		g.Regions = append(g.Regions, superpixels.Region{Area: 3, Centroid: [2]float32{float32(3*i + 1), 0}})
		if i > 0 {
			g.Edges = append(g.Edges, superpixels.Edge{A: int32(i - 1), B: int32(i)})
		}
	}
	labels := []uint8{1, 1, 1, 1, 1, 1, 0, 1}
	one := segment.ObjectMark{Cell: 0, Class: 1, Number: 4}
	two := segment.ObjectMark{Cell: 5, Class: 1, Number: 2}
	pixels := cells.Spread(labels)
	pixels[18] = 1 // a repair within cell 6
	pixels[1] = 0
	for _, tt := range []struct {
		marks  []segment.ObjectMark
		of     []int32
		pixels string
	}{
		{nil, []int32{-1, -1, -1, -1, -1, -1, -1, -1}, "........................"},
		{[]segment.ObjectMark{one}, []int32{0, 0, 0, 0, 0, 0, -1, -1}, "0.00000000000000000....."},
		{[]segment.ObjectMark{one, two}, []int32{1, 1, 1, 0, 0, 0, -1, -1}, "1.11111110000000000....."},
		{[]segment.ObjectMark{{Cell: 6, Class: 1, Number: 1}}, []int32{-1, -1, -1, -1, -1, -1, -1, -1}, "........................"},
	} {
		list, of := Objects(g, labels, tt.marks, nil)
		if d := cmp.Diff(tt.of, of); d != "" {
			t.Errorf("%v: %s", tt.marks, d)
		}
		got := ""
		for _, o := range SpreadObjects(cells, pixels, list, of).Map().Labels {
			if o < 0 {
				got += "."
			} else {
				got += fmt.Sprint(o)
			}
		}
		want := ""
		for _, c := range tt.pixels {
			if c != ' ' {
				want += string(c)
			}
		}
		if got != want {
			t.Errorf("%v: pixels %s, want %s", tt.marks, got, want)
		}
	}
	g.Edges[1].Contour = 40 // a border in the picture keeps them apart
	if _, of := Objects(g, labels, []segment.ObjectMark{one, two}, nil); !slices.Equal(of[:6], []int32{1, 1, 0, 0, 0, 0}) {
		t.Errorf("with a border: %v", of)
	}
}
