package learn

import (
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/simulate"
	"collie/superpixels"
)

// field is a photograph of sky above grass with a red ball at x, and the class of
// each superpixel: 0, 1 and 2.
func field(t testing.TB, seed uint64, ball bool) Example {
	t.Helper()
	const width, height = 120, 90
	rng := rand.New(rand.NewPCG(seed, 7))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	horizon := 35 + rng.IntN(20)
	bx, by := 20+rng.IntN(80), 20+rng.IntN(50)
	class := func(x, y int) uint8 {
		switch {
		case ball && (x-bx)*(x-bx)+(y-by)*(y-by) < 150:
			return 2
		case y > horizon:
			return 1
		}
		return 0
	}
	colours := [3]color.NRGBA{{120, 160, 220, 255}, {60, 130, 50, 255}, {200, 40, 40, 255}}
	for y := range height {
		for x := range width {
			c := colours[class(x, y)]
			noise := uint8(rng.IntN(12))
			img.SetNRGBA(x, y, color.NRGBA{c.R + noise, c.G + noise, c.B + noise, 255})
		}
	}
	const n = 60
	h, finest := superpixels.Divide(img, 4*n)
	f := Describe(img, h, finest, n)
	cut := h.Cut(finest, n, make([]uint8, h.Finest()), 0)
	g := finest.Coarsen(cut.Parent, cut.N)
	e := Example{ID: string(rune('a' + seed)), Features: f, Graph: func() (*superpixels.Graph, error) { return g, nil }}
	for _, r := range g.Regions {
		e.Labels = append(e.Labels, class(int(r.Centroid[0]), int(r.Centroid[1])))
	}
	return e
}

func fields(t testing.TB, n int) []Example {
	out := make([]Example, n)
	for i := range out {
		out[i] = field(t, uint64(i), i%3 > 0)
	}
	return out
}

// Guesses that save nothing are left off, with few attempts and with many.
func TestChooseNothing(t *testing.T) {
	e := field(t, 1, true)
	g, err := e.Graph()
	if err != nil {
		t.Fatal(err)
	}
	one := attempt{&simulate.Scene{Graph: g}, truthOf(e.Features.Area, e.Labels, nil), func(Choice) *engine.Guess { return nil }}
	for _, n := range []int{1, maxTrials} {
		if c, saved, err := choose(t.Context(), slices.Repeat([]attempt{one}, n)); err != nil || c != Off || saved != 0 {
			t.Errorf("%d attempts: %+v saves %v, %v", n, c, saved, err)
		}
	}
}

// What is learned from a few images is right about most of the next one, and the
// choice of strength finds that it pays.
func TestTrain(t *testing.T) {
	examples := fields(t, 9)
	m, err := Train(t.Context(), examples[:8], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Choice == Off || m.Number != 1 || len(m.Images) != 8 {
		t.Fatalf("choice %v, number %d, %d images", m.Choice, m.Number, len(m.Images))
	}
	e := examples[8]
	g := m.Guess(e.Features)
	right := 0
	for i, l := range e.Labels {
		row := g.Shares[i*len(g.Classes):][:len(g.Classes)]
		if g.Classes[slices.Index(row, slices.Max(row))] == l {
			right++
		}
	}
	if part := float64(right) / float64(len(e.Labels)); part < 0.9 {
		t.Errorf("%.2f of the superpixels are guessed right", part)
	}
	if !slices.IsSorted(g.Classes) || g.Strength != m.Choice.Strength {
		t.Errorf("classes %v, strength %v of %v", g.Classes, g.Strength, m.Choice)
	}
}

// The same images give the same bytes, other labels others.
func TestTrainIsDeterministic(t *testing.T) {
	examples := fields(t, 6)
	first, second := trained(t, examples), trained(t, examples)
	if !slices.Equal(first, second) {
		t.Error("two trainings differ")
	}
	examples[0].Labels = slices.Repeat([]uint8{0}, examples[0].Features.N)
	if slices.Equal(first, trained(t, examples)) {
		t.Error("other labels give the same model")
	}
}

func trained(t testing.TB, examples []Example) []byte {
	t.Helper()
	m, err := Train(t.Context(), examples, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A project that has nothing to tell apart, too few images, images without
// labels, or images of one superpixel, gets a model that guesses nothing.
func TestTrainWithTooLittle(t *testing.T) {
	few := fields(t, 4)
	one := fields(t, 6)
	void := fields(t, 6)
	tiny := make([]Example, 6)
	for i := range tiny {
		img := image.NewNRGBA(image.Rect(0, 0, 4, 3))
		h, finest := superpixels.Divide(img, 1)
		tiny[i] = Example{Features: Describe(img, h, finest, 1), Labels: []uint8{uint8(i % 2)}, Graph: func() (*superpixels.Graph, error) { return finest, nil }}
		one[i].Labels = slices.Repeat([]uint8{4}, one[i].Features.N)
		void[i].Labels = slices.Repeat([]uint8{segment.Void}, void[i].Features.N)
	}
	for name, examples := range map[string][]Example{"none": nil, "few": few, "one class": one, "void": void} {
		m, err := Train(t.Context(), examples, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if g := m.Guess(few[0].Features); g != nil {
			t.Errorf("%s: a guess of classes %v", name, g.Classes)
		}
	}
	if _, err := Train(t.Context(), tiny, nil, nil); err != nil {
		t.Errorf("images of one superpixel: %v", err)
	}
}

// A model's early predictions for an image are those made before it learned from
// it.
func TestTrialsArePrequential(t *testing.T) {
	examples := fields(t, 9)
	before, err := Train(t.Context(), examples[:6], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Train(t.Context(), examples, before, nil)
	if err != nil {
		t.Fatal(err)
	}
	var tried []string
	for _, trial := range after.tried {
		tried = append(tried, trial.image)
		if want := toBytes(before.predict(examples[slices.IndexFunc(examples, func(e Example) bool { return e.ID == trial.image })].Features)); !slices.Equal(trial.shares, want) {
			t.Errorf("image %s: not what the model before says", trial.image)
		}
	}
	if !slices.Equal(tried, []string{"g", "h", "i"}) || after.Number != 2 {
		t.Errorf("tried %v by model %d", tried, after.Number)
	}
}

// Training stops when its context ends.
func TestTrainIsCancelled(t *testing.T) {
	ctx, cancel := contextThatEnds(t)
	defer cancel()
	if _, err := Train(ctx, fields(t, 6), nil, nil); err == nil {
		t.Error("a cancelled training has a result")
	}
}
