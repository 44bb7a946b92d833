package main

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/engine"
	"collie/segment/simulate"
)

// quiz draws questions whose best correction has a first feature like that of the
// first correction's second, which no linear score finds.
func quiz(n int) []question {
	rng := rand.New(rand.NewPCG(3, 4))
	out := make([]question, n)
	for i := range out {
		q := &out[i]
		second := 4*rng.Float64() - 2
		for range 6 {
			f := []float64{4*rng.Float64() - 2, second}
			q.quality = append(q.quality, 1-abs(f[0]-f[1])/4)
			q.features = append(q.features, f)
		}
	}
	return out
}

func abs(x float64) float64 { return max(x, -x) }

// A chooser learns which of several corrections is the best, and the same on any
// number of processors.
func TestTrain(t *testing.T) {
	for name, to := range map[string]objective{"expected quality": expectedQuality, "cross entropy": crossEntropy} {
		learn := func(procs int) *engine.Chooser {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			return train(quiz(500), to, 800)
		}
		c := learn(1)
		if diff := cmp.Diff(c, learn(4)); diff != "" {
			t.Fatalf("%s, on four processors (-one +four):\n%s", name, diff)
		}
		chosen, first, best := 0.0, 0.0, 0.0
		test := quiz(900)[500:]
		for _, q := range test {
			chosen += q.quality[q.choose(c)]
			first += q.quality[0]
			best += q.quality[q.best()]
		}
		if regret := (best - chosen) / (best - first); regret > 0.2 {
			t.Errorf("%s: what is chosen is worth %v on average, the first %v, the best %v", name, chosen/400, first/400, best/400)
		}
	}
}

func TestCorrections(t *testing.T) {
	dir := folder(t, 6)
	out := filepath.Join(t.TempDir(), "weights.go")
	args := []string{"corrections", "--data", dir, "--regions", "60", "--classes", "3", "--passes", "20"}
	got := figures[struct {
		Clicks  float64
		Results map[string]float64
	}](t, append(args, "--out", out)...)
	best := got.Results["the best there is"]
	for name, v := range got.Results {
		if v <= 0 || v > best || best > 1 || got.Clicks < 2 {
			t.Errorf("%s: %v of %v clicks, the best %v", name, v, got.Clicks, best)
		}
	}
	checkSource(t, out, "correctionChooser")
	if _, err := evaluate(t, "corrections", "--data", dir, "--passes", "0"); err == nil || !strings.Contains(err.Error(), "--passes") {
		t.Errorf("--passes 0: %v", err)
	}
}

// checkSource checks that a file declares a chooser.
func checkSource(t *testing.T, file, name string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"// Code generated", "package engine", "var " + name + " = Chooser{", "Units: []Unit{"} {
		if !strings.Contains(string(source), want) {
			t.Errorf("the source lacks %q:\n%.300s", want, source)
		}
	}
}

// Figures of extents are means over the objects, of each kind of first gestures.
func TestExtents(t *testing.T) {
	dir := folder(t, 4)
	empty := grey(func(int, int) uint8 { return 0 })
	object := grey(func(x, y int) uint8 {
		if x > 20 && y > 15 {
			return 1
		}
		return 0
	})
	for i, mask := range []image.Image{object, object, object, empty} {
		save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), mask)
	}
	out := filepath.Join(t.TempDir(), "weights.go")
	args := []string{"extents", "--data", dir, "--regions", "30", "--folds", "2", "--passes", "30"}
	got := figures[struct {
		Results map[string]map[string]qualities
	}](t, append(args, "--out", out)...)
	if len(got.Results) != len(beginnings) {
		t.Errorf("kinds of gestures: %v", got.Results)
	}
	for kind, ways := range got.Results {
		for name, q := range ways {
			if q.First <= 0 || q.First > q.Best3 || q.Best3 > q.Best20 || q.Best20 > 1 {
				t.Errorf("%s, %s: %+v", kind, name, q)
			}
		}
	}
	checkSource(t, out, "extentChooser")
	for i := range 3 {
		save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), empty)
	}
	if out, err := evaluate(t, args...); err == nil || !strings.Contains(err.Error(), "too few objects") {
		t.Errorf("without objects: %q, %v", out, err)
	}
}

// Hands draw boxes around an object, a little too large, and inside the image.
func TestDrawn(t *testing.T) {
	o := &simulate.Object{Width: 100, Height: 80, Mask: make([]uint8, 8000)}
	for y := 20; y < 60; y++ {
		for x := 50; x < 100; x++ {
			o.Mask[100*y+x] = simulate.Thing
		}
	}
	tight, loose := image.Rect(50, 20, 100, 60), image.Rect(45, 16, 100, 64)
	boxes := map[image.Rectangle]bool{}
	for i := range 20 {
		box := drawn(o, fmt.Sprint(i))
		boxes[box] = true
		if !tight.In(box) || !box.In(loose) {
			t.Errorf("box %v, want from %v to %v", box, tight, loose)
		}
	}
	if len(boxes) < 10 {
		t.Errorf("%d different boxes of 20", len(boxes))
	}
}
