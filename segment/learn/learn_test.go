package learn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/engine"
)

func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}

// Every feature tells some superpixels of an image apart. One that all of an
// image share could only tell the images apart, which is how trees learn the
// finished images instead of their classes.
func TestFeaturesVary(t *testing.T) {
	examples := fields(t, 3)
	if got := len(examples[0].Features.Values); got != Count*examples[0].Features.N {
		t.Fatalf("%d bytes for %d superpixels, want %d each", got, examples[0].Features.N, Count)
	}
	for feature := range Count {
		if !slices.ContainsFunc(examples, func(e Example) bool {
			column := e.Features.Values[feature*e.Features.N:][:e.Features.N]
			return slices.Min(column) < slices.Max(column)
		}) {
			t.Errorf("feature %d is constant in every image", feature)
		}
	}
}

// A hue goes round with the angle; grey has the first one.
func TestHue(t *testing.T) {
	for n, at := range [][2]float64{{0, 0}, {3, 3}, {0, 5}, {-2, 2}, {-7, 0}, {-1, -1}, {0, -0.5}, {4, -4}} {
		if got, want := hue(at[0], at[1]), share(float64(n)/8); got != want {
			t.Errorf("hue of %v is %d, want %d", at, got, want)
		}
	}
}

// Stored models were trained on these features, so the same image must keep them.
func TestFeaturesStay(t *testing.T) {
	sum := sha256.New()
	for _, e := range fields(t, 3) {
		sum.Write(e.Features.Values)
	}
	if got, want := hex.EncodeToString(sum.Sum(nil)[:8]), "345f2ed268db1545"; got != want {
		t.Errorf("the features have the digest %s, want %s", got, want)
	}
}

// The exponent makes the likelihood of the true classes the highest: probabilities that
// are right as often as they say stay, and bold ones become more careful. Superpixels
// without a class don't count.
func TestCalibrate(t *testing.T) {
	const classes, rows = 2, 1000
	for right, want := range map[int]float64{900: 1, 750: 0.5, 964: 1.5, 1000: mostExponent, 500: leastExponent} {
		var said []float32
		var class []uint8
		for i := range rows {
			said, class = append(said, 0.9, 0.1, 0.5, 0.5), append(class, 0, segment.Void)
			if i >= right {
				class[2*i] = 1
			}
		}
		if got := calibrate([][]float32{said[:20], said[20:]}, class, classes); got != want {
			t.Errorf("right %d times of %d: exponent %v, want %v", right, rows, got, want)
		}
	}
}

func TestScalesAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-500, 500).Draw(t, "a"), rapid.Float64Range(-500, 500).Draw(t, "b")
		low, high := min(a, b), max(a, b)
		if signed(low, 10) > signed(high, 10) || share(low) > share(high) || positive(max(low, 0), 3) > positive(max(high, 0), 3) {
			t.Fatalf("bytes of %v and %v are out of order", low, high)
		}
	})
	for _, c := range []struct{ got, want uint8 }{{share(0), 0}, {share(1), 255}, {share(7), 255}, {positive(3, 3), 128}, {signed(0, 9), 128}} {
		if c.got != c.want {
			t.Errorf("byte %d, want %d", c.got, c.want)
		}
	}
}

func TestDirection(t *testing.T) {
	for _, c := range []struct {
		dx, dy int32
		want   int
	}{{10, 0, 0}, {10, 1, 0}, {10, 10, 1}, {1, 10, 2}, {0, 10, 2}, {-1, 10, 3}, {-10, 10, 4}, {-10, 1, 5}, {-10, -1, 0}, {1, -10, 3}, {10, -1, 5}, {0, 0, 2}} {
		if got := direction(c.dx, c.dy); got != c.want {
			t.Errorf("direction of (%d, %d) is %d, want %d", c.dx, c.dy, got, c.want)
		}
	}
}

// A third of the trees has not seen an image, and every tree has seen two thirds
// of them.
func TestLeaveOut(t *testing.T) {
	for _, images := range []int{1, 2, 3, 7, 40} {
		out := leaveOut(images)
		without := make([]int, images)
		for _, tree := range out {
			n := 0
			for image, left := range tree {
				if left {
					without[image]++
					n++
				}
			}
			if n == images {
				t.Errorf("%d images: a tree sees none", images)
			}
		}
		for image, n := range without {
			if images >= folds && n != trees/folds || images == 1 && n != 0 {
				t.Errorf("%d images: image %d is left out by %d trees", images, image, n)
			}
		}
	}
}

// A class has to win half of what it usually covers where it is, and the whole
// image if it is nowhere.
func TestGate(t *testing.T) {
	f := &Features{N: 4, Area: []int32{10, 20, 30, 40}}
	var examples []Example
	for _, labels := range [][]uint8{{5, 9, 9, 9}, {9, 5, 9, 9}, {9, 9, 9, 5}, {9, 9, 9, 9}} {
		examples = append(examples, Example{Features: f, Labels: labels})
	}
	if d := cmp.Diff([]float64{0.45, 0.1, 1}, gate(examples, []uint8{9, 5, 7})); d != "" {
		t.Error(d)
	}
}

func TestFeaturesRoundTrip(t *testing.T) {
	f := field(t, 3, true).Features
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back Features
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(f, &back); d != "" {
		t.Error(d)
	}
}

// A stored model makes the same guesses as before.
func TestModelRoundTrip(t *testing.T) {
	examples := fields(t, 8)
	m, err := Train(t.Context(), examples[:6], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = Train(t.Context(), examples[:7], m, nil); err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back Model
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.Guess(examples[7].Features), back.Guess(examples[7].Features)); d != "" {
		t.Error(d)
	}
	if back.Saved != m.Saved || m.Saved < 1-worthwhileEarly || m.Saved > 1 {
		t.Errorf("saves %v, read again %v", m.Saved, back.Saved)
	}
	again, err := back.MarshalBinary()
	if err != nil || !slices.Equal(b, again) {
		t.Errorf("encoded again it differs: %v", err)
	}
}

// A trial that predicts nothing is refused: training could not try it.
func TestTrialWithoutClasses(t *testing.T) {
	b, err := (&Model{Number: 1, tried: []trial{{image: "x"}}}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := new(Model).UnmarshalBinary(b); err == nil || !strings.Contains(err.Error(), "trial without classes") {
		t.Errorf("a trial without classes: %v", err)
	}
}

// A tree whose children are missing is refused: predicting with it would fail.
func TestTreeWithoutChildren(t *testing.T) {
	m, err := Train(t.Context(), fields(t, 6), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	leaf, votes := node{feature: noFeature}, []vote{{0, fullShare}}
	for wrong, nodes := range map[string][]node{
		"":              {{left: 1}, leaf, leaf},
		"no child":      {{left: 1}},
		"one child":     {{left: 1}, leaf},
		"beyond":        {{left: 2}, leaf, leaf},
		"its own child": {{left: 0}, leaf, leaf},
	} {
		m.classifier.forests[0].trees[0] = tree{nodes, votes}
		b, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Model).UnmarshalBinary(b); (err != nil) != (wrong != "") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// Trees count rows of their classes alone, and a leaf of one class is certain of it.
func TestForestOfClearRows(t *testing.T) {
	const rows, classes = 200, 2
	x := table{rows, [][]uint8{make([]uint8, rows)}}
	class, images := make([]uint8, rows), make([]int32, rows)
	for i := range rows {
		x.columns[0][i], class[i] = uint8(i), uint8(i/80) // from row 160 on no class
	}
	f, err := grow(t.Context(), x, class, classes, images, leaveOut(1), 1)
	if err != nil {
		t.Fatal(err)
	}
	sums := f.predict(x, nil)
	for _, row := range []int{0, 20, 140, 159, 199} {
		want := []uint32{0, 0}
		want[min(row/80, 1)] = trees * fullShare
		if got := sums[row*classes:][:classes]; !slices.Equal(got, want) {
			t.Errorf("row %d has votes %v, want %v", row, got, want)
		}
	}
}

// Where a class is everywhere as probable, so it is in every view, whatever the view
// before saw.
func TestViewsOfConstants(t *testing.T) {
	f := fields(t, 1)[0].Features
	var p []float32
	for range f.N {
		p = append(p, 1, 0, 0.2)
	}
	columns := f.context(p, 3)
	if len(columns) != 3*contextViews {
		t.Fatalf("%d columns", len(columns))
	}
	for n, column := range columns {
		want := []uint8{255, 0, 51}[n/contextViews]
		if slices.Min(column) != want || slices.Max(column) != want {
			t.Errorf("class %d, view %d: %d to %d, want %d", n/contextViews, n%contextViews, slices.Min(column), slices.Max(column), want)
		}
	}
}

// Training starts with the fewest examples, then with a tenth more, at least two, and
// when most have gone.
func TestDue(t *testing.T) {
	for before, due := range map[int]map[int]bool{
		0:   {FewestExamples - 1: false, FewestExamples: true},
		5:   {5: false, 6: false, 7: true},
		100: {101: false, 109: false, 110: true, 50: false, 49: true, FewestExamples - 1: false},
	} {
		m := &Model{Images: make([]string, before)}
		for finished, want := range due {
			if got := m.Due(finished); got != want {
				t.Errorf("%d images after %d: due %v, want %v", finished, before, got, want)
			}
		}
	}
	if (*Model)(nil).Due(FewestExamples-1) || !(*Model)(nil).Due(FewestExamples) {
		t.Error("the first model isn't due with the fewest examples")
	}
}

// A class that wins less than its threshold is in reserve, with all that is known
// about it; the one that wins most never is.
func TestReserve(t *testing.T) {
	f := &Features{N: 2, Area: []int32{90, 10}}
	p := []float32{0.1, 0.9, 0.75, 0.25} // of classes 7 and 5
	for _, c := range []struct {
		thresholds []float64
		want       []uint8
	}{
		{[]float64{0.1, 0.9}, nil},
		{[]float64{0.11, 0.5}, []uint8{7}}, // though its probability adds up to 0.165
		{[]float64{0.05, 1}, nil},
		{[]float64{1, 1}, []uint8{7}},
	} {
		want := &engine.Guess{Classes: []uint8{5, 7}, Reserve: c.want, Shares: []float64{0.9, 0.1, 0.25, 0.75}}
		if d := cmp.Diff(want, guess(f, p, []uint8{7, 5}, c.thresholds), cmpopts.EquateApprox(0, 1e-6)); d != "" {
			t.Errorf("thresholds %v: %s", c.thresholds, d)
		}
	}
}

// Only the number of an older version's model is kept: the next model continues
// from it, and trains as soon as there is enough to learn from.
func TestOlderModel(t *testing.T) {
	examples := fields(t, 6)
	m, err := Train(t.Context(), examples, &Model{Number: 6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var old Model
	for version := byte(oldVersion); version < modelVersion; version++ {
		b[len(modelMagic)] = version
		if err := old.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if old.Number != 7 || old.Finished() != 0 || old.Guesses() || !old.Due(FewestExamples) {
			t.Errorf("version %d: number %d of %d images, guesses %v", version, old.Number, old.Finished(), old.Guesses())
		}
	}
	if m, err = Train(t.Context(), examples, &old, nil); err != nil || m.Number != 8 || !m.Guesses() {
		t.Errorf("number %d after it, error %v", m.Number, err)
	}
}

func FuzzDecode(f *testing.F) {
	e := fields(f, 6)
	if b, err := e[0].Features.MarshalBinary(); err == nil {
		f.Add(b)
	}
	small, err := Train(f.Context(), nil, nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	if b, err := small.MarshalBinary(); err == nil {
		f.Add(b)
	}
	f.Add(trained(f, e))
	target := e[1].Features
	f.Fuzz(func(t *testing.T, data []byte) {
		var features Features
		if features.UnmarshalBinary(data) == nil {
			b, err := features.MarshalBinary()
			var back Features
			if err != nil || back.UnmarshalBinary(b) != nil {
				t.Error("features don't survive")
			}
			features.context(make([]float32, 2*features.N), 2)
		}
		var m Model
		if m.UnmarshalBinary(data) == nil {
			m.Guess(target) // must not panic
			m.tryOn(e)
		}
	})
}
