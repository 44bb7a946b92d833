package engine

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/superpixels"
)

// patchwork is an image of two textured halves with a disc, and its graph.
func patchwork(width, height, regions int) (*superpixels.Map, *superpixels.Graph) {
	img := patches(width, height)
	h, g := superpixels.Divide(img, regions)
	return h.At(regions), g
}

func patches(width, height int) *image.NRGBA {
	rng := rand.New(rand.NewPCG(3, 4))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			v := uint8(90 + rng.IntN(30))
			c := color.NRGBA{v, v / 2, 40, 255}
			if x > width/2 {
				c = color.NRGBA{40, v, v, 255}
			}
			if math.Hypot(float64(x-width/4), float64(y-height/2)) < float64(height)/5 {
				c = color.NRGBA{v, v, 250, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func unclicked(n int) []int16 {
	fixed := make([]int16, n)
	for i := range fixed {
		fixed[i] = -1
	}
	return fixed
}

func TestThreeClicksFindThreeParts(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	fixed := unclicked(m.N)
	fixed[m.At(200, 80)] = 0
	fixed[m.At(20, 20)] = 1
	fixed[m.At(60, 80)] = 2
	p, err := NewModel(g, DefaultParameters).Marginals(fixed, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ x, y, class int }{{130, 10, 0}, {130, 150, 0}, {110, 150, 1}, {5, 155, 1}, {75, 80, 2}, {60, 65, 2}} {
		row := p[m.At(c.x, c.y)*3:][:3]
		if row[c.class] < 0.6 {
			t.Errorf("at (%d, %d): probabilities %.2f, want class %d", c.x, c.y, row, c.class)
		}
	}
}

// A click decides regions that look like it, even where no path of its colour
// leads.
func TestAppearanceReachesAcrossTheImage(t *testing.T) {
	n := 6
	g := &superpixels.Graph{Regions: make([]superpixels.Region, n)}
	for i := range g.Regions {
		g.Regions[i] = superpixels.Region{
			Area: 3000, Bounds: superpixels.BoxOf(image.Rect(10*i, 0, 10*i+10, 300)), Centroid: [2]float32{float32(10*i) + 5, 150},
			Mean: [3]float32{float32(20 + 50*(i%2)), 0, 0},
		}
		if i > 0 {
			g.Edges = append(g.Edges, superpixels.Edge{A: int32(i - 1), B: int32(i), Length: 10, Contour: 40, MedianContour: 40, DeltaE: 50, Texture: 1})
		}
	}
	fixed := unclicked(n)
	fixed[0], fixed[1] = 0, 1
	near := HandMade
	far := near
	far.Jump = 0
	for name, p := range map[string]Parameters{"with": near, "without": far} {
		q, err := NewModel(g, p).Marginals(fixed, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := []bool{q[2*2] > 0.5, q[3*2] > 0.5, q[4*2] > 0.5}
		want := []bool{true, false, true}
		if name == "without" {
			want = []bool{false, false, false} // all next to the nearer click of class 1
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s appearance: superpixels 2 to 4 are of class 0 (-want +got):\n%s", name, diff)
		}
	}
}

func TestEvidenceModelProperties(t *testing.T) {
	m, g := patchwork(160, 120, 80)
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 5).Draw(t, "classes")
		fixed := unclicked(m.N)
		for l := range k {
			fixed[rapid.IntRange(0, m.N-1).Draw(t, "click")] = int16(l)
		}
		p, err := NewModel(g, DefaultParameters).Marginals(fixed, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.N {
			sum := 0.0
			for l, v := range p[i*k : (i+1)*k] {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("probability %v of class %d at superpixel %d", v, l, i)
				}
				sum += v
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("probabilities at superpixel %d add up to %v", i, sum)
			}
			if f := fixed[i]; f >= 0 && p[i*k+int(f)] != 1 {
				t.Fatalf("click %d at superpixel %d is contradicted", f, i)
			}
		}
		// The names of the classes don't matter.
		turned := make([]int16, m.N)
		for i, f := range fixed {
			turned[i] = f
			if f >= 0 {
				turned[i] = int16(k-1) - f
			}
		}
		q, err := NewModel(g, DefaultParameters).Marginals(turned, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.N {
			for l := range k {
				if d := math.Abs(p[i*k+l] - q[i*k+k-1-l]); d > 1e-9 {
					t.Fatalf("renamed classes change probability by %v", d)
				}
			}
		}
	})
}

// BenchmarkFirst measures what a person waits for after a click.
func BenchmarkFirst(b *testing.B) { benchmarkSequence(b, 1) }

// BenchmarkStrip measures all hypotheses that a click is answered with.
func BenchmarkStrip(b *testing.B) { benchmarkSequence(b, DefaultHypotheses) }

func benchmarkSequence(b *testing.B, hypotheses int) {
	h, g := superpixels.Divide(patches(480, 320), 600)
	w := h.At(600)
	for _, k := range []int{2, 5} {
		for _, clicks := range []int{k, 12, 60} {
			b.Run(fmt.Sprintf("n=600/k=%d/clicks=%d", k, clicks), func(b *testing.B) {
				labels := make([]uint8, w.N)
				for i := range labels {
					labels[i] = segment.Void
				}
				rng := rand.New(rand.NewPCG(1, 2))
				for range clicks {
					i := rng.IntN(w.N)
					labels[i] = uint8(int(g.Regions[i].Centroid[0]) * k / w.Width)
				}
				m := NewModel(g, DefaultParameters).Divide(h.Level(Regions(w.N)))
				for b.Loop() {
					if _, err := NewSequence(m, Evidence{Clicks: labels}, 1).At(context.Background(), hypotheses-1); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
