package engine

import (
	"encoding/json"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/affinity"
	"collie/superpixels"
)

// A graph stored before affinities were learned keeps the formulas of that time.
func TestOldGraphsGetHandMadeAffinities(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	old := &superpixels.Graph{Regions: g.Regions, Edges: g.Edges}
	model := NewModel(old, Learned(affinity.Default()))
	if diff := cmp.Diff(HandMade, model.Parameters); diff != "" {
		t.Errorf("parameters (-hand-made +got):\n%s", diff)
	}
	fixed := unclicked(m.N)
	fixed[3], fixed[140] = 0, 1
	p := map[*Model][]float64{}
	for _, made := range []*Model{model, NewModel(g, HandMade), NewModel(g, Learned(affinity.Default()))} {
		q, err := made.Marginals(fixed, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p[made] = q; made.Affinities == nil && !cmp.Equal(q, p[model]) {
			t.Error("the graph without merges gives other marginals than the formulas")
		} else if made.Affinities != nil && cmp.Equal(q, p[model]) {
			t.Error("learned affinities give the marginals of the formulas")
		}
	}
}

// Similarities are 0 to 1, 1 of a superpixel and itself, and the same when others
// were asked for in between, more than are kept.
func TestLikenesses(t *testing.T) {
	_, g := patchwork(240, 160, 150)
	p := Learned(affinity.Default())
	for name, a := range map[string]affinities{"learned": newLearned(g, &p, nil), "hand-made": newHandMade(g, &HandMade)} {
		before := append([]float64(nil), a.similarity(7, nil)...)
		if before[7] != 1 {
			t.Errorf("%s: similarity of a superpixel and itself is %v", name, before[7])
		}
		for i := range g.Regions {
			for j, v := range a.similarity(i, nil) {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("%s: similarity of %d and %d is %v", name, i, j, v)
				}
			}
		}
		if diff := cmp.Diff(before, a.similarity(7, nil)); diff != "" {
			t.Errorf("%s: similarities change:\n%s", name, diff)
		}
	}
	a := newLearned(g, &p, nil)
	if a.similarities = affinity.NewKept[[]float64](20); len(g.Regions) < 60 {
		t.Fatal("there are too few superpixels to forget some")
	}
	fresh := make([][]float64, len(g.Regions))
	for i := range fresh {
		fresh[i] = newLearned(g, &p, nil).similarity(i, nil)
	}
	for range 3 {
		for i := range g.Regions {
			if diff := cmp.Diff(fresh[i], a.similarity(i, nil)); diff != "" {
				t.Fatalf("of superpixel %d (-fresh +used):\n%s", i, diff)
			}
		}
	}
}

// Parameters name their affinities by number, which accompanies every digest.
func TestParametersNameTheirAffinities(t *testing.T) {
	m := affinity.Default()
	b, err := json.Marshal(Learned(m))
	if err != nil || !strings.Contains(string(b), `"affinities":"`+m.Number()+`"`) {
		t.Errorf("%s, %v: want the number %s", b, err, m.Number())
	}
	if b, err = json.Marshal(HandMade); err != nil || strings.Contains(string(b), "affinities") {
		t.Errorf("%s, %v: want no affinities", b, err)
	}
}

// Drawings are nothing like the photographs that affinities were learned from;
// still two clicks find the two halves of one, of whatever colours and size.
func TestTwoHalves(t *testing.T) {
	for _, size := range []image.Point{{120, 80}, {80, 120}, {400, 300}} {
		for name, colours := range map[string][2]color.NRGBA{
			"grey":   {{70, 70, 70, 255}, {190, 190, 190, 255}},
			"red":    {{0, 0, 60, 255}, {250, 0, 60, 255}},
			"greens": {{20, 120, 40, 255}, {40, 150, 60, 255}},
			"dark":   {{0, 0, 0, 255}, {40, 40, 40, 255}},
		} {
			for _, noise := range []int{0, 1, 12} {
				rng := rand.New(rand.NewPCG(1, uint64(noise)))
				img := image.NewNRGBA(image.Rectangle{Max: size})
				half := func(x int) int { return 2 * x / size.X }
				for y := range size.Y {
					for x := range size.X {
						c := colours[half(x)]
						for _, v := range []*uint8{&c.R, &c.G, &c.B} {
							*v += uint8(rng.IntN(noise+1)) / 2
						}
						img.SetNRGBA(x, y, c)
					}
				}
				h, g := superpixels.Divide(img, superpixels.DefaultRegions(size.X, size.Y))
				m := h.Runs().Map()
				fixed := unclicked(m.N)
				fixed[m.At(5, size.Y-10)], fixed[m.At(size.X-5, 5)] = 0, 1
				p, err := NewModel(g, Learned(affinity.Default())).Problem(fixed, 2, nil)
				if err != nil {
					t.Fatal(err)
				}
				for first, err := range p.Run(t.Context(), 1) {
					if err != nil {
						t.Fatal(err)
					}
					wrong := 0
					for i, r := range g.Regions {
						if int(first.Labels[i]) != half(int(r.Centroid[0])) {
							wrong += int(r.Area)
						}
					}
					if share := float64(wrong) / float64(size.X*size.Y); share > 0.02 {
						t.Errorf("%v, %s, noise %d: %.1f %% of the area is wrong", size, name, noise, 100*share)
					}
				}
			}
		}
	}
}
