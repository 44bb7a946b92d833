package herding

import (
	"context"
	"iter"
	"math"
	"slices"

	"collie/crf"
)

// Hypothesis is one labelling of a sequence.
type Hypothesis struct {
	Rank    int     // place in the sequence, from 0
	Labels  []uint8 // one per node; owned by the receiver
	Energy  float64 // under the problem's original Model, not θ(m)
	Optimal bool    // proved to maximise the energy of this step's θ
	Sweeps  int     // message passing sweeps of this step
	Weight  float64 // relative to the source's other hypotheses, if it weighs them; 0 = equal weights
	Solves  int     // maximisations of this step; its share if the source computes them together
	// Slack is θ·φ(x) - θ·μ over the coordinates with a rate above 0, before
	// the update. While it is ≥ 0 (Condition), the mean statistics reach the
	// moments at the rate O(1/M) even if the maximiser is approximate (Chen 2012).
	Slack     float64
	Condition bool
}

// slackTolerance allows for rounding in Chen's condition.
const slackTolerance = 1e-9

// Run streams the first count hypotheses of the problem's Sequence. It checks
// the context before each step; the context's error, or that of an invalid
// problem, is yielded once and ends the stream.
func (p *Problem) Run(ctx context.Context, count int) iter.Seq2[Hypothesis, error] {
	return Steps(ctx, count, func() (Stepper, error) { return NewSequence(p) })
}

// Sequence computes the hypotheses of a problem one after the other. Duplicates
// are part of it: their number gives the moments' weights. The first
// maximisation starts cold, so equal problems give equal bits; later ones start
// from the previous step. Not for concurrent use.
type Sequence struct {
	p      *Problem
	model  *crf.Model // θ(m)
	solver *crf.Solver
	deep   *crf.Solver // for steps where Chen's condition failed, made when needed
	last   []uint8     // labels of the previous step
	rank   int         // of the next hypothesis

	unary   []float64 // θ_i(l) without the area term, n×k
	area    []float64 // θ of the area statistics, k
	share   []float64 // area of a node / total area
	covered []float64 // scratch: share of each class in x
	regions []*region
	scale   float64 // of θ and η
	owns    bool    // the edges of the model, which are the problem's until one changes
}

// NewSequence returns the sequence of a problem, which it only reads, or an
// error of Validate or ErrNoInformation.
func NewSequence(p *Problem) (*Sequence, error) {
	if err := p.Ready(); err != nil {
		return nil, err
	}
	m := *p.Model
	m.Unary = slices.Clone(m.Unary)
	r := &Sequence{p: p, model: &m, unary: m.Unary, scale: 1}
	if p.AreaMoments != nil || p.Regions != nil {
		r.unary = slices.Clone(m.Unary)
	}
	if p.AreaMoments != nil {
		r.area = make([]float64, m.Labels)
		r.covered = make([]float64, m.Labels)
		r.share = p.Shares()
	}
	for _, moments := range p.Regions {
		r.regions = append(r.regions, newRegion(moments, p.Area, m.Labels))
	}
	r.solver = crf.NewSolver(&m, p.Solver)
	return r, nil
}

// Next computes the next hypothesis. It costs a maximisation plus O(n·k +
// edges) for the update.
func (r *Sequence) Next() Hypothesis {
	res := r.solver.Solve(r.last)
	slack := r.slack(res.Labels)
	solves := 1
	if slack < -slackTolerance && r.p.Solver.Method != crf.LBP && r.repairable(res, slack) {
		if r.deep == nil {
			r.deep = crf.NewSolver(r.model, crf.Options{Sweeps: 30, Kicks: 20, Seed: r.p.Solver.Seed})
		}
		again := r.deep.Solve(res.Labels)
		again.Sweeps += res.Sweeps
		solves++
		res = again
		slack = r.slack(res.Labels)
	}
	h := Hypothesis{
		Rank:      r.rank,
		Labels:    slices.Clone(res.Labels),
		Energy:    r.p.Model.Energy(res.Labels),
		Optimal:   res.Optimal,
		Sweeps:    res.Sweeps,
		Solves:    solves,
		Slack:     slack,
		Condition: slack >= -slackTolerance,
	}
	r.last = slices.Clone(h.Labels) // the receiver can change its copy
	if r.rank == 0 && r.p.Later != (crf.Options{}) && r.p.Solver.Method == crf.Auto {
		r.solver.Continue(r.p.Later)
	}
	r.rank++
	r.update(h.Labels)
	return h
}

// repairable reports whether more energy, up to the bound, could make up for a
// negative slack. With moments that no distribution has it often can't.
func (r *Sequence) repairable(res crf.Result, slack float64) bool {
	return !res.Optimal && res.Bound-res.Energy >= float64(-slack*r.scale)
}

// fixed reports whether node i is clamped.
func (r *Sequence) fixed(i int) bool { return r.model.Fixed != nil && r.model.Fixed[i] >= 0 }

// moves reports whether the unaries of node i are updated.
func (r *Sequence) moves(i int) bool {
	return !r.fixed(i) && (r.p.Carries == nil || r.p.Carries[i])
}

func (r *Sequence) movesUnary() bool { return r.p.UnaryMoments != nil && r.p.EtaUnary > 0 }
func (r *Sequence) movesPair() bool  { return r.p.PairMoments != nil && r.p.EtaPair > 0 }
func (r *Sequence) movesArea() bool  { return r.p.AreaMoments != nil && r.p.EtaArea > 0 }

// slack is θ·φ(x) - θ·μ in the units of the problem.
func (r *Sequence) slack(x []uint8) float64 {
	k := r.model.Labels
	sum := 0.0
	if r.movesUnary() {
		for i, l := range x {
			if !r.moves(i) {
				continue
			}
			theta, mu := r.unary[i*k:(i+1)*k], r.p.UnaryMoments[i*k:(i+1)*k]
			sum += theta[l]
			for l, t := range theta {
				sum -= float64(t * mu[l])
			}
		}
	}
	if r.movesPair() {
		for e, edge := range r.model.Edges {
			if r.fixed(int(edge.A)) && r.fixed(int(edge.B)) {
				continue
			}
			sum -= float64(edge.W * (r.p.PairMoments[e] - equal(x, edge)))
		}
	}
	if r.movesArea() {
		r.cover(x)
		for l, t := range r.area {
			sum += float64(t * (r.covered[l] - r.p.AreaMoments[l]))
		}
	}
	for _, g := range r.regions {
		sum += g.slack(x)
	}
	return sum / r.scale
}

// update moves θ by η(μ - φ(x)) and keeps its norm in bounds.
func (r *Sequence) update(x []uint8) {
	k := r.model.Labels
	norm := 0.0
	if r.movesUnary() {
		eta := float64(r.p.EtaUnary * r.scale)
		for i, l := range x {
			if !r.moves(i) {
				continue
			}
			theta, mu := r.unary[i*k:(i+1)*k], r.p.UnaryMoments[i*k:(i+1)*k]
			for l := range theta {
				theta[l] += float64(eta * mu[l])
			}
			theta[l] -= eta
			for _, t := range theta {
				norm += float64(t * t)
			}
		}
	}
	if r.movesPair() {
		r.ownEdges()
		eta := float64(2 * r.p.EtaPair * r.scale)
		for e := range r.model.Edges {
			edge := &r.model.Edges[e]
			if r.fixed(int(edge.A)) && r.fixed(int(edge.B)) {
				continue
			}
			edge.W += float64(eta * (r.p.PairMoments[e] - equal(x, *edge)))
			norm += float64(edge.W * edge.W)
		}
	}
	if r.movesArea() {
		eta := float64(r.p.EtaArea * float64(len(x)) * r.scale)
		r.cover(x)
		for l := range r.area {
			r.area[l] += float64(eta * (r.p.AreaMoments[l] - r.covered[l]))
			norm += float64(r.area[l] * r.area[l])
		}
	}
	for _, g := range r.regions {
		norm += g.update(x, r.scale)
	}
	r.rescale(norm)
	r.compose()
}

// compose adds up θ of the unaries, the areas and the regions.
func (r *Sequence) compose() {
	k := r.model.Labels
	switch {
	case r.area != nil:
		for i, s := range r.share {
			for l, a := range r.area {
				r.model.Unary[i*k+l] = r.unary[i*k+l] + float64(a*s)
			}
		}
	case r.regions != nil:
		copy(r.model.Unary, r.unary)
	}
	for _, g := range r.regions {
		g.addTo(r.model.Unary)
	}
}

// ownEdges copies the edges before the first of them changes.
func (r *Sequence) ownEdges() {
	if !r.owns {
		r.model.Edges, r.owns = slices.Clone(r.model.Edges), true
	}
}

// rescale halves θ, η and the solver's messages while ‖θ‖² is out of bounds.
// Halving is exact, so it changes no label of the sequence.
func (r *Sequence) rescale(square float64) {
	bound := r.p.NormBound
	if bound == 0 {
		bound = 1e6
	}
	f := 1.0
	for ; math.Sqrt(square)*f > bound; f /= 2 {
	}
	if f == 1 {
		return
	}
	r.scale *= f
	scaled := [][]float64{r.unary, r.area}
	for _, g := range r.regions {
		scaled = append(scaled, g.theta)
	}
	for _, v := range scaled {
		for i := range v {
			v[i] = float64(v[i] * f)
		}
	}
	r.ownEdges()
	for e := range r.model.Edges {
		r.model.Edges[e].W = float64(r.model.Edges[e].W * f)
	}
	r.solver.Scale(f)
	if r.deep != nil {
		r.deep.Scale(f)
	}
}

// cover sums the share of the area of each class.
func (r *Sequence) cover(x []uint8) {
	clear(r.covered)
	for i, l := range x {
		r.covered[l] += r.share[i]
	}
}

// equal is 1 when the ends of an edge agree.
func equal(x []uint8, e crf.Edge) float64 {
	if x[e.A] == x[e.B] {
		return 1
	}
	return 0
}
