package sample

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"collie/crf"
	"collie/herding"
)

// Kernel is a step of a Markov chain whose stationary distribution is
// π(x) ∝ exp(E(x)/T).
type Kernel uint8

const (
	// Sites draws one node after the other given its neighbours (Geman and
	// Geman 1984, doi:10.1109/TPAMI.1984.4767596).
	Sites Kernel = iota
	// Clusters bonds equal neighbours and draws the label of a whole cluster
	// (Swendsen and Wang 1987, doi:10.1103/PhysRevLett.58.86; Barbu and Zhu
	// 2005, doi:10.1109/TPAMI.2005.161). Negative edges count between clusters.
	Clusters
	// Swaps bonds what positive and negative edges are content with and
	// exchanges two labels within a cluster, for models with negative edges
	// (Porway and Zhu 2011, doi:10.1109/TPAMI.2011.27).
	Swaps
)

// Chain samples labellings by a Markov chain that starts at the best labelling
// found. Consecutive hypotheses depend on each other, the less the more sweeps
// lie between them; with strong edges Sites hardly ever leaves a mode.
//
// Samples are speckled. They are the reference for statistics, such as the
// range of an area; see package diverse for what takes the specks away.
type Chain struct {
	Model       *crf.Model
	Solver      crf.Options // of rank 0
	Kernels     []Kernel    // one sweep is a step of each in turn; nil = Sites
	Temperature float64     // T; 0 = 1
	BurnIn      int         // sweeps before rank 1; 0 = 20
	Every       int         // sweeps from one hypothesis to the next; 0 = 10
	Seed        uint64
}

// Run is herding.Source.Run. A sweep takes O(n·k + edges).
func (c *Chain) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return herding.Steps(ctx, count, func() (herding.Stepper, error) { return c.Start() })
}

// Walk is a running chain. Not for concurrent use.
type Walk struct {
	from        Chain
	f           *crf.Folded
	x           []uint8 // free nodes
	rng         *rand.PCG
	rank        int
	optimal     bool
	sweeps      int
	score, draw []float64
	clusters    clusters
}

// Start returns the chain at rank 0, or what is wrong with it.
func (c *Chain) Start() (*Walk, error) {
	p := herding.Problem{Model: c.Model}
	if err := p.Ready(); err != nil {
		return nil, err
	}
	if !(c.Temperature >= 0) || math.IsInf(c.Temperature, 1) {
		return nil, fmt.Errorf("%w: temperature %v, want finite numbers from 0, where 0 means 1", herding.ErrRange, c.Temperature)
	}
	if c.BurnIn < 0 || c.Every < 0 {
		return nil, fmt.Errorf("%w: %d and %d sweeps, want numbers from 0", herding.ErrRange, c.BurnIn, c.Every)
	}
	res := crf.NewSolver(c.Model, c.Solver).Solve(nil)
	f := crf.Fold(c.Model)
	w := &Walk{from: *c, f: f, x: f.Pick(res.Labels), rng: rand.NewPCG(c.Seed, 0), optimal: res.Optimal, sweeps: res.Sweeps}
	if c.Temperature == 0 {
		w.from.Temperature = 1
	}
	if c.BurnIn == 0 {
		w.from.BurnIn = 20
	}
	if c.Every == 0 {
		w.from.Every = 10
	}
	if c.Kernels == nil {
		w.from.Kernels = []Kernel{Sites}
	}
	if slices.ContainsFunc(w.from.Kernels, func(k Kernel) bool { return k > Swaps }) {
		return nil, fmt.Errorf("%w: kernels %v, want %d to %d", herding.ErrRange, w.from.Kernels, Sites, Swaps)
	}
	w.score, w.draw = make([]float64, c.Model.Labels), make([]float64, c.Model.Labels)
	w.clusters = newClusters(f)
	return w, nil
}

// Next returns the best labelling first, then samples.
func (w *Walk) Next() herding.Hypothesis {
	h := herding.Hypothesis{Rank: w.rank}
	switch w.rank {
	case 0:
		h.Optimal, h.Sweeps, h.Solves = w.optimal, w.sweeps, 1
	case 1:
		w.sweep(w.from.BurnIn)
	default:
		w.sweep(w.from.Every)
	}
	w.rank++
	h.Labels = w.f.Whole(w.x)
	h.Energy = w.from.Model.Energy(h.Labels)
	return h
}

func (w *Walk) sweep(times int) {
	for range times {
		for _, k := range w.from.Kernels {
			switch k {
			case Sites:
				w.sites()
			case Clusters:
				w.recolour()
			case Swaps:
				w.swap()
			}
		}
	}
}

// sites draws each free node given the others.
func (w *Walk) sites() {
	for i := range w.x {
		w.f.Local(i, w.x, w.score)
		w.x[i] = w.choose(w.score)
	}
}

// choose draws a label with P(l) ∝ exp(score[l]/T).
func (w *Walk) choose(score []float64) uint8 {
	top := slices.Max(score)
	sum := 0.0
	for l, s := range score {
		w.draw[l] = crf.Exp((s - top) / w.from.Temperature)
		sum += w.draw[l]
	}
	at := float64(uniform(w.rng) * sum)
	for l, v := range w.draw[:len(score)-1] {
		if at -= v; at < 0 {
			return uint8(l)
		}
	}
	return uint8(len(score) - 1)
}
