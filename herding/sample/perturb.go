package sample

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"collie/crf"
	"collie/herding"
)

// Perturb is perturb-and-MAP (Papandreou and Yuille 2011,
// doi:10.1109/ICCV.2011.6126242): rank 0 maximises the energy, every other
// hypothesis the energy with Gumbel noise of mean 0 on the unaries,
//
//	x = argmax E + Temperature·Σ_i γ_i(x_i) + Σ_levels Weight·Σ_i γ_group(i)(x_i).
//
// Without edges, noise per node gives samples of the Gibbs distribution. It
// averages out within an object, so that labellings differ by specks; noise
// that regions of the superpixel hierarchy share changes whole objects. Noise
// on the whole image alone is a label bias. The hypotheses are independent of
// each other, up to what an approximate maximiser takes over from the last one.
type Perturb struct {
	Model       *crf.Model
	Solver      crf.Options
	Temperature float64 // of the noise per node
	Levels      []Level
	Seed        uint64
}

// Level is noise that the nodes of a group share: Group[i] is the group of node
// i, numbered from 0; nil puts all nodes in one.
type Level struct {
	Group  []int32
	Weight float64
}

// Run is herding.Source.Run. One maximisation per hypothesis; a longer run
// begins with a shorter one.
func (s *Perturb) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return herding.Steps(ctx, count, func() (herding.Stepper, error) { return s.Start() })
}

// Perturbed makes the hypotheses of a Perturb one after the other. Not for
// concurrent use.
type Perturbed struct {
	from   *Perturb
	model  *crf.Model // with the current noise
	solver *crf.Solver
	rng    *rand.PCG
	last   []uint8
	noise  []float64 // of a level's groups, groups × labels
	rank   int
}

// Start returns the first state of a run, or what is wrong with the source.
func (s *Perturb) Start() (*Perturbed, error) {
	p := herding.Problem{Model: s.Model}
	if err := p.Ready(); err != nil {
		return nil, err
	}
	groups := 1
	weights := []float64{s.Temperature}
	for n, level := range s.Levels {
		weights = append(weights, level.Weight)
		if level.Group == nil {
			continue
		}
		if len(level.Group) != s.Model.Nodes {
			return nil, fmt.Errorf("%w: level %d has the groups of %d nodes, need %d", herding.ErrShape, n, len(level.Group), s.Model.Nodes)
		}
		for i, g := range level.Group {
			if g < 0 || int(g) >= s.Model.Nodes {
				return nil, fmt.Errorf("%w: node %d is in group %d of level %d, want 0 to %d", herding.ErrRange, i, g, n, s.Model.Nodes-1)
			}
			groups = max(groups, int(g)+1)
		}
	}
	for _, w := range weights {
		if !(w >= 0 && w <= herding.MaxEnergy) {
			return nil, fmt.Errorf("%w: weight of noise %v, want 0 to %v", herding.ErrRange, w, herding.MaxEnergy)
		}
	}
	m := *s.Model
	m.Unary = slices.Clone(m.Unary)
	return &Perturbed{
		from: s, model: &m, solver: crf.NewSolver(&m, s.Solver), rng: rand.NewPCG(s.Seed, 0),
		noise: make([]float64, groups*m.Labels),
	}, nil
}

// Next computes the next hypothesis.
func (s *Perturbed) Next() herding.Hypothesis {
	copy(s.model.Unary, s.from.Model.Unary)
	if s.rank > 0 {
		s.perturb()
	}
	res := s.solver.Solve(s.last)
	s.last = slices.Clone(res.Labels)
	h := herding.Hypothesis{
		Rank: s.rank, Labels: slices.Clone(res.Labels), Energy: s.from.Model.Energy(res.Labels),
		Optimal: res.Optimal, Sweeps: res.Sweeps, Solves: 1,
	}
	s.rank++
	return h
}

// perturb draws noise. Clamped nodes draw, too: it changes nothing there.
func (s *Perturbed) perturb() {
	k := s.model.Labels
	if t := s.from.Temperature; t > 0 {
		for i := range s.model.Unary {
			s.model.Unary[i] += float64(t * Gumbel(s.rng))
		}
	}
	for _, level := range s.from.Levels {
		groups := 1
		if level.Group != nil {
			groups = int(slices.Max(level.Group)) + 1
		}
		for i := range groups * k {
			s.noise[i] = float64(level.Weight * Gumbel(s.rng))
		}
		for i := range s.model.Nodes {
			at := 0
			if level.Group != nil {
				at = int(level.Group[i]) * k
			}
			for l, v := range s.noise[at : at+k] {
				s.model.Unary[i*k+l] += v
			}
		}
	}
}
