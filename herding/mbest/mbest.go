// Package mbest finds the M best labellings of a model, those of largest energy
// that differ at all. They are near copies of the best one, so they show how
// certain an answer is rather than the alternatives. For labellings that a
// person would call different see package diverse.
package mbest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"collie/crf"
	"collie/herding"
)

// BMMF is best max-marginal first (Yanover and Weiss 2003, 'Finding the M Most
// Probable Configurations Using Loopy Belief Propagation'): cells of a
// partition of all labellings, each with its best labelling and the best
// alternative to it. 2M-1 rounds of max-marginals. The labellings are exactly
// the M best where crf.MaxMarginals and the maximiser are exact, on forests and
// for two labels without negative weights. Elsewhere an output can be missed;
// Optimal marks hypotheses proved, with all before them, to be the best,
// see Bounds.
type BMMF struct {
	Model   *crf.Model
	Solver  crf.Options
	Confirm int // alternatives of a cell that a full maximisation confirms; 0 = 32

	// Bounds adds upper bounds of the alternatives that are not exact, by message
	// passing over spanning trees (Batra 2012), so that hypotheses can be proved
	// to be next. That takes up to 2000 sweeps for each of them.
	Bounds bool
}

// mostNodes is the limit of nodes×labels; up to it the rounds of max-marginals
// take seconds. mostBounded is the same with Bounds.
const (
	mostNodes   = 200_000
	mostBounded = 20_000
)

// cell is the set of labellings that obey some constraints.
type cell struct {
	constraints []constraint
	x           []uint8 // the best of them
	alternative constraint
	energy      float64 // of the alternative, -Inf without one
	bound       float64 // of all other labellings of the cell
}

// constraint forbids a label at a node, or all others.
type constraint struct {
	node  int
	label uint8
	only  bool
}

// Run is herding.Source.Run: the labellings by falling energy, the best first.
// Each is made when it is asked for, so that a longer run begins with a shorter
// one. With approximate max-marginals one may have more energy than the one
// before.
func (b *BMMF) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return func(yield func(herding.Hypothesis, error) bool) {
		s, err := b.start(ctx)
		if err != nil {
			yield(herding.Hypothesis{}, err)
			return
		}
		for rank := range count {
			if err := ctx.Err(); err != nil {
				yield(herding.Hypothesis{}, err)
				return
			}
			x, ok := s.first, true
			if rank > 0 {
				x, ok = s.next()
			}
			if !ok {
				return // the model has fewer labellings
			}
			h := herding.Hypothesis{Rank: rank, Labels: slices.Clone(x), Energy: b.Model.Energy(x), Solves: s.solves, Optimal: s.exact}
			s.solves = 0
			if !yield(h, nil) {
				return
			}
		}
	}
}

// state of a run.
type state struct {
	b       *BMMF
	first   []uint8
	cells   []*cell
	confirm *crf.Confirmer
	exact   bool
	solves  int
}

func (b *BMMF) start(ctx context.Context) (*state, error) {
	p := herding.Problem{Model: b.Model}
	if err := p.Ready(); err != nil {
		return nil, err
	}
	most, instead := mostNodes, "joint and herding take larger models"
	if b.Bounds {
		most, instead = mostBounded, "mbest, without bounds, takes larger models"
	}
	if size := b.Model.Nodes * b.Model.Labels; size > most {
		return nil, fmt.Errorf("%w: M-best labellings of %d nodes × %d labels, want up to %d together; %s", herding.ErrRange, b.Model.Nodes, b.Model.Labels, most, instead)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &state{b: b, confirm: crf.NewConfirmer(b.Model, b.Solver), exact: true, solves: 1}
	best := crf.NewSolver(b.Model, b.Solver).Solve(nil)
	s.first, s.exact = slices.Clone(best.Labels), best.Optimal
	root := &cell{x: s.first}
	s.look(root)
	s.cells = []*cell{root}
	return s, nil
}

// mask applies the constraints of a cell.
func (s *state) mask(constraints []constraint) {
	m := s.confirm.Mask
	m.Reset()
	for _, c := range constraints {
		if c.only {
			m.Only(c.node, c.label)
		} else {
			m.Forbid(c.node, c.label)
		}
	}
}

// look finds a cell's best alternative; ties go to the lower node and label.
func (s *state) look(c *cell) {
	c.energy = math.Inf(-1)
	s.mask(c.constraints)
	m := s.confirm.Mask
	confirm := s.b.Confirm
	if confirm == 0 {
		confirm = 32
	}
	mu, exact := crf.MaxMarginals(m.Model, c.x, confirm, s.b.Solver)
	k := s.b.Model.Labels
	for i := range c.x {
		for l := range k {
			if v := mu[i*k+l]; uint8(l) != c.x[i] && m.Allowed(i, uint8(l)) && v > c.energy {
				c.energy, c.alternative = v, constraint{i, uint8(l), true}
			}
		}
	}
	switch {
	case exact:
		c.bound = c.energy
	case !s.b.Bounds:
		c.bound = math.Inf(1)
	default:
		better, bound := secondBest(m.Model, c.x, c.energy)
		c.bound = bound
		for i := range better {
			if better[i] != c.x[i] && m.Allowed(i, better[i]) {
				c.energy, c.alternative = m.Model.Energy(better), constraint{i, better[i], true}
				break
			}
		}
	}
}

// next splits the cell of the best alternative.
func (s *state) next() ([]uint8, bool) {
	best := slices.MaxFunc(s.cells, func(a, b *cell) int { return cmp.Compare(a.energy, b.energy) })
	if math.IsInf(best.energy, -1) {
		return nil, false
	}
	bound := slices.MaxFunc(s.cells, func(a, b *cell) int { return cmp.Compare(a.bound, b.bound) }).bound
	there := append(slices.Clone(best.constraints), best.alternative)
	s.mask(there)
	start := slices.Clone(best.x)
	start[best.alternative.node] = best.alternative.label
	x := slices.Clone(s.confirm.Solve(start).Labels)
	s.solves++
	s.exact = s.exact && s.b.Model.Energy(x) >= bound-tolerance
	fresh := &cell{constraints: there, x: x}
	best.constraints = append(slices.Clone(best.constraints), constraint{best.alternative.node, best.alternative.label, false})
	s.look(fresh)
	s.look(best)
	s.cells = append(s.cells, fresh)
	return x, true
}
