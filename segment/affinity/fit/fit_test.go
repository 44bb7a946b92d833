package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"collie/segment/affinity"
)

func inTurn(_ string, n int, do func(i int) error) error {
	for i := range n {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}

func probability(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }

// At the resulting weights the slope of the penalised likelihood is 0.
func TestFitIsAMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := &Rows{}
	for range 3000 {
		x := []float32{float32(rng.NormFloat64()), float32(3 * rng.Float64()), 5}
		r.add(x, rng.Float64() < probability(1+2*float64(x[0])-float64(x[1])))
	}
	got, err := fit(inTurn, "", []affinity.Feature{{Name: "x"}, {Name: "y"}, {Name: "constant"}}, []*Rows{r})
	if err != nil {
		t.Fatal(err)
	}
	s, err := scaleOf([]*Rows{r}, 3)
	if err != nil {
		t.Fatal(err)
	}
	// The weights of scaled features, back from those of features.
	w := make([]float64, 7)
	w[6] = float64(got.Bias)
	for f := range s.mean {
		v := float64(got.Terms[f/2].Linear)
		if f%2 == 1 {
			v = float64(got.Terms[f/2].Log)
		}
		w[6] += v * s.mean[f]
		if s.factor[f] > 0 {
			w[f] = v / s.factor[f]
		}
	}
	for f, v := range s.newton(r, w).slope {
		if f < 6 {
			v -= ridge * w[f]
		}
		if math.Abs(v) > 0.5 { // five digits of weights times 3,000 rows
			t.Errorf("slope %v at weight %d of %v", v, f, w)
		}
	}
	if got.Terms[2] != (affinity.Term{Low: 5, High: 5}) {
		t.Errorf("a feature that is always the same has the term %v", got.Terms[2])
	}
}

// A distance that suggests the same class when it is large gets no weight.
func TestDistancesHaveNoPositiveWeight(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := &Rows{}
	for range 2000 {
		x := []float32{float32(rng.Float64()), float32(rng.Float64())}
		r.add(x, rng.Float64() < probability(3*float64(x[0])-2*float64(x[1])))
	}
	got, err := fit(inTurn, "", []affinity.Feature{{Name: "misleading", Distance: true}, {Name: "leading", Distance: true}}, []*Rows{r})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got.Terms[0], got.Terms[1]; a.Linear != 0 || a.Log != 0 || a.Low >= a.High || b.Linear > 0 || b.Log > 0 || b.Linear+b.Log > -1 {
		t.Errorf("terms %+v", got.Terms)
	}
}
