package diverse

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"collie/crf"
	"collie/herding"
	"collie/herding/choose"
)

// Submodular adds one labelling after the other to a set S, each the best found
// of E(x) + Lambda·gain(x | S) (Prasad, Jegelka and Batra 2014, 'Submodular
// Meets Structured'). The gain is the increase of D, a monotone submodular
// function of the set, a mixture of
//
//   - Hamming: Σ_{y∈S} min(d(x,y), Radius)/Radius with d the area that differs,
//   - Labels: the labels that no labelling of S uses,
//   - Transitions: the pairs of labels with a border between them that S doesn't have;
//   - Balls: the labellings within Ball changes of one in S, as a share of a ball, from
//     below by pairs; see ballOverlap. With Ball = 0 that gives the M best labellings.
//
// Cut-based maximisers don't apply to these rewards. Labels and borders are
// forced where the marginals make them likely, and slopes replace the capped
// distance, so the paper's bound of 1 - 1/e doesn't hold. The list ends when
// nothing new improves the objective.
type Submodular struct {
	Model                        *crf.Model
	Solver                       crf.Options
	Marginals                    []float64 // nodes × labels; nil: the softmax of the unaries
	Area                         []float64 // shares of the whole area; nil for equal ones
	Lambda                       float64   // 0 = 0.15·Radius·nodes, which weighs short distances as in divMbest
	Hamming, Labels, Transitions float64   // weights; all and Balls 0 = 1 of each of these
	Radius                       float64   // area; 0 = 0.05
	Balls                        float64   // weight
	Ball                         int       // radius of a ball in nodes
}

// Rounds of slopes, the number of places where a label or a border is tried, and
// the largest radius of a ball.
const (
	mostBall     = 100
	slopeRounds  = 8
	likelyPlaces = 8
	likelyPairs  = 16
)

// Run is herding.Source.Run. Up to 10 + labels + 16 maximisations per labelling.
func (s *Submodular) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return func(yield func(herding.Hypothesis, error) bool) {
		g, err := s.start()
		if err != nil {
			yield(herding.Hypothesis{}, err)
			return
		}
		g.near = newNearest(context.WithoutCancel(ctx), s.Model, s.Solver)
		defer g.near.Close()
		for rank := range count {
			if err := ctx.Err(); err != nil {
				yield(herding.Hypothesis{}, err)
				return
			}
			g.solves = 0
			x := g.first
			if rank > 0 {
				if x, err = g.next(); err != nil {
					yield(herding.Hypothesis{}, err)
					return
				}
				if x == nil {
					return
				}
			}
			g.set = append(g.set, x)
			h := herding.Hypothesis{Rank: rank, Labels: slices.Clone(x), Energy: s.Model.Energy(x), Solves: max(g.solves, 1)}
			if !yield(h, nil) {
				return
			}
		}
	}
}

// greedy is the state of a run.
type greedy struct {
	Submodular
	set     [][]uint8
	first   []uint8 // the best labelling
	sloped  *crf.Model
	solver  *crf.Solver
	force   *crf.Forcer
	confirm *crf.Confirmer
	overlap []float64 // of balls by the distance of their centres
	near    *nearest
	solves  int
}

func (s *Submodular) start() (*greedy, error) {
	if err := (&herding.Problem{Model: s.Model, UnaryMoments: s.Marginals}).Ready(); err != nil {
		return nil, err
	}
	if s.Area != nil && len(s.Area) != s.Model.Nodes {
		return nil, fmt.Errorf("%w: areas of %d nodes, need %d", herding.ErrShape, len(s.Area), s.Model.Nodes)
	}
	g := &greedy{Submodular: *s}
	var err error
	if g.Radius, err = positive("radius", s.Radius, 0.05); err != nil {
		return nil, err
	}
	if g.Lambda, err = positive("diversity", s.Lambda, 0.15*g.Radius*float64(s.Model.Nodes)); err != nil {
		return nil, err
	}
	for _, w := range []float64{s.Hamming, s.Labels, s.Transitions, s.Balls} {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("%w: weight %v of a diversity, want finite numbers from 0", herding.ErrRange, w)
		}
	}
	if s.Ball < 0 || s.Ball > mostBall {
		return nil, fmt.Errorf("%w: balls of radius %d, want 0 to %d; use Hamming for larger distances", herding.ErrRange, s.Ball, mostBall)
	}
	if s.Balls > 0 {
		g.overlap = overlaps(s.Model.Nodes, s.Model.Labels, s.Ball)
	}
	if s.Hamming == 0 && s.Labels == 0 && s.Transitions == 0 && s.Balls == 0 {
		g.Hamming, g.Labels, g.Transitions = 1, 1, 1
	}
	if g.Marginals == nil {
		g.Marginals = herding.SoftmaxMoments(s.Model.Unary, s.Model.Labels)
	}
	if g.Area == nil {
		g.Area = (&herding.Problem{Model: s.Model}).Shares()
	}
	sloped := *s.Model
	sloped.Unary = slices.Clone(s.Model.Unary)
	g.sloped, g.solver = &sloped, crf.NewSolver(&sloped, s.Solver)
	g.first = slices.Clone(g.solver.Solve(nil).Labels)
	g.confirm = crf.NewConfirmer(s.Model, s.Solver)
	g.force = g.confirm.Forcer(g.first)
	return g, nil
}

// next is the best candidate, nil if none is new.
func (g *greedy) next() ([]uint8, error) {
	inBalls, err := g.inBalls()
	if err != nil {
		return nil, err
	}
	best, value := g.first, g.value(g.first)
	for _, x := range slices.Concat(g.capped(g.Lambda*g.Hamming, g.Radius, g.Area), g.newLabels(), g.newTransitions(), inBalls) {
		if v := g.value(x); v > value+least {
			best, value = x, v
		}
	}
	if slices.ContainsFunc(g.set, func(y []uint8) bool { return slices.Equal(y, best) }) {
		return nil, nil
	}
	return best, nil
}

func (g *greedy) value(x []uint8) float64 {
	return g.Model.Energy(x) + float64(g.Lambda*(g.diversity(append(slices.Clone(g.set), x))-g.diversity(g.set)))
}

// diversity is D of a set.
func (g *greedy) diversity(set [][]uint8) float64 {
	k := g.Model.Labels
	labels, pairs := make([]bool, k), make([]bool, k*k)
	sum := 0.0
	for n, x := range set {
		for _, y := range set[:n] {
			sum += float64(g.Hamming * min(choose.Differing(x, y, g.Area), g.Radius) / g.Radius)
			if d := differing(x, y); g.Balls > 0 && d < len(g.overlap) {
				sum -= float64(g.Balls * g.overlap[d])
			}
		}
		sum += g.Balls
		for _, l := range x {
			if !labels[l] {
				labels[l] = true
				sum += g.Labels
			}
		}
		for _, e := range g.Model.Edges {
			a, b := min(x[e.A], x[e.B]), max(x[e.A], x[e.B])
			if at := int(a)*k + int(b); a != b && !pairs[at] {
				pairs[at] = true
				sum += g.Transitions
			}
		}
	}
	return sum
}

// differing counts the nodes that have different labels.
func differing(x, y []uint8) (count int) {
	for i, l := range x {
		if l != y[i] {
			count++
		}
	}
	return count
}

// capped are distant labellings for a reward that grows up to radius: slopes
// reward/radius against each of the set, halved if it is already far enough and
// restored if not.
func (g *greedy) capped(reward, radius float64, area []float64) (out [][]uint8) {
	if reward == 0 {
		return nil
	}
	k := g.Model.Labels
	full := reward / radius
	slopes := slices.Repeat([]float64{full}, len(g.set))
	start := g.set[len(g.set)-1]
	for range slopeRounds {
		copy(g.sloped.Unary, g.Model.Unary)
		for n, y := range g.set {
			for i, l := range y {
				g.sloped.Unary[i*k+int(l)] -= float64(slopes[n] * area[i])
			}
		}
		x := slices.Clone(g.solver.Solve(start).Labels)
		g.solves++
		if len(out) > 0 && slices.Equal(x, out[len(out)-1]) {
			break
		}
		out, start = append(out, x), x
		for n, y := range g.set {
			if choose.Differing(x, y, area) > radius {
				slopes[n] /= 2
			} else {
				slopes[n] = full
			}
		}
	}
	return out
}

// newLabels are, for each label that the set doesn't use, the best labelling
// found that does: forced at the likeliest nodes, the best of them confirmed.
func (g *greedy) newLabels() (out [][]uint8) {
	if g.Labels == 0 {
		return nil
	}
	k := g.Model.Labels
	for l := range k {
		if slices.ContainsFunc(g.set, func(x []uint8) bool { return slices.Contains(x, uint8(l)) }) {
			continue
		}
		var nodes []int32
		for i := range g.Model.Nodes {
			if free(g.Model, []int32{int32(i)}, l) {
				nodes = append(nodes, int32(i))
			}
		}
		slices.SortStableFunc(nodes, func(a, b int32) int {
			return cmp.Compare(g.Marginals[int(b)*k+l], g.Marginals[int(a)*k+l])
		})
		best, gain := int32(-1), math.Inf(-1)
		for _, i := range nodes[:min(likelyPlaces, len(nodes))] {
			if v := g.force.Force([]int32{i}, uint8(l)); v > gain {
				best, gain = i, v
			}
		}
		if best < 0 {
			continue
		}
		g.force.Force([]int32{best}, uint8(l))
		if r, ok := g.confirm.Confirm([]int32{best}, uint8(l), g.force.Labels()); ok {
			out = append(out, slices.Clone(r.Labels))
		}
		g.solves++
	}
	return out
}

// border is a pair of labels on the ends of an edge.
type border struct {
	edge  crf.Edge
	a, b  uint8
	score float64
}

// newTransitions are labellings with a border that the set doesn't have, both
// its ends forced where p_a·p_b·exp(-w) is largest, one place for a pair.
func (g *greedy) newTransitions() (out [][]uint8) {
	if g.Transitions == 0 {
		return nil
	}
	k := g.Model.Labels
	seen := make([]bool, k*k)
	for _, x := range g.set {
		for _, e := range g.Model.Edges {
			seen[int(x[e.A])*k+int(x[e.B])], seen[int(x[e.B])*k+int(x[e.A])] = true, true
		}
	}
	likely := make([]border, k*k) // of each pair, lower label first
	for _, e := range g.Model.Edges {
		open := crf.Exp(-e.W)
		for a := range k {
			for b := range k {
				at := min(a, b)*k + max(a, b)
				if a == b || seen[at] || !free(g.Model, []int32{e.A}, a) || !free(g.Model, []int32{e.B}, b) {
					continue
				}
				score := float64(float64(g.Marginals[int(e.A)*k+a]*g.Marginals[int(e.B)*k+b]) * open)
				if score > likely[at].score {
					likely[at] = border{e, uint8(a), uint8(b), score}
				}
			}
		}
	}
	likely = slices.DeleteFunc(likely, func(t border) bool { return t.score == 0 })
	slices.SortStableFunc(likely, func(a, b border) int { return cmp.Compare(b.score, a.score) })
	for _, t := range likely[:min(likelyPairs, len(likely))] {
		g.confirm.Mask.Reset()
		g.confirm.Mask.Only(int(t.edge.A), t.a)
		g.confirm.Mask.Only(int(t.edge.B), t.b)
		start := slices.Clone(g.first)
		start[t.edge.A], start[t.edge.B] = t.a, t.b
		out = append(out, slices.Clone(g.confirm.Solve(start).Labels))
		g.solves++
	}
	return out
}
