package crf

import (
	"math"
	"math/rand/v2"
)

// Method selects how a Solver maximises.
type Method uint8

const (
	// Auto suits the maximiser to the signs of the weights: TRWS without a
	// negative edge, Trees otherwise.
	Auto Method = iota
	// TRWS is sequential tree-reweighted message passing with an ICM polish.
	// It proves the optimum of most models without negative edges.
	TRWS
	// Trees is a few TRWS sweeps, then exact moves over random forests from
	// the labelling they give, from a cold damped LBP and from the start.
	Trees
	// LBP is 50 rounds of flooding max-product belief propagation from zero
	// messages, as the paper's experiments used. No polish, no bound.
	LBP
)

// Options of a Solver. The zero value is the default.
type Options struct {
	Method Method
	// Sweeps limits the sweeps of TRWS (0 = 100; with Trees 0 = 10) and sets
	// the rounds of LBP (0 = 50).
	Sweeps int
	// Rounds limits the tree moves from each start (0 = 30).
	Rounds int
	// Seed of the tree moves.
	Seed uint64
}

// Result of one Solve.
type Result struct {
	Labels  []uint8 // one per node; owned by the Solver, overwritten by the next Solve
	Energy  float64 // Model.Energy(Labels)
	Bound   float64 // no labelling has more energy; +Inf with LBP
	Sweeps  int     // message passing sweeps made
	Optimal bool    // Bound - Energy < 1e-6: proved
}

// gap at which a labelling counts as proved optimal.
const gap = 1e-6

// Solver maximises the energy of one model. It owns all buffers, so sweeps
// allocate nothing. It is not for concurrent use.
type Solver struct {
	m     *Model
	opt   Options
	g     *graph
	rng   *rand.PCG
	trws  *trws
	lbp   *lbp
	trees *trees

	x, best, labels []uint8 // free, free, all nodes
	score           []float64
	energy          float64 // of best, without the constant
}

// NewSolver prepares a solver for a valid model. Unaries and weights of m may
// change between calls of Solve; the nodes, the ends of the edges and the
// clamps may not. Memory is O(edges·labels).
func NewSolver(m *Model, opt Options) *Solver {
	g := newGraph(m)
	s := &Solver{
		m: m, opt: opt, g: g, rng: rand.NewPCG(opt.Seed, 0),
		x: make([]uint8, len(g.free)), best: make([]uint8, len(g.free)),
		labels: make([]uint8, m.Nodes), score: make([]float64, m.Labels),
	}
	for i := range s.labels {
		if g.of[i] < 0 {
			s.labels[i] = uint8(m.Fixed[i])
		}
	}
	return s
}

// Reset forgets the messages and the random state, so that the next Solve is
// that of a new Solver.
func (s *Solver) Reset() {
	if s.trws != nil {
		clear(s.trws.msg)
	}
	s.rng.Seed(s.opt.Seed, 0)
}

// Scale multiplies the messages by f, for a model whose unaries and weights
// have all been multiplied by f since the last Solve.
func (s *Solver) Scale(f float64) {
	if s.trws != nil {
		scale(s.trws.msg, f)
	}
}

// Solve maximises the present energy of the model. TRWS goes on from the
// messages of the last Solve (see Reset). start, when not nil, is a labelling
// of all nodes that competes: the result is never below it (with LBP it is
// ignored). Clamps win over start.
func (s *Solver) Solve(start []uint8) Result {
	s.g.load(s.m)
	s.energy = math.Inf(-1)
	r := Result{Bound: math.Inf(1)}
	switch {
	case s.opt.Method == LBP:
		r.Sweeps = s.or(s.opt.Sweeps, 50)
		s.flood(r.Sweeps, 0)
		s.keep(s.g.energy(s.x))
	case s.opt.Method == Trees, s.opt.Method == Auto && s.g.negative:
		s.mixed(&r, start)
	default:
		s.sweep(&r, s.or(s.opt.Sweeps, 100))
		if !s.proved(&r) {
			copy(s.x, s.best)
			s.polish()
			s.begin(start, s.polish)
		}
	}
	for f, i := range s.g.free {
		s.labels[i] = s.best[f]
	}
	r.Labels = s.labels
	r.Optimal = s.proved(&r)
	r.Bound += s.g.constant
	r.Energy = s.m.Energy(s.labels)
	return r
}

func (s *Solver) or(v, otherwise int) int {
	if v > 0 {
		return v
	}
	return otherwise
}

func (s *Solver) proved(r *Result) bool { return r.Bound-s.energy < gap }

// keep takes x when it is better than what was found before.
func (s *Solver) keep(energy float64) {
	if energy > s.energy {
		s.energy = energy
		copy(s.best, s.x)
	}
}

// polish takes x after ICM.
func (s *Solver) polish() {
	s.g.icm(s.x, s.score)
	s.keep(s.g.energy(s.x))
}

// begin improves the start, if there is one.
func (s *Solver) begin(start []uint8, improve func()) {
	if start == nil {
		return
	}
	for f, i := range s.g.free {
		s.x[f] = start[i]
	}
	improve()
}

// sweep runs TRWS until the bound is met or the limit reached.
func (s *Solver) sweep(r *Result, limit int) {
	if s.trws == nil {
		s.trws = newTRWS(s.g)
	}
	for range limit {
		s.trws.forward()
		if e := s.g.energy(s.trws.x); e > s.energy {
			s.energy = e
			copy(s.best, s.trws.x)
		}
		r.Bound = min(r.Bound, s.trws.backward())
		r.Sweeps++
		if s.proved(r) {
			return
		}
	}
}

func (s *Solver) flood(rounds int, damping float64) {
	if s.lbp == nil {
		s.lbp = newLBP(s.g)
	}
	s.lbp.run(rounds, damping, s.x)
}

// mixed is the method for models with negative edges.
func (s *Solver) mixed(r *Result, start []uint8) {
	s.sweep(r, s.or(s.opt.Sweeps, 10))
	if s.proved(r) {
		return
	}
	if s.trees == nil {
		s.trees = newTrees(s.g, s.rng)
	}
	copy(s.x, s.best)
	s.climb()
	s.begin(start, s.climb)
	s.flood(s.or(s.opt.Sweeps, 10), 0.5)
	s.climb()
}

// climb takes x after tree moves and ICM.
func (s *Solver) climb() {
	s.trees.improve(s.x, s.or(s.opt.Rounds, 30), 8)
	s.polish()
}
