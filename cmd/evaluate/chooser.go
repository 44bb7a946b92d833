package main

import (
	"bytes"
	"fmt"
	"go/format"
	"math"
	"math/rand/v2"
	"sync"

	"collie/segment/engine"
)

// How a chooser is trained: Adam (Kingma and Ba 2015, arXiv:1412.6980) on the
// expected quality of what it chooses, with a step that falls linearly.
const (
	hiddenUnits = 24
	batch       = 600 // questions of a step
	chunks      = 8   // that are added up in order, so that the result doesn't depend on the processors
	firstRate   = 0.003
	lastRate    = 1e-4
	decay       = 1e-3 // of weights
	worth       = 20   // of a quality of 1, relative to decay
	momentum    = 0.9
	inertia     = 0.99
)

const features = len(engine.CorrectionFeatures{})

// seen is a question as the units see it.
type seen struct {
	own     []engine.CorrectionFeatures
	quality []float64
}

// train returns a chooser for questions. The same questions give the same numbers.
func train(questions []question, steps int) *engine.Chooser {
	c := standardize(questions)
	all := make([]seen, len(questions))
	for i, q := range questions {
		all[i].quality = q.quality
		for k := range q.corrections {
			all[i].own = append(all[i].own, c.Standardized(&q.corrections[k].Features))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	c.Units = make([]engine.Unit, hiddenUnits)
	scale := 1 / math.Sqrt(2*float64(features))
	for u := range c.Units {
		unit := &c.Units[u]
		for j := range features {
			unit.Own[j], unit.First[j] = scale*rng.NormFloat64(), scale*rng.NormFloat64()
		}
		unit.Weight = 0.1 * rng.NormFloat64()
	}
	mean, square := make([]engine.Unit, hiddenUnits), make([]engine.Unit, hiddenUnits)
	picked := make([]*seen, batch)
	for step := range steps {
		for i := range picked {
			picked[i] = &all[rng.IntN(len(all))]
		}
		up := slope(c.Units, picked)
		rate := firstRate*(1-float64(step)/float64(steps)) + lastRate
		one, two := 1-math.Pow(momentum, float64(step+1)), 1-math.Pow(inertia, float64(step+1))
		for u := range c.Units {
			each(&c.Units[u], &up[u], &mean[u], &square[u], func(v, g, m, s *float64, decays bool) {
				if decays {
					*g -= decay * *v
				}
				*m = momentum**m + (1-momentum)**g
				*s = inertia**s + (1-inertia)**g**g
				*v += rate * (*m / one) / (math.Sqrt(*s/two) + 1e-8)
			})
		}
	}
	return c
}

// each visits the numbers of four units together.
func each(a, b, c, d *engine.Unit, visit func(a, b, c, d *float64, decays bool)) {
	visit(&a.Bias, &b.Bias, &c.Bias, &d.Bias, false)
	visit(&a.Weight, &b.Weight, &c.Weight, &d.Weight, true)
	for j := range features {
		visit(&a.Own[j], &b.Own[j], &c.Own[j], &d.Own[j], true)
		visit(&a.First[j], &b.First[j], &c.First[j], &d.First[j], true)
	}
}

// standardize returns a chooser without units whose features have mean 0 and
// deviation 1 over all corrections.
func standardize(questions []question) *engine.Chooser {
	c := &engine.Chooser{}
	n := 0.0
	var square engine.CorrectionFeatures
	for _, q := range questions {
		for k := range q.corrections {
			n++
			for j, v := range q.corrections[k].Features {
				c.Mean[j] += v
				square[j] += v * v
			}
		}
	}
	for j := range features {
		c.Mean[j] /= n
		c.Scale[j] = math.Sqrt(max(square[j]/n-c.Mean[j]*c.Mean[j], 1e-12))
	}
	return c
}

// slope is the gradient of the mean expected quality of what units choose, times
// worth.
func slope(units []engine.Unit, questions []*seen) []engine.Unit {
	parts := make([][]engine.Unit, chunks)
	var wait sync.WaitGroup
	for n := range parts {
		wait.Go(func() {
			part := make([]engine.Unit, len(units))
			for i := n; i < len(questions); i += chunks {
				climb(units, part, questions[i], worth/float64(len(questions)))
			}
			parts[n] = part
		})
	}
	wait.Wait()
	sum := parts[0]
	for _, part := range parts[1:] {
		for u := range sum {
			each(&sum[u], &part[u], &part[u], &part[u], func(a, b, _, _ *float64, _ bool) { *a += *b })
		}
	}
	return sum
}

// climb adds the gradient of the expected quality for one question, times scale.
func climb(units, sum []engine.Unit, q *seen, scale float64) {
	n := len(q.own)
	active := make([]float64, n*len(units))
	score := make([]float64, n)
	first := &q.own[0]
	for u := range units {
		unit := &units[u]
		of := unit.Bias + unit.First.Dot(first)
		for i := range n {
			if a := of + unit.Own.Dot(&q.own[i]); a > 0 {
				active[i*len(units)+u] = a
				score[i] += unit.Weight * a
			}
		}
	}
	top := score[largest(score)]
	total, expected := 0.0, 0.0
	for i := range score {
		score[i] = math.Exp(score[i] - top)
		total += score[i]
		expected += score[i] * q.quality[i]
	}
	expected /= total
	for i, p := range score {
		up := scale * p / total * (q.quality[i] - expected)
		for u := range units {
			a := active[i*len(units)+u]
			if a <= 0 {
				continue
			}
			sum[u].Weight += up * a
			through := up * units[u].Weight
			sum[u].Bias += through
			for j := range features {
				sum[u].Own[j] += through * q.own[i][j]
				sum[u].First[j] += through * first[j]
			}
		}
	}
}

// sourceOf returns the Go source of a chooser, to five digits.
func sourceOf(c *engine.Chooser) ([]byte, error) {
	var b bytes.Buffer
	list := func(f *engine.CorrectionFeatures) string {
		s := "CorrectionFeatures{"
		for j, v := range f {
			if j > 0 {
				s += ", "
			}
			s += fmt.Sprintf("%.5g", v)
		}
		return s + "}"
	}
	fmt.Fprint(&b, "// Code generated by 'evaluate corrections'; DO NOT EDIT.\n\npackage engine\n\nvar trained = Chooser{\n")
	fmt.Fprintf(&b, "Mean: %s,\nScale: %s,\nUnits: []Unit{\n", list(&c.Mean), list(&c.Scale))
	for u := range c.Units {
		unit := &c.Units[u]
		fmt.Fprintf(&b, "{%.5g, %.5g, %s, %s},\n", unit.Bias, unit.Weight, list(&unit.Own), list(&unit.First))
	}
	fmt.Fprint(&b, "},\n}\n")
	return format.Source(b.Bytes())
}
