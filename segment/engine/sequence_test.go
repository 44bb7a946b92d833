package engine

import (
	"context"
	"errors"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/herding"
	"collie/herding/choose"
	"collie/segment"
	"collie/segment/schedule"
	"collie/superpixels"
)

// gridGraph is the graph of a side×side grid of superpixels with random border
// contrasts, made without an image so that it never changes.
func gridGraph(side int, seed uint64) *superpixels.Graph {
	rng := rand.New(rand.NewPCG(seed, 0))
	g := &superpixels.Graph{Regions: make([]superpixels.Region, side*side)}
	edge := func(a, b int) {
		g.Edges = append(g.Edges, superpixels.Edge{
			A: int32(a), B: int32(b), Length: int32(1 + rng.IntN(30)),
			Contour: 20 * rng.Float32(), DeltaE: 40 * rng.Float32() * rng.Float32(), Texture: 5 * rng.Float32(),
		})
	}
	for i := range g.Regions {
		x, y := i%side*20, i/side*20
		g.Regions[i] = superpixels.Region{
			Area: int32(100 + rng.IntN(400)), Bounds: superpixels.BoxOf(image.Rect(x, y, x+20, y+20)), Centroid: [2]float32{float32(x + 10), float32(y + 10)},
			Mean: [3]float32{100 * rng.Float32(), 0, 0}, Cov: [6]float32{0: 4 * rng.Float32()},
		}
		if i%side < side-1 {
			edge(i, i+1)
		}
		if i+side < len(g.Regions) {
			edge(i, i+side)
		}
	}
	return g
}

// clicksOn returns the clicks on n superpixels, where most have none.
func clicksOn(n int, at map[int]uint8) []uint8 {
	clicks := slices.Repeat([]uint8{segment.Void}, n)
	for i, c := range at {
		clicks[i] = c
	}
	return clicks
}

func first(t testing.TB, s *Sequence, count int) []Hypothesis {
	t.Helper()
	for rank := range count {
		if _, err := s.At(t.Context(), rank); err != nil {
			t.Fatal(err)
		}
	}
	return s.made[:count]
}

func TestSequenceWithoutAlternatives(t *testing.T) {
	g := gridGraph(4, 1)
	none := NewSequence(NewModel(g, DefaultParameters), Evidence{Clicks: clicksOn(16, nil)}, 0)
	if none.Len() != 0 || len(none.Classes()) != 0 {
		t.Errorf("without a click there are %d hypotheses of classes %v, want none", none.Len(), none.Classes())
	}
	if _, err := none.At(t.Context(), 0); segment.KindOf(err) != segment.Invalid || !strings.Contains(err.Error(), "nothing has been clicked") {
		t.Errorf("At(0) without a click: %v", err)
	}
	one := NewSequence(NewModel(g, DefaultParameters), Evidence{Clicks: clicksOn(16, map[int]uint8{3: 7, 5: 7})}, 2)
	if one.Len() != 1 {
		t.Fatalf("with one class there are %d hypotheses, want 1", one.Len())
	}
	if diff := cmp.Diff(slices.Repeat([]uint8{7}, 16), first(t, one, 1)[0].Labels); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := one.At(t.Context(), 1); segment.KindOf(err) != segment.Invalid {
		t.Errorf("At(1) with one class: %v, want an Invalid error", err)
	}
}

func TestClicksAreNeverContradicted(t *testing.T) {
	g := gridGraph(8, 2)
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.MapOfN(rapid.IntRange(0, 63), rapid.Uint8Range(0, 4), 2, 12).Draw(t, "clicks")
		clicks := clicksOn(64, at)
		s := NewSequence(NewModel(g, DefaultParameters), Evidence{Clicks: clicks}, len(at))
		for rank := range min(s.Len(), 6) {
			h, err := s.At(context.Background(), rank)
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range h.Labels {
				if clicks[i] != segment.Void && l != clicks[i] {
					t.Fatalf("hypothesis %d gives superpixel %d class %d, the person said %d", rank, i, l, clicks[i])
				}
				if !slices.Contains(s.Classes(), int(l)) {
					t.Fatalf("hypothesis %d uses class %d, which is not in play %v", rank, l, s.Classes())
				}
			}
		}
	})
}

func TestSequenceIsSharedAndStops(t *testing.T) {
	s := NewSequence(NewModel(gridGraph(8, 3), DefaultParameters), Evidence{Clicks: clicksOn(64, map[int]uint8{0: 0, 63: 1, 7: 2})}, 3)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := s.At(stopped, 0); err != context.Canceled {
		t.Fatalf("At with a cancelled context: %v", err)
	}
	var got [4][]Hypothesis
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			for rank := range 10 {
				h, err := s.At(t.Context(), rank)
				if err != nil {
					t.Error(err)
				}
				got[i] = append(got[i], h)
			}
		})
	}
	wg.Wait()
	alone := first(t, NewSequence(NewModel(gridGraph(8, 3), DefaultParameters), Evidence{Clicks: clicksOn(64, map[int]uint8{0: 0, 63: 1, 7: 2})}, 3), 10)
	for _, g := range got {
		if diff := cmp.Diff(alone, g); diff != "" {
			t.Errorf("shared sequence differs from one of its own (-own +shared):\n%s", diff)
		}
	}
}

// A sequence that has rested goes on as one that has not.
func TestRest(t *testing.T) {
	evidence := Evidence{Clicks: clicksOn(64, map[int]uint8{0: 0, 63: 1, 7: 2})}
	m := NewModel(gridGraph(8, 3), DefaultParameters)
	whole, rested := NewSequence(m, evidence, 3), NewSequence(m, evidence, 3)
	rested.Rest() // before anything is made
	for _, count := range []int{3, 20, 25} {
		first(t, rested, count)
		if rested.Rest(); rested.stream != nil {
			t.Fatalf("after %d hypotheses it keeps what makes them", count)
		}
	}
	if diff := cmp.Diff(first(t, whole, 30), first(t, rested, 30)); diff != "" {
		t.Errorf("(-one that never rested +one that did):\n%s", diff)
	}
	rested.making <- struct{}{} // somebody makes one
	if rested.Rest(); rested.stream == nil {
		t.Error("it rests while somebody makes a hypothesis")
	}
}

// What was made before a rest is made again in as many turns, so that nobody's click
// waits for all of it.
func TestRestInTurns(t *testing.T) {
	s, turns := NewSequence(NewModel(gridGraph(8, 3), DefaultParameters), Evidence{Clicks: clicksOn(64, map[int]uint8{0: 0, 63: 1, 7: 2})}, 3), 0
	s.TakeTurns(func(_ context.Context, _ schedule.Class, step func()) error {
		turns++
		step()
		return nil
	})
	first(t, s, 29)
	before := turns
	s.Rest()
	turns = 0
	if first(t, s, 30); turns < before {
		t.Errorf("30 hypotheses after a rest took %d turns, 29 before it %d", turns, before)
	}
}

// A sequence that can't start says why each time that it is asked.
func TestFailedStart(t *testing.T) {
	for name, m := range map[string]*Model{
		"Herding alone":       NewModel(gridGraph(2, 1), DefaultParameters),
		"with forced regions": NewModel(gridGraph(2, 1), DefaultParameters).Divide(make([]int32, 4)),
	} {
		s := &stream{model: m, problem: &herding.Problem{}}
		for range 2 {
			if _, err := s.step(); err == nil {
				t.Errorf("%s: a problem without a model has a hypothesis", name)
			}
		}
	}
}

// Finished hypotheses are available to everybody, even while the next step waits
// for its turn.
func TestMadeHypothesesDoNotWait(t *testing.T) {
	s := NewSequence(NewModel(gridGraph(8, 3), DefaultParameters), Evidence{Clicks: clicksOn(64, map[int]uint8{0: 0, 63: 1, 7: 2})}, 3)
	waits, free := make(chan struct{}), make(chan struct{})
	waiting := sync.OnceFunc(func() { close(waits) })
	s.TakeTurns(func(_ context.Context, class schedule.Class, step func()) error {
		if class == schedule.Later {
			waiting()
			<-free
		}
		step()
		return nil
	})
	made := first(t, s, 1)[0]
	var later sync.WaitGroup
	later.Go(func() {
		if _, err := s.At(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})
	<-waits
	if again, err := s.At(t.Context(), 0); err != nil || again.Digest != made.Digest {
		t.Errorf("while the second is made: digest %v, %v; want %v", again.Digest, err, made.Digest)
	}
	close(free)
	later.Wait()
}

// What is foreseen waits behind everybody, is as long as it would be shown, and is
// there at once when it is asked for.
func TestForesee(t *testing.T) {
	for name, test := range map[string]struct {
		at   map[int]uint8
		made int
	}{
		"three classes": {map[int]uint8{0: 0, 63: 1, 7: 2}, 12},
		"one class":     {map[int]uint8{0: 0}, 1},
		"nothing":       {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSequence(NewModel(gridGraph(8, 3), DefaultParameters), Evidence{Clicks: clicksOn(64, test.at)}, 3)
			turns := map[schedule.Class]int{}
			s.TakeTurns(func(_ context.Context, class schedule.Class, step func()) error {
				turns[class]++
				step()
				return nil
			})
			if err := s.Foresee(t.Context(), 12); err != nil {
				t.Fatal(err)
			}
			if test.made > 1 && (turns[schedule.Supposed] != 1 || turns[schedule.Foreseen] == 0 || len(turns) != 2) {
				t.Errorf("the turns are %v by class, want one for the first and foreseen ones", turns)
			}
			clear(turns)
			if got := len(first(t, s, test.made)); got != test.made || len(turns) > 0 {
				t.Errorf("%d hypotheses took turns %v, want %d and no turns", got, turns, test.made)
			}
			if _, ok := s.Made(test.made); ok {
				t.Errorf("more than %d hypotheses are made", test.made)
			}
		})
	}
}

// A sequence with very many classes, or very many clicks, takes the turns of heavy steps,
// each on a thread of its own.
func TestHeavySteps(t *testing.T) {
	scheduler := schedule.New(schedule.Limits{})
	for _, c := range []struct {
		side, classes, clicks int
		heavy                 bool
	}{{21, 3, 3, false}, {21, 250, 250, true}, {32, 3, 970, false}, {32, 3, 980, true}} {
		at := map[int]uint8{}
		for i := range c.clicks {
			at[i] = uint8(i % c.classes)
		}
		s := NewSequence(NewModel(gridGraph(c.side, 3), DefaultParameters), Evidence{Clicks: clicksOn(c.side*c.side, at)}, c.clicks)
		turns := map[schedule.Class]int{}
		s.TakeTurns(func(ctx context.Context, class schedule.Class, step func()) error {
			turns[class]++
			return scheduler.Do(ctx, class, "anna", step)
		})
		first(t, s, 2)
		if a, err := s.Alternatives(t.Context(), []int32{int32(c.side*c.side - 1)}); err != nil || len(a) == 0 {
			t.Errorf("%+v: %d alternatives, %v", c, len(a), err)
		}
		for class := range turns {
			if class&schedule.Heavy != 0 != c.heavy {
				t.Errorf("%+v: turns of class %d", c, class)
			}
		}
		if len(turns) != 3 {
			t.Errorf("%+v: turns %v by class; want first, supposed and later ones", c, turns)
		}
	}
}

// What the second hypothesis needs is computed in many turns, so that others come in
// between, and a caller who leaves among them loses nothing.
func TestPreparedInTurns(t *testing.T) {
	regions := make([]int32, 64)
	for i := range regions {
		regions[i] = int32(i / 16)
	}
	sequence := func() *Sequence {
		return NewSequence(NewModel(gridGraph(8, 3), DefaultParameters).Divide(regions), Evidence{Clicks: clicksOn(64, map[int]uint8{0: 0, 63: 1, 7: 2})}, 3)
	}
	s, turns := sequence(), 0
	s.atOnce = 0
	ctx, leave := context.WithCancel(t.Context())
	s.TakeTurns(func(ctx context.Context, _ schedule.Class, step func()) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		turns++
		if turns == 5 {
			leave()
		}
		step()
		return nil
	})
	if _, err := s.At(ctx, 1); !errors.Is(err, context.Canceled) || turns != 5 {
		t.Errorf("%v after %d turns, want the caller to leave after 5", err, turns)
	}
	if diff := cmp.Diff(first(t, sequence(), 30), first(t, s, 30)); diff != "" {
		t.Errorf("in turns (-at once +in turns):\n%s", diff)
	}
	if turns < DefaultParameters.Pool {
		t.Errorf("30 hypotheses took %d turns, want one for each of the pool", turns)
	}
}

func TestUncertainty(t *testing.T) {
	g := gridGraph(8, 5)
	clicks := clicksOn(64, map[int]uint8{0: 3, 63: 9})
	s := NewSequence(NewModel(g, DefaultParameters), Evidence{Clicks: clicks}, 2)
	u, err := s.Uncertainty(t.Context(), 20)
	if err != nil {
		t.Fatal(err)
	}
	for i := range clicks {
		three := 0
		for _, h := range s.made {
			if h.Labels[i] == 3 {
				three++
			}
		}
		want := []float64{float64(three) / 20, float64(20-three) / 20}
		if diff := cmp.Diff(want, u.Marginals[2*i:2*i+2]); diff != "" {
			t.Errorf("marginals of superpixel %d (-want +got):\n%s", i, diff)
		}
	}
	var xs [][]uint8
	for _, h := range s.made[:20] {
		x := make([]uint8, 64)
		for i, l := range h.Labels {
			if l == 9 {
				x[i] = 1
			}
		}
		xs = append(xs, x)
	}
	if diff := cmp.Diff(choose.AreaRanges(xs, 2, s.shares, choose.Wider), u.Areas); diff != "" {
		t.Errorf("areas (-want +got):\n%s", diff)
	}
	for _, x := range xs {
		best, other := 0.0, 0.0
		for _, y := range xs {
			best += choose.MeanIoU(xs[u.Marked], y, s.shares, 2)
			other += choose.MeanIoU(x, y, s.shares, 2)
		}
		if other > best+1e-9 {
			t.Errorf("hypothesis %d is marked with expected mean IoU %v, another has %v", u.Marked, best/20, other/20)
		}
	}
	for name, clicks := range map[string][]uint8{"no click": clicksOn(64, nil), "one class": clicksOn(64, map[int]uint8{5: 1})} {
		u, err := NewSequence(NewModel(g, DefaultParameters), Evidence{Clicks: clicks}, 1).Uncertainty(t.Context(), 20)
		if err != nil || u.WrongArea != 0 {
			t.Errorf("%s: %+v, %v; want no area in doubt", name, u, err)
		}
	}
}
