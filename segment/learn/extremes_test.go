package learn

import (
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/superpixels"
)

// halves is a picture of a light above a dark half, of about so many superpixels.
func halves(t *testing.T, id string, width, height, n int) Example {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), uint64(len(id))))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			v := uint8(60 + rng.IntN(40))
			if 2*y < height {
				v += 110
			}
			img.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	h, finest := superpixels.Divide(img, n)
	f := Describe(img, h, finest, n)
	cut := h.Cut(finest, n, make([]uint8, h.Finest()), 0)
	g := finest.Coarsen(cut.Parent, cut.N)
	e := Example{ID: id, Features: f, Graph: func() (*superpixels.Graph, error) { return g, nil }}
	for _, r := range g.Regions {
		e.Labels = append(e.Labels, map[bool]uint8{true: 3, false: 8}[2*int(r.Centroid[1]) < height])
	}
	return e
}

// Images of a handful of superpixels and of forty thousand teach the same: what
// is learned from some holds for the others.
func TestFewAndManySuperpixels(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: an image of 40,000 superpixels")
	}
	var examples []Example
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		examples = append(examples, halves(t, id, 24, 16, 4))
	}
	many := halves(t, "many", 640, 480, 40_000)
	if few := examples[0].Features.N; few < 2 || few > 8 || many.Features.N < 30_000 {
		t.Fatalf("%d and %d superpixels", few, many.Features.N)
	}
	for name, learned := range map[string][]Example{"few": examples, "few and many": append(slices.Clone(examples), many)} {
		m, err := Train(t.Context(), learned, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.classifier == nil {
			t.Fatalf("%s: nothing learned", name)
		}
		for _, e := range []Example{examples[0], many} {
			p := m.predict(e.Features)
			right, k := 0, len(m.classes)
			for i, l := range e.Labels {
				row := p[i*k:][:k]
				if m.classes[slices.Index(row, slices.Max(row))] == l {
					right++
				}
			}
			if part := float64(right) / float64(len(e.Labels)); part < 0.75 {
				t.Errorf("%s: %.2f of the %d superpixels of %s are right", name, part, e.Features.N, e.ID)
			}
		}
	}
}
