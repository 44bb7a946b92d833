package training_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/cmd/internal/training"
	"collie/segment/chooser"
)

// quiz draws questions whose best correction has a first feature like that of the
// first correction's second, which no linear score finds.
func quiz(n int) []*training.Question {
	rng := rand.New(rand.NewPCG(3, 4))
	out := make([]*training.Question, n)
	for i := range out {
		q := &training.Question{}
		out[i] = q
		second := 4*rng.Float64() - 2
		for range 6 {
			f := []float64{4*rng.Float64() - 2, second}
			q.Quality = append(q.Quality, 1-abs(f[0]-f[1])/4)
			q.Features = append(q.Features, f)
		}
	}
	return out
}

func abs(x float64) float64 { return max(x, -x) }

var objectives = map[string]training.Objective{"expected quality": training.ExpectedQuality, "cross entropy": training.CrossEntropy}

// trained is a chooser that took so many steps, the same on one processor and on four.
func trained(t *testing.T, name string, to training.Objective, steps int) *chooser.Chooser {
	t.Helper()
	learn := func(procs int) *chooser.Chooser {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		return training.Train(quiz(500), to, steps, training.Size{Networks: 2, Units: 24})
	}
	c := learn(1)
	if diff := cmp.Diff(c, learn(4)); diff != "" {
		t.Fatalf("%s, on four processors (-one +four):\n%s", name, diff)
	}
	return c
}

// A few steps for the race detector, under which all those of TestTrain take a minute.
func TestFirstSteps(t *testing.T) {
	for name, to := range objectives {
		trained(t, name, to, 20)
	}
}

// A chooser learns which of several corrections is the best, and the same on any
// number of processors.
func TestTrain(t *testing.T) {
	for name, to := range objectives {
		c := trained(t, name, to, 800)
		chosen, first, best := 0.0, 0.0, 0.0
		test := quiz(900)[500:]
		for _, q := range test {
			chosen += q.Quality[q.Choose(c)]
			first += q.Quality[0]
			best += q.Quality[q.Best()]
		}
		if regret := (best - chosen) / (best - first); regret > 0.2 {
			t.Errorf("%s: what is chosen is worth %v on average, the first %v, the best %v", name, chosen/400, first/400, best/400)
		}
	}
}
