package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/crf"
	"collie/herding"
	"collie/segment"
	"collie/segment/schedule"
)

// The predicted result of an answer is its actual result, for each class, with
// jumps to similar clicks and with a guess.
func TestAfterIsMarginalsAfterTheClick(t *testing.T) {
	m, g := patchwork(160, 120, 80)
	const k = 3
	rng := rand.New(rand.NewPCG(1, 2))
	guess := &herding.Prior{Weight: make([]float64, m.N), Share: make([]float64, m.N*k)}
	for i := range m.N {
		if rng.IntN(3) > 0 { // elsewhere nothing is known
			guess.Weight[i] = 0.01 * rng.Float64()
			guess.Share[i*k+rng.IntN(k)] = 1
		}
	}
	fixed := unclicked(m.N)
	for l := range k {
		fixed[7+20*l] = int16(l)
	}
	for name, pull := range map[string]*herding.Prior{"clicks": nil, "clicks and a guess": guess} {
		model := NewModel(g, DefaultParameters)
		after := model.After(fixed, k, pull)
		for _, node := range []int{0, 30, m.N - 1} {
			q, err := after(node)
			if err != nil {
				t.Fatal(err)
			}
			q = slices.Clone(q)
			for l := range k {
				answered := slices.Clone(fixed)
				answered[node] = int16(l)
				want, err := model.Marginals(answered, k, pull)
				if err != nil {
					t.Fatal(err)
				}
				for i := range m.N {
					for c := range k {
						got := q[i*(k+1)+c]
						if c == l {
							got += q[i*(k+1)+k]
						}
						if math.Abs(got-want[i*k+c]) > 1e-12 {
							t.Fatalf("%s, answer %d at superpixel %d: p_%d(%d) = %v, want %v", name, l, node, i, c, got, want[i*k+c])
						}
					}
				}
			}
		}
	}
}

func TestSuggest(t *testing.T) {
	g := gridGraph(8, 5)
	clicks := clicksOn(64, map[int]uint8{0: 3, 63: 9})
	s := NewSequence(NewModel(g, DefaultParameters), Evidence{Clicks: clicks}, 2)
	got, err := s.Suggest(t.Context())
	if err != nil || len(got) < 2 || len(got) > mostSuggestions {
		t.Fatalf("suggested %+v, %v; want 2 to %d superpixels", got, err, mostSuggestions)
	}
	for i, next := range got {
		if clicks[next.Superpixel] != segment.Void || next.Gain <= 0 || next.Gain > 1 || i > 0 && next.Gain > got[i-1].Gain {
			t.Errorf("suggestion %d is %+v; want superpixels without a click that help, the most useful first", i, next)
		}
	}
	if len(s.made) > 0 {
		t.Error("a suggestion made hypotheses")
	}
	clicked := slices.Repeat([]uint8{3}, 64)
	clicked[63] = 9
	for name, clicks := range map[string][]uint8{"no click": clicksOn(64, nil), "one class": clicksOn(64, map[int]uint8{5: 1}), "all clicked": clicked} {
		got, err := NewSequence(NewModel(g, DefaultParameters), Evidence{Clicks: clicks}, 1).Suggest(t.Context())
		if err != nil || got != nil {
			t.Errorf("%s: %+v, %v; want nothing to ask", name, got, err)
		}
	}
}

// A suggestion takes turns, so that it can be refused and given up between two of them.
func TestSuggestWaitsItsTurn(t *testing.T) {
	busy := errors.New("busy")
	s := NewSequence(NewModel(gridGraph(8, 5), DefaultParameters), Evidence{Clicks: clicksOn(64, map[int]uint8{0: 3, 63: 9})}, 2)
	turns := 0
	s.turn = func(_ context.Context, class schedule.Class, step func()) error {
		if class != schedule.Later {
			t.Errorf("a turn of class %v", class)
		}
		if turns++; turns == 3 {
			return busy
		}
		step()
		return nil
	}
	if got, err := s.Suggest(t.Context()); !errors.Is(err, busy) || got != nil {
		t.Errorf("refused the third turn: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Suggest(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// With so many classes that an answer can't have a label of its own, it takes turns all
// the same, and nothing is done before the first.
func TestSuggestAmongAllClasses(t *testing.T) {
	labels := map[int]uint8{}
	for i := range crf.MaxLabels {
		labels[i] = uint8(i)
	}
	s := NewSequence(NewModel(gridGraph(20, 5), DefaultParameters), Evidence{Clicks: clicksOn(400, labels)}, 2)
	busy := errors.New("busy")
	s.turn = func(context.Context, schedule.Class, func()) error { return busy }
	if got, err := s.Suggest(t.Context()); !errors.Is(err, busy) {
		t.Errorf("refused its turn: %+v, %v", got, err)
	}
	s.turn = func(_ context.Context, _ schedule.Class, step func()) error {
		step()
		return nil
	}
	if got, err := s.Suggest(t.Context()); err != nil || len(got) == 0 {
		t.Errorf("suggested %+v, %v", got, err)
	}
}

// BenchmarkSuggest measures what a person waits for after W.
func BenchmarkSuggest(b *testing.B) {
	m, g := patchwork(480, 320, 600)
	for _, clicks := range []int{4, 60} {
		labels := clicksOn(m.N, nil)
		rng := rand.New(rand.NewPCG(1, 2))
		for range clicks {
			i := rng.IntN(m.N)
			labels[i] = uint8(int(g.Regions[i].Centroid[0]) * 2 / m.Width)
		}
		model := NewModel(g, DefaultParameters)
		b.Run(fmt.Sprintf("n=600/k=2/clicks=%d", clicks), func(b *testing.B) {
			for b.Loop() {
				if _, err := NewSequence(model, Evidence{Clicks: labels}, 1).Suggest(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
