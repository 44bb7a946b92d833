package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/engine"
)

// quiz draws questions whose best correction has a first feature like that of the
// first correction's second, which no linear score finds.
func quiz(n int) []question {
	rng := rand.New(rand.NewPCG(3, 4))
	out := make([]question, n)
	for i := range out {
		q := &out[i]
		var f engine.CorrectionFeatures
		f[1] = 4*rng.Float64() - 2
		for k := range 6 {
			f[0] = 4*rng.Float64() - 2
			q.quality = append(q.quality, 1-abs(f[0]-f[1])/4)
			q.corrections = append(q.corrections, engine.Correction{Features: f})
			if k == 0 {
				q.quality[0] = 1 - abs(f[0]-f[1])/4
			}
		}
	}
	return out
}

func abs(x float64) float64 { return max(x, -x) }

// A chooser learns which of several corrections is the best, and the same on any
// number of processors.
func TestTrain(t *testing.T) {
	learn := func(procs int) *engine.Chooser {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		return train(quiz(500), 800)
	}
	c := learn(1)
	if diff := cmp.Diff(c, learn(4)); diff != "" {
		t.Fatalf("on four processors (-one +four):\n%s", diff)
	}
	chosen, first, best := 0.0, 0.0, 0.0
	test := quiz(900)[500:]
	for _, q := range test {
		chosen += q.quality[q.choose(c)]
		first += q.quality[0]
		best += q.quality[q.best()]
	}
	if regret := (best - chosen) / (best - first); regret > 0.2 {
		t.Errorf("what is chosen is worth %v on average, the first %v, the best %v", chosen/400, first/400, best/400)
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
	source, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"// Code generated", "package engine", "var trained = Chooser{", "Units: []Unit{"} {
		if !strings.Contains(string(source), want) {
			t.Errorf("the source lacks %q:\n%.300s", want, source)
		}
	}
	if _, err := evaluate(t, "corrections", "--data", dir, "--passes", "0"); err == nil || !strings.Contains(err.Error(), "--passes") {
		t.Errorf("--passes 0: %v", err)
	}
}
