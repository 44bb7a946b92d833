package crf

import (
	"cmp"
	"math"
	"math/rand/v2"
)

// Method selects how a Solver maximises.
type Method uint8

const (
	// Auto chooses the method by the model. Without negative weights: a minimum
	// cut for two labels, which is exact, and TRW-S with expansion moves for
	// more. Otherwise TRW-S, then exact moves over random forests from its
	// labelling, from the start and from a cold damped LBP.
	Auto Method = iota
	// TRWS is sequential tree-reweighted message passing with an ICM polish.
	TRWS
	// LBP is flooding max-product belief propagation from zero messages, as
	// the paper's experiments used. No polish, no bound.
	LBP
	// Cuts are expansion moves from the labelling that Solve starts with, and for
	// two labels a minimum cut; no message passing, and no bound for more labels.
	// They suit a step to a similar model. Negative weights need Auto's search.
	Cuts
)

// Options of a Solver. The zero value is the default, made for a sequence of
// similar models; see also Thorough.
type Options struct {
	Method Method
	// Sweeps of message passing. 0 = 50 rounds for LBP, at most 100 for TRWS,
	// and for Auto 10 with negative weights or, without, as many as are worth
	// it, at most 100.
	Sweeps int
	// Cycles of expansion moves over all labels, at most; 0 = 5.
	Cycles int
	// CutsAfter is how many sweeps come before the expansion moves, at most; 0 =
	// 10. More sweeps often prove the optimum without them.
	CutsAfter int
	// Kicks of an iterated local search when Auto has not proved the optimum
	// (0 = 8 with negative weights and none without).
	Kicks int
	// Rounds of so many kicks each, at most, with fusion moves around them, which
	// find what kicks alone do not; 4 to 8 ms each for 600 nodes. 0 = kicks alone.
	Rounds int
	// Seed of the tree moves and the kicks.
	Seed uint64
}

// Thorough are Options for a single model of unknown kind. One with negative weights
// and 600 nodes takes 0.1 to 0.4 s.
var Thorough = Options{Sweeps: 100, CutsAfter: 50, Kicks: 5, Rounds: 80}

// Result of one Solve.
type Result struct {
	Labels  []uint8 // one per node; owned by the Solver, overwritten by the next Solve
	Energy  float64 // Model.Energy(Labels)
	Bound   float64 // no labelling has more energy, up to rounding; +Inf without one
	Sweeps  int     // number of message passing sweeps
	Optimal bool    // Bound - Energy < 1e-6: proved
}

const (
	// gap at which a labelling counts as proved optimal.
	gap = 1e-6
	// treeRounds and treePatience limit the tree moves from one labelling.
	treeRounds, treePatience = 10, 3
	// floodRounds and floodDamping of the LBP from which tree moves start.
	floodRounds, floodDamping = 10, 0.5
	// sweepsBeforeCuts are made before the expansion moves; after them further
	// rounds of sweeps follow while a round closes enough of the gap.
	sweepsBeforeCuts, sweepRound, enough = 10, 10, 0.5
	expansionCycles                      = 5
	// mixedKicks are those of models with negative weights.
	mixedKicks = 8
)

// Solver maximises the energy of one model. It owns all buffers, so sweeps
// allocate nothing. It is not for concurrent use.
type Solver struct {
	m   *Model
	opt Options
	g   *graph
	rng *rand.PCG
	crosser
	trws   *trws   // these are made when first needed
	lbp    *lbp    //
	cuts   *cuts   //
	trees  *trees  //
	search *search //

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
		m: m, opt: opt, g: g, rng: rand.NewPCG(opt.Seed, 0), crosser: newCrosser(g),
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
// like a new Solver's.
func (s *Solver) Reset() {
	if s.trws != nil {
		s.trws.forget()
	}
	if s.cuts != nil {
		s.cuts.forget()
	}
	if s.trees != nil {
		s.trees.forget()
	}
	s.rng.Seed(s.opt.Seed, 0)
}

// Continue sets the options for the next Solve on, without a new seed. Cuts of a model
// without negative weights need no messages, half of the solver's memory, so these go.
func (s *Solver) Continue(opt Options) {
	s.opt = opt
	if opt.Method == Cuts && !s.g.negative {
		s.trws = nil
	}
}

// Scale multiplies the messages by f, for a model whose unaries and weights
// have all been multiplied by f since the last Solve.
func (s *Solver) Scale(f float64) {
	if s.trws != nil {
		s.trws.scale(f)
	}
}

// Solve maximises the model's current energy. TRW-S goes on from the messages,
// and a cut of two labels from the flow, of the last Solve (see Reset). start, when
// not nil, is a labelling of all nodes that competes: the result is no worse, but for
// rounding and the 1e-6 of a proof. LBP ignores it. Clamps win over start.
func (s *Solver) Solve(start []uint8) Result {
	s.g.load(s.m)
	if s.trws != nil {
		s.trws.reload()
	}
	s.energy = math.Inf(-1)
	r := Result{Bound: math.Inf(1)}
	switch s.opt.Method {
	case LBP:
		r.Sweeps = s.sweeps(50)
		s.flood(r.Sweeps, 0)
		s.take()
	case TRWS:
		s.sweep(&r, s.sweeps(100))
		if !s.proved(&r) {
			s.begin(start, s.take)
			copy(s.x, s.best)
			s.polish()
		}
	default:
		kicks := s.opt.Kicks
		if s.g.negative {
			s.mixed(&r, start)
			if kicks == 0 {
				kicks = mixedKicks
			}
		} else {
			s.attractive(&r, start)
		}
		if kicks > 0 && !s.proved(&r) {
			s.kick(kicks)
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

func (s *Solver) sweeps(otherwise int) int {
	if s.opt.Sweeps > 0 {
		return s.opt.Sweeps
	}
	return otherwise
}

func (s *Solver) proved(r *Result) bool { return r.Bound-s.energy < gap }

// take merges x into the best labelling so far.
func (s *Solver) take() {
	if math.IsInf(s.energy, -1) {
		copy(s.best, s.x)
		s.energy = s.g.energy(s.best)
		return
	}
	s.energy += s.cross(s.best, s.x)
}

// polish takes x after ICM.
func (s *Solver) polish() {
	s.g.icm(s.x, s.score)
	s.take()
}

// begin improves the start, if it is not nil.
func (s *Solver) begin(start []uint8, improve func()) {
	if start == nil {
		return
	}
	for f, i := range s.g.free {
		s.x[f] = start[i]
	}
	improve()
}

// sweep runs TRW-S until the bound is met or the limit reached, and merges the
// labellings it reads off on the way.
func (s *Solver) sweep(r *Result, limit int) {
	if s.trws == nil {
		s.trws = newTRWS(s.g)
	}
	for r.Sweeps < limit && !s.proved(r) {
		s.trws.forward(s.x)
		s.take()
		r.Bound = min(r.Bound, s.trws.backward())
		r.Sweeps++
	}
}

func (s *Solver) flood(rounds int, damping float64) {
	if s.lbp == nil {
		s.lbp = newLBP(s.g)
	}
	s.lbp.run(rounds, damping, s.x)
}

// attractive is Auto, or Cuts, without negative weights.
func (s *Solver) attractive(r *Result, start []uint8) {
	if s.m.Labels == 2 {
		s.needCuts()
		s.cuts.twoLabels(s.x)
		s.take()
		r.Bound = s.energy
		return
	}
	if s.opt.Method == Cuts {
		for i := range s.x {
			s.x[i] = s.g.best(i, s.g.theta[i*s.g.labels:(i+1)*s.g.labels])
		}
		s.begin(start, func() {})
		s.expand()
		return
	}
	limit := s.sweeps(100)
	s.sweep(r, min(limit, cmp.Or(s.opt.CutsAfter, sweepsBeforeCuts)))
	if s.proved(r) {
		return
	}
	s.begin(start, s.take)
	copy(s.x, s.best)
	s.expand()
	for r.Sweeps < limit && !s.proved(r) {
		before := r.Bound - s.energy
		s.sweep(r, min(limit, r.Sweeps+sweepRound))
		if s.opt.Sweeps == 0 && r.Bound-s.energy > float64((1-enough)*before) {
			return
		}
	}
}

// expand takes x after expansion moves.
func (s *Solver) expand() {
	s.needCuts()
	s.cuts.expand(s.x, cmp.Or(s.opt.Cycles, expansionCycles))
	s.take()
}

// mixed is Auto with negative weights.
func (s *Solver) mixed(r *Result, start []uint8) {
	s.sweep(r, s.sweeps(10))
	if s.proved(r) {
		return
	}
	s.needTrees()
	copy(s.x, s.best)
	s.climb()
	s.begin(start, s.climb)
	if start == nil {
		s.flood(floodRounds, floodDamping)
		s.climb()
	}
}

// kick continues the search from the best labelling.
func (s *Solver) kick(kicks int) {
	s.needTrees()
	if s.search == nil {
		s.search = newSearch(s.g)
	}
	copy(s.x, s.best)
	s.search.load()
	if s.opt.Rounds > 0 {
		s.search.rounds(s.x, s.opt.Rounds, kicks, s.trees, &s.crosser, s.rng)
	} else {
		s.search.run(s.x, kicks, s.trees, &s.crosser, s.rng, nil)
	}
	s.polish()
}

func (s *Solver) needCuts() {
	if s.cuts == nil {
		s.cuts = newCuts(s.g, &s.crosser)
	}
}

func (s *Solver) needTrees() {
	if s.trees == nil {
		s.trees = newTrees(s.g, s.rng)
	}
}

// climb takes x after tree moves and ICM.
func (s *Solver) climb() {
	s.trees.improve(s.x, treeRounds, treePatience)
	s.polish()
}
