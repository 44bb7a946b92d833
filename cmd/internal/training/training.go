// Package training trains the networks of package chooser on questions whose answers are
// known.
package training

import (
	"bytes"
	"fmt"
	"go/format"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"collie/segment/chooser"
)

// How a chooser is trained: Adam (Kingma and Ba 2015, arXiv:1412.6980) with a step that
// falls linearly.
const (
	batch     = 600 // questions of a step
	chunks    = 8   // that are added up in order, so that the result doesn't depend on the processors
	firstRate = 0.003
	lastRate  = 1e-4
	decay     = 1e-3 // of weights
	momentum  = 0.9
	inertia   = 0.99
)

// Question is what a person can have meant: the features of each labelling, and how
// good it is, an IoU or the mean one of several classes. The first is what the evidence
// says.
type Question struct {
	Features [][]float64
	Quality  []float64
}

// Objective says how much the score of each labelling should rise, given the chances
// of all and how good they are.
type Objective func(chances, quality []float64) []float64

// worth is what a quality of 1 is worth to ExpectedQuality, relative to decay.
const worth = 20

// ExpectedQuality is the quality of one labelling that is drawn by its chance: for
// what is shown first.
func ExpectedQuality(chances, quality []float64) []float64 {
	expected := 0.0
	for i, p := range chances {
		expected += p * quality[i]
	}
	up := make([]float64, len(chances))
	for i, p := range chances {
		up[i] = worth * p * (quality[i] - expected)
	}
	return up
}

// steep is how fast CrossEntropy gives up worse labellings: what is 1/steep worse is
// wanted 1/e times as much.
const steep = 20

// CrossEntropy is that of the chances and those that are wanted, which grow
// exponentially with the quality: for several that are shown, since it spreads chances
// over what is nearly as good.
func CrossEntropy(chances, quality []float64) []float64 {
	up := make([]float64, len(chances))
	for i, v := range quality {
		up[i] = steep * v
	}
	softmax(up)
	for i, p := range chances {
		up[i] -= p
	}
	return up
}

// Choose returns the labelling that a chooser takes for the best.
func (q *Question) Choose(c *chooser.Chooser) int { return largest(c.Chances(q.Features)) }

// Best returns the labelling that is the best.
func (q *Question) Best() int { return largest(q.Quality) }

// largest returns where the first of the largest numbers is.
func largest(of []float64) int { return slices.Index(of, slices.Max(of)) }

// Size is that of a chooser, whose score is the mean of Networks with so many hidden Units
// each.
type Size struct{ Networks, Units int }

// One is enough to go on with. It depends on the random numbers that it begins with; the
// mean of several is better than most of them, so Several are for use.
var (
	One     = Size{1, 24}
	Several = Size{4, 24}
)

// Train returns a chooser of a size for questions, at least one; each network is trained in
// so many steps. The same questions in the same order give the same numbers on any number
// of processors. One that is asked several times in a row counts as often.
func Train(questions []*Question, to Objective, steps int, size Size) *chooser.Chooser {
	c := standardize(questions)
	all := make([]*Question, len(questions)) // as the units see them
	for i, q := range questions {
		if i > 0 && q == questions[i-1] { // asked again
			all[i] = all[i-1]
			continue
		}
		all[i] = &Question{Quality: q.Quality}
		for _, f := range q.Features {
			all[i].Features = append(all[i].Features, c.Standardized(f))
		}
	}
	for n := range size.Networks {
		for _, unit := range network(all, to, steps, size.Units, rand.New(rand.NewPCG(1, uint64(n)+2))) {
			unit.Weight /= float64(size.Networks)
			c.Units = append(c.Units, unit)
		}
	}
	return c
}

// network trains the units of one network on standardized features.
func network(questions []*Question, to Objective, steps, hidden int, rng *rand.Rand) []chooser.Unit {
	features := len(questions[0].Features[0])
	units := newUnits(hidden, features)
	scale := 1 / math.Sqrt(2*float64(features))
	for u := range units {
		unit := &units[u]
		for j := range features {
			unit.Own[j], unit.First[j] = scale*rng.NormFloat64(), scale*rng.NormFloat64()
		}
		unit.Weight = 0.1 * rng.NormFloat64()
	}
	mean, square := newUnits(hidden, features), newUnits(hidden, features)
	picked := make([]*Question, batch)
	for step := range steps {
		for i := range picked {
			picked[i] = questions[rng.IntN(len(questions))]
		}
		up := slope(units, picked, to)
		rate := firstRate*(1-float64(step)/float64(steps)) + lastRate
		one, two := 1-math.Pow(momentum, float64(step+1)), 1-math.Pow(inertia, float64(step+1))
		for u := range units {
			each(&units[u], &up[u], &mean[u], &square[u], func(v, g, m, s *float64, decays bool) {
				if decays {
					*g -= decay * *v
				}
				*m = momentum**m + (1-momentum)**g
				*s = inertia**s + (1-inertia)**g**g
				*v += rate * (*m / one) / (math.Sqrt(*s/two) + 1e-8)
			})
		}
	}
	return units
}

// newUnits returns so many hidden units for so many features, all numbers 0.
func newUnits(hidden, features int) []chooser.Unit {
	units := make([]chooser.Unit, hidden)
	for u := range units {
		units[u].Own, units[u].First = make([]float64, features), make([]float64, features)
	}
	return units
}

// each visits the numbers of four units together.
func each(a, b, c, d *chooser.Unit, visit func(a, b, c, d *float64, decays bool)) {
	visit(&a.Bias, &b.Bias, &c.Bias, &d.Bias, false)
	visit(&a.Weight, &b.Weight, &c.Weight, &d.Weight, true)
	for j := range a.Own {
		visit(&a.Own[j], &b.Own[j], &c.Own[j], &d.Own[j], true)
		visit(&a.First[j], &b.First[j], &c.First[j], &d.First[j], true)
	}
}

// standardize returns a chooser without units whose features have mean 0 and
// deviation 1 over all labellings.
func standardize(questions []*Question) *chooser.Chooser {
	features := len(questions[0].Features[0])
	c := &chooser.Chooser{Mean: make([]float64, features), Scale: make([]float64, features)}
	n := 0.0
	square := make([]float64, features)
	for _, q := range questions {
		for _, f := range q.Features {
			n++
			for j, v := range f {
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

// slope is the gradient of the objective, the mean over questions.
func slope(units []chooser.Unit, questions []*Question, to Objective) []chooser.Unit {
	parts := make([][]chooser.Unit, chunks)
	var wait sync.WaitGroup
	for n := range parts {
		wait.Go(func() {
			part := newUnits(len(units), len(units[0].Own))
			for i := n; i < len(questions); i += chunks {
				climb(units, part, questions[i], to, 1/float64(len(questions)))
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

// climb adds the gradient for one question, times scale.
func climb(units, sum []chooser.Unit, q *Question, to Objective, scale float64) {
	n := len(q.Features)
	active := make([]float64, n*len(units))
	score := make([]float64, n)
	first := q.Features[0]
	for u := range units {
		unit := &units[u]
		of := unit.Bias + chooser.Dot(unit.First, first)
		for i := range n {
			if a := of + chooser.Dot(unit.Own, q.Features[i]); a > 0 {
				active[i*len(units)+u] = a
				score[i] += unit.Weight * a
			}
		}
	}
	softmax(score)
	for i, up := range to(score, q.Quality) {
		up *= scale
		for u := range units {
			a := active[i*len(units)+u]
			if a <= 0 {
				continue
			}
			sum[u].Weight += up * a
			through := up * units[u].Weight
			sum[u].Bias += through
			for j, v := range q.Features[i] {
				sum[u].Own[j] += through * v
				sum[u].First[j] += through * first[j]
			}
		}
	}
}

// softmax turns scores into probabilities in proportion to their exponentials.
func softmax(scores []float64) {
	top, total := slices.Max(scores), 0.0
	for i, s := range scores {
		scores[i] = math.Exp(s - top)
		total += scores[i]
	}
	for i := range scores {
		scores[i] /= total
	}
}

// Source returns the Go source of a chooser that a command makes, to five digits.
func Source(c *chooser.Chooser, name, command string) ([]byte, error) {
	var b bytes.Buffer
	list := func(f []float64) string {
		s := "[]float64{"
		for j, v := range f {
			if j > 0 {
				s += ", "
			}
			s += fmt.Sprintf("%.5g", v)
		}
		return s + "}"
	}
	fmt.Fprintf(&b, "// Code generated by 'evaluate %s'; DO NOT EDIT.\n\npackage chooser\n\n// %[2]s is what the command has learned.\nvar %[2]s = Chooser{\n", command, name)
	fmt.Fprintf(&b, "Mean: %s,\nScale: %s,\nUnits: []Unit{\n", list(c.Mean), list(c.Scale))
	for _, unit := range c.Units {
		fmt.Fprintf(&b, "{%.5g, %.5g, %s, %s},\n", unit.Bias, unit.Weight, list(unit.Own), list(unit.First))
	}
	fmt.Fprint(&b, "},\n}\n")
	return format.Source(b.Bytes())
}
