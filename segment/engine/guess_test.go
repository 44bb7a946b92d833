package engine

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/schedule"
)

// halves is a guess of classes 3 and 9 for the patchwork: the left is 3 and the
// right 9, with the given certainty.
func halves(m interface{ At(x, y int) int }, n, width int, certainty float64) *Guess {
	g := &Guess{Classes: []uint8{3, 9}, Shares: make([]float64, 2*n), Strength: ImportStrength, Exponent: ImportExponent, Proof: ImportProof}
	for i := range n {
		g.Shares[2*i], g.Shares[2*i+1] = 1-certainty, certainty
	}
	for x := range width / 2 {
		for y := 0; y < 160; y++ {
			i := m.At(x, y)
			g.Shares[2*i], g.Shares[2*i+1] = certainty, 1-certainty
		}
	}
	return g
}

// A box around an object that a guess lacks leaves the rest of the guess as it is.
func TestBoxKeepsTheGuess(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	model := NewModel(g, DefaultParameters)
	box := model.NewBox(1, image.Rect(20, 40, 100, 120))
	guess := halves(m, m.N, 240, 0.9)
	e := Evidence{Clicks: clicksOn(m.N, nil), Rest: segment.Rest{Mode: segment.RestClass}, Guess: guess, Boxes: []Box{box}}
	labels := first(t, NewSequence(model, e, 1), 1)[0].Labels
	for i, outside := range box.Outside {
		if want := e.Guess.Classes[int(guess.Shares[2*i+1]+.5)]; outside && labels[i] != want {
			t.Errorf("superpixel %d outside the box has class %d, guessed was %d", i, labels[i], want)
		}
	}
	if i := m.At(60, 80); labels[i] != 1 {
		t.Errorf("the middle of the box has class %d", labels[i])
	}
}

// A guess gives hypotheses before the first click, and clicks override it.
func TestGuess(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	model := NewModel(g, DefaultParameters)
	guess := halves(m, m.N, 240, 0.8)
	none := slices.Repeat([]uint8{segment.Void}, m.N)
	s := NewSequence(model, Evidence{Clicks: none, Guess: guess}, 1)
	if d := cmp.Diff([]int{3, 9}, s.Classes()); d != "" {
		t.Fatal(d)
	}
	h := first(t, s, 1)[0]
	for _, c := range []struct{ x, y, class int }{{20, 20, 3}, {110, 150, 3}, {130, 10, 9}, {230, 150, 9}} {
		if got := h.Labels[m.At(c.x, c.y)]; int(got) != c.class {
			t.Errorf("at (%d, %d): class %d, want %d", c.x, c.y, got, c.class)
		}
	}

	clicks := slices.Clone(none)
	clicks[m.At(60, 80)], clicks[m.At(200, 80)] = 5, 3
	for _, h := range first(t, NewSequence(model, Evidence{Clicks: clicks, Guess: guess}, 2), 20) {
		if h.Labels[m.At(60, 80)] != 5 || h.Labels[m.At(200, 80)] != 3 {
			t.Errorf("hypothesis %d contradicts a click", h.Rank)
		}
	}
	if d := cmp.Diff([]int{3, 5, 9}, NewSequence(model, Evidence{Clicks: clicks, Guess: guess}, 2).Classes()); d != "" {
		t.Error(d)
	}
}

// The guess as it is has small things that hypotheses smooth away, keeps clicks and
// exclusions, and is gone with a guess that clicks refute.
func TestGuessAsItIs(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	model := NewModel(g, DefaultParameters)
	guess := halves(m, m.N, 240, 0.9)
	small, other, clicked, excluded := m.At(20, 20), m.At(20, 140), m.At(60, 80), m.At(200, 80)
	guess.Shares[2*small], guess.Shares[2*small+1] = 0.1, 0.9
	guess.Shares[2*other], guess.Shares[2*other+1] = 0, 0
	clicks := slices.Repeat([]uint8{segment.Void}, m.N)
	clicks[clicked] = 5
	s := NewSequence(model, Evidence{Clicks: clicks, Guess: guess, Excluded: []Exclusion{{excluded, 9}}}, 1)
	smooth := first(t, s, 1)[0].Labels
	if smooth[small] != 3 {
		t.Fatal("the first hypothesis has what it should smooth away")
	}
	got, err := s.Named(t.Context(), &segment.Pick{Offer: &segment.Offer{Guess: true}})
	if err != nil {
		t.Fatal(err)
	}
	for i, class := range got.Labels {
		want := uint8(3)
		switch {
		case i == clicked:
			want = 5
		case i == other:
			want = smooth[i]
		case i != excluded && guess.Shares[2*i+1] > guess.Shares[2*i]:
			want = 9
		}
		if class != want {
			t.Errorf("superpixel %d has class %d, want %d", i, class, want)
		}
	}
	if p, err := s.problem(t.Context(), schedule.First); err != nil || got.Energy != p.Model.Energy(s.indices(got.Labels)) || got.Energy > first(t, s, 1)[0].Energy || got.Digest != digestOf(got.Energy, got.Labels) {
		t.Errorf("energy %v, %v", got.Energy, err)
	}

	single := &Guess{Classes: []uint8{7}, Shares: slices.Repeat([]float64{1}, m.N), Strength: 0.01, Exponent: 1, Proof: ImportProof}
	none := slices.Repeat([]uint8{segment.Void}, m.N)
	if got, err := NewSequence(model, Evidence{Clicks: none, Guess: single}, 1).Guessed(t.Context()); err != nil || !slices.Equal(got.Labels, slices.Repeat([]uint8{7}, m.N)) {
		t.Errorf("of a single class: %v", err)
	}
	for i := range 20 {
		clicks[i] = 5
	}
	for what, e := range map[string]Evidence{"refuted": {Clicks: clicks, Guess: guess}, "none": {Clicks: clicks}, "nothing at all": {Clicks: none}} {
		if _, err := NewSequence(model, e, 1).Guessed(t.Context()); segment.KindOf(err) != segment.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The guess of a superpixel is the mean of the scores of its cells, weighted by area, or
// of those of the superpixels that the image began with. Classes that were merged since
// add up, and removed ones say nothing.
func TestGuessOfScores(t *testing.T) {
	h, cells := blocks(240)
	begin := h.Cut(cells, 40, make([]uint8, h.Finest()), 0)
	cut := begin.Divide(begin.Around(cells, 100))
	var table segment.ClassTable
	for id := range table {
		table[id] = uint8(id)
	}
	table[5], table[7] = segment.Void, 3
	rapid.Check(t, func(t *rapid.T) {
		s := &segment.Scores{Classes: []uint8{2, 3, 5, 7}}
		rows, row := len(begin.Parent), func(cell int) int { return cell }
		if rapid.Bool().Draw(t, "superpixels") {
			s.Regions, rows, row = begin.N, begin.N, func(cell int) int { return int(begin.Parent[cell]) }
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range 4 * rows {
			s.Shares = append(s.Shares, uint8(rng.IntN(64)))
		}
		want, areas := make([]float64, 2*cut.N), make([]float64, cut.N)
		for cell, r := range cut.Parent {
			area, scores := float64(cells.Regions[cell].Area), s.Shares[4*row(cell):]
			areas[r] += area
			want[2*r] += area * float64(scores[0]) / 255
			want[2*r+1] += area * (float64(scores[1]) + float64(scores[3])) / 255
		}
		for i := range want {
			want[i] /= areas[i/2]
		}
		g := NewGuess(s, &table, begin, cut, cells)
		if d := cmp.Diff(want, g.Shares, cmpopts.EquateApprox(0, 1e-9)); d != "" || !slices.Equal(g.Classes, []uint8{2, 3}) {
			t.Fatalf("classes %v, shares (-want +got):\n%s", g.Classes, d)
		}
	})
}

// A guess that knows nothing changes nothing.
func TestEmptyGuess(t *testing.T) {
	m, g := patchwork(160, 120, 80)
	clicks := clicksOn(m.N, map[int]uint8{m.At(20, 20): 0, m.At(140, 60): 1})
	model := NewModel(g, DefaultParameters)
	with := first(t, NewSequence(model, Evidence{Clicks: clicks, Guess: &Guess{Classes: []uint8{0, 4}, Shares: make([]float64, 2*m.N)}}, 1), 10)
	without := first(t, NewSequence(model, Evidence{Clicks: clicks}, 1), 10)
	if d := cmp.Diff(without, with); d != "" {
		t.Error(d)
	}
}

// A guess that clicks have refuted changes nothing, and the rest leans in from the
// border as if there had been no guess.
func TestRefutedGuess(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	model := NewModel(g, DefaultParameters)
	guess := halves(m, m.N, 240, 0.95)
	clicks := slices.Repeat([]uint8{segment.Void}, m.N)
	for _, y := range []int{30, 80, 130} {
		clicks[m.At(60, y)], clicks[m.At(180, y)] = 9, 3 // the other way round
	}
	rest := segment.Rest{Mode: segment.RestClass, Class: 3}
	with := NewSequence(model, Evidence{Clicks: clicks, Guess: guess, Rest: rest}, 1)
	if d := cmp.Diff(first(t, NewSequence(model, Evidence{Clicks: clicks, Rest: rest}, 1), 10), first(t, with, 10)); d != "" {
		t.Error(d)
	}
	if !with.Refuted() || NewSequence(model, Evidence{Clicks: clicks, Rest: rest}, 1).Refuted() {
		t.Error("only a sequence whose guess was refuted says so")
	}
}

// A guess that knows every class of the scene, including that of the rest, covers
// the whole scene: the rest gets no share of its own, whatever the project calls
// it.
func TestGuessOfTheRest(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	model := NewModel(g, DefaultParameters)
	guess := halves(m, m.N, 240, 0.8)
	none := slices.Repeat([]uint8{segment.Void}, m.N)
	want := first(t, NewSequence(model, Evidence{Clicks: none, Guess: guess, Rest: segment.Rest{Mode: segment.RestNothing}}, 1), 10)
	for _, class := range guess.Classes {
		got := first(t, NewSequence(model, Evidence{Clicks: none, Guess: guess, Rest: segment.Rest{Mode: segment.RestClass, Class: class}}, 1), 10)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("with class %d as the rest: %s", class, d)
		}
	}
}

// The prior has the shares of the classes in play, and less weight where the
// guess is in doubt.
func TestPriorOfGuess(t *testing.T) {
	g := &Guess{Classes: []uint8{1, 2, 7}, Shares: []float64{.5, .25, .25, 0, 0, 1, 0, 0, 0}, Strength: 0.01, Exponent: 1, Proof: 0.25}
	none := []uint8{segment.Void, segment.Void, segment.Void}
	p := g.Prior(none, []int{0, 1, 7})
	if d := cmp.Diff([]float64{0, 2. / 3, 1. / 3, 0, 0, 1, 0, 0, 0}, p.Share); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{0.0025, 0.01, 0}, p.Weight, cmpopts.EquateApprox(1e-9, 0)); d != "" {
		t.Error(d)
	}
	if got := g.inPlay(none, []float64{1, 1, 1}); !got[1] || got[2] || !got[7] || got[0] {
		t.Errorf("classes in play %v", got[:10])
	}
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 20), 1, 6, rapid.ID[int]).Draw(t, "classes in play")
		slices.Sort(ids)
		clicks := rapid.SliceOfN(rapid.SampledFrom([]uint8{0, 1, 2, 7, segment.Void}), 3, 3).Draw(t, "clicks")
		p := g.Prior(clicks, ids)
		for i, w := range p.Weight {
			if !(w >= 0 && w <= g.Strength) {
				t.Fatalf("weight %v of superpixel %d", w, i)
			}
		}
		for row := range slices.Chunk(p.Share, len(ids)) {
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			if sum != 0 && (sum < 1-1e-12 || sum > 1+1e-12) {
				t.Fatalf("shares %v of classes %v sum to %v", row, ids, sum)
			}
		}
	})
}

// A class in reserve comes into play when it is clicked, with its shares.
func TestReserveOfGuess(t *testing.T) {
	g := &Guess{Classes: []uint8{1, 2, 7}, Reserve: []uint8{2}, Shares: []float64{.5, .25, .25, .2, .8, 0, 0, 0, 1}, Strength: 0.01, Exponent: 1, Proof: 0.25}
	clicks, areas := []uint8{segment.Void, segment.Void, segment.Void}, []float64{1, 1, 1}
	if got := g.inPlay(clicks, areas); !got[1] || got[2] || !got[7] {
		t.Errorf("classes in play without a click: %v", got[:10])
	}
	clicks[0] = 2
	if got := g.inPlay(clicks, areas); !got[1] || !got[2] || !got[7] {
		t.Errorf("classes in play after a click: %v", got[:10])
	}
	if p := g.Prior(clicks, []int{1, 2, 7}); p.Share[4] != 0.8 {
		t.Errorf("shares %v", p.Share)
	}
}

// Clicks that contradict a guess take its small classes out of play, then all of
// it; a click that confirms a class keeps it.
func TestGuessIsRefuted(t *testing.T) {
	const n = 100
	g := &Guess{Classes: []uint8{0, 1}, Shares: make([]float64, 2*n), Strength: 0.01, Exponent: 1, Proof: 0.25}
	areas, clicks := make([]float64, n), slices.Repeat([]uint8{segment.Void}, n)
	for i := range n {
		areas[i] = 1
		g.Shares[2*i], g.Shares[2*i+1] = 1, 0
		if i < 10 {
			g.Shares[2*i], g.Shares[2*i+1] = 0.3, 0.7
		}
	}
	clicks[0], clicks[1] = 0, 0
	if got := g.inPlay(clicks, areas); !got[0] || !got[1] {
		t.Errorf("after two contradictions %v are in play", got[:2])
	}
	clicks[2] = 0
	if got := g.inPlay(clicks, areas); !got[0] || got[1] {
		t.Errorf("after three contradictions %v are in play", got[:2])
	}
	clicks[3] = 1
	if got := g.inPlay(clicks, areas); !got[1] {
		t.Error("a class that was clicked is not in play")
	}
	trust := g.trust(slices.Repeat([]uint8{segment.Void}, n))
	for i := 20; i < 40; i++ {
		clicks[i] = 5
		if now := g.trust(clicks); now > trust {
			t.Fatalf("trust rises from %v to %v with a contradiction", trust, now)
		} else {
			trust = now
		}
	}
	if got := g.inPlay(clicks, areas); got[0] || got[1] {
		t.Errorf("a guess that is wrong everywhere leaves %v in play", got[:2])
	}
}

// A guess with patience that clicks have contradicted often doesn't come back with
// clicks that confirm it; without patience, as in older evidence, it does.
func TestPatienceOfGuess(t *testing.T) {
	const n = 100
	for _, c := range []struct {
		patience                float64
		contradicted, confirmed int
		want                    float64
	}{
		{0, 0, 0, math.Pow(0.6/2/0.35, 9)},
		{4, 0, 0, math.Pow(0.6/2/0.35, 9)},
		{0, 12, 0, math.Pow(0.6/14/0.35, 9)},
		{0, 12, 88, 1},
		{4, 4, 20, 1},
		{4, 5, 20, math.Exp(-0.3)},
		{4, 12, 0, math.Pow(0.6/14/0.35, 9) * math.Exp(-0.3*8)},
		{4, 12, 88, math.Exp(-0.3 * 8)},
		{4, 40, 60, math.Exp(-0.3 * 36)},
	} {
		g := &Guess{Classes: []uint8{3}, Shares: slices.Repeat([]float64{1}, n), Proof: 0.35, Patience: c.patience}
		clicks := slices.Repeat([]uint8{segment.Void}, n)
		for i := range c.contradicted + c.confirmed {
			clicks[i] = 3
			if i < c.contradicted {
				clicks[i] = 5
			}
		}
		if d := cmp.Diff(c.want, g.trust(clicks), cmpopts.EquateApprox(1e-12, 0)); d != "" {
			t.Errorf("%+v: %s", c, d)
		}
		if got, want := g.refuted(clicks), c.want < trustLeast; got != want {
			t.Errorf("%+v: refuted %v", c, got)
		}
	}
}
