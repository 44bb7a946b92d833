package engine

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/superpixels"
)

// twoSides is an embedding in which the cells left of the middle have one point and
// the others another, distance apart.
func twoSides(cells *superpixels.Graph, distance float64) *segment.Embedding {
	e := &segment.Embedding{Dims: 2, Scale: distance / 100}
	width := float32(0)
	for _, r := range cells.Regions {
		width = max(width, float32(r.Bounds.MaxX))
	}
	for _, r := range cells.Regions {
		v := uint8(128)
		if r.Centroid[0] > width/2 {
			v += 100
		}
		e.Values = append(e.Values, v, 128)
	}
	return e
}

// Points that differ make superpixels less probably of one class, points that
// don't more probably, and weights of nothing change nothing.
func TestEmbeddingsTellSuperpixelsApart(t *testing.T) {
	h, cells := blocks(240)
	cut := h.Cut(cells, 60, make([]uint8, h.Finest()), 0)
	plain := ModelOf(h, cells, cut, DefaultParameters)
	e := twoSides(cells, 1)
	if m := ModelOf(h, cells, cut, DefaultParameters).Embed(NewEmbedding(e, cut, cells)); !slices.Equal(m.conductances(), plain.conductances()) {
		t.Error("an embedding that counts for nothing changes conductances")
	}
	e.Borders, e.Pairs = segment.Likelihood{Bias: 0.5, Slope: -3}, segment.Likelihood{Bias: 1, Slope: -2}
	points := NewEmbedding(e, cut, cells)
	m := ModelOf(h, cells, cut, DefaultParameters).Embed(points)
	less, more := 0, 0
	for i, c := range m.conductances() {
		d, before := points.Distance(c.A, c.B), plain.conductances()[i].W
		switch {
		case d > 0.5 && c.W > before, d < 0.1 && c.W < before:
			t.Errorf("border %d, points %.2f apart: conductance %v, was %v", i, d, c.W, before)
		case c.W < before:
			less++
		case c.W > before:
			more++
		}
	}
	here, there := m.affinities().similarity(7, nil), plain.affinities().similarity(7, nil)
	for j, s := range here {
		d := points.Distance(7, int32(j))
		if d > 0.6 && s > there[j] || d < 0.4 && s < there[j] {
			t.Errorf("superpixels 7 and %d, points %.2f apart: similarity %v, was %v", j, d, s, there[j])
		}
	}
	if less == 0 || more == 0 {
		t.Errorf("%d borders conduct less and %d more", less, more)
	}
}

// The point of a superpixel is the mean of its pixels'.
func TestPointsOfSuperpixels(t *testing.T) {
	h, cells := blocks(240)
	cut := h.Cut(cells, 20, make([]uint8, h.Finest()), 0)
	e := &segment.Embedding{Dims: 1, Scale: 1}
	for i := range cells.Regions {
		e.Values = append(e.Values, uint8(i*37))
	}
	got := NewEmbedding(e, cut, cells)
	sums, areas := make([]float64, cut.N), make([]float64, cut.N)
	for cell, s := range cut.Parent {
		area := float64(cells.Regions[cell].Area)
		sums[s] += area * (float64(e.Values[cell]) - 128)
		areas[s] += area
		if d := math.Abs(float64(got.points[cut.N+cell]) - (float64(e.Values[cell]) - 128)); d > 1e-6 {
			t.Fatalf("the point of cell %d is off by %v", cell, d)
		}
	}
	for s := range sums {
		if d := math.Abs(float64(got.points[s]) - sums[s]/areas[s]); d > 1e-4 {
			t.Errorf("the point of superpixel %d is off by %v", s, d)
		}
	}
}

// Where clicks divide superpixels, the parts have their own points, and a reused
// model gives the same results as a new one.
func TestEmbeddingsOfDividedSuperpixels(t *testing.T) {
	h, cells := blocks(240)
	cut := h.Cut(cells, 60, make([]uint8, h.Finest()), 0)
	e := twoSides(cells, 1)
	e.Borders, e.Pairs = segment.Likelihood{Bias: 0.5, Slope: -3}, segment.Likelihood{Bias: 1, Slope: -2}
	model := func() *Model { return ModelOf(h, cells, cut, DefaultParameters).Embed(NewEmbedding(e, cut, cells)) }
	at := func(x, y int) int32 { return int32(h.Runs().At(x, y)) }
	divided := cut.Divide(cut.Around(cells, at(60, 40))).Divide(cut.Around(cells, at(20, 20)))
	clicks := slices.Repeat([]uint8{segment.Void}, divided.N)
	clicks[divided.Parent[at(60, 40)]], clicks[divided.Parent[at(20, 20)]] = 1, 0
	used := model()
	first(t, NewSequence(used, Evidence{Clicks: slices.Repeat([]uint8{1}, cut.N)}, 1), 1)
	used.Divided(cut.Divide(cut.Around(cells, at(90, 10)))).Prepare()
	want := first(t, NewSequence(model().Divided(divided), Evidence{Clicks: clicks}, 2), 5)
	if diff := cmp.Diff(want, first(t, NewSequence(used.Divided(divided), Evidence{Clicks: clicks}, 2), 5)); diff != "" {
		t.Errorf("after other work (-new +used):\n%s", diff)
	}
	plain := ModelOf(h, cells, cut, DefaultParameters).Divided(divided)
	borders, similar := 0, 0
	here, there := used.Divided(divided).affinities(), plain.affinities()
	for i, c := range here.conductances() {
		if int(c.A) >= cut.N && int(c.B) >= cut.N && c.W != there.conductances()[i].W {
			borders++
		}
	}
	for i, v := range here.similarity(divided.N-1, nil) {
		if i >= cut.N && v != there.similarity(divided.N-1, nil)[i] {
			similar++
		}
	}
	if borders == 0 || similar == 0 {
		t.Errorf("the embedding changes %d borders between parts and %d similarities of parts", borders, similar)
	}
}
