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

// NBest are the best labellings with one label forced on one node or region,
// without those too similar to a better one (Park and Ramanan 2011,
// doi:10.1109/ICCV.2011.6126552). It tries first what costs least in the
// unaries or, on a tree, in the max-marginals, and skips a label at a node that
// an earlier labelling already has there.
type NBest struct {
	Model      *crf.Model
	Solver     crf.Options
	Area       []float64 // shares of the whole area; nil for equal ones
	Group      []int32   // region of each node, from 0; nil forces single nodes
	Overlap    float64   // least area in which two of them differ; 0 = 0.005
	Candidates int       // maximisations; 0 = 150
	Best       []uint8   // the best labelling if it is known; nil = by a maximisation
}

// forced is a label on a region.
type forced struct {
	region int
	label  uint8
	score  float64
}

// Run is herding.Source.Run, by falling energy.
func (s *NBest) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return ready(ctx, s.Model, func() ([]herding.Hypothesis, error) {
		overlap, err := positive("overlap", s.Overlap, 0.005)
		if err != nil {
			return nil, err
		}
		if s.Area != nil && len(s.Area) != s.Model.Nodes {
			return nil, fmt.Errorf("%w: areas of %d nodes, need %d", herding.ErrShape, len(s.Area), s.Model.Nodes)
		}
		regions, err := regionsOf(s.Model.Nodes, s.Group)
		if err != nil {
			return nil, err
		}
		xs := []herding.Hypothesis{s.best()}
		confirm := crf.NewConfirmer(s.Model, s.Solver)
		force := confirm.Forcer(xs[0].Labels)
		candidates := cmp.Or(s.Candidates, 150)
		for _, c := range s.candidates(regions, xs[0]) {
			if candidates == 0 {
				break
			}
			if slices.ContainsFunc(xs, func(h herding.Hypothesis) bool { return shows(h.Labels, regions[c.region], c.label) }) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			candidates--
			force.Force(regions[c.region], c.label)
			if r, ok := confirm.Confirm(regions[c.region], c.label, force.Labels()); ok {
				x := slices.Clone(r.Labels)
				xs = append(xs, herding.Hypothesis{Labels: x, Energy: s.Model.Energy(x), Optimal: r.Optimal, Solves: 1})
			}
		}
		slices.SortStableFunc(xs, func(a, b herding.Hypothesis) int { return cmp.Compare(b.Energy, a.Energy) })
		return suppress(xs, s.Area, overlap, count), nil
	})
}

func (s *NBest) best() herding.Hypothesis {
	if s.Best != nil {
		return herding.Hypothesis{Labels: s.Best, Energy: s.Model.Energy(s.Best)}
	}
	best := crf.NewSolver(s.Model, s.Solver).Solve(nil)
	return herding.Hypothesis{Labels: best.Labels, Energy: best.Energy, Optimal: best.Optimal, Solves: 1}
}

// candidates by falling score: on a forest by max-marginals, elsewhere by the
// loss in the unaries.
func (s *NBest) candidates(regions [][]int32, best herding.Hypothesis) []forced {
	k := s.Model.Labels
	var mu []float64
	if s.Group == nil && len(s.Model.Edges) < s.Model.Nodes {
		mu, _ = crf.MaxMarginals(s.Model, best.Labels, 0, s.Solver)
	}
	var out []forced
	for r, nodes := range regions {
		for l := range k {
			if shows(best.Labels, nodes, uint8(l)) || !free(s.Model, nodes, l) {
				continue
			}
			score := 0.0
			for _, i := range nodes {
				if mu != nil {
					score = mu[int(i)*k+l]
				} else {
					score += s.Model.Unary[int(i)*k+l] - s.Model.Unary[int(i)*k+int(best.Labels[i])]
				}
			}
			out = append(out, forced{r, uint8(l), score})
		}
	}
	slices.SortStableFunc(out, func(a, b forced) int { return cmp.Compare(b.score, a.score) })
	return out
}

// free reports whether no node is clamped to another label than l, nor has it ruled
// out.
func free(m *crf.Model, nodes []int32, l int) bool {
	return !slices.ContainsFunc(nodes, func(i int32) bool {
		clamped := m.Fixed != nil && m.Fixed[i] >= 0 && int(m.Fixed[i]) != l
		return clamped || herding.RuledOut(m, int(i), l)
	})
}

// shows reports whether x has label l on all nodes.
func shows(x []uint8, nodes []int32, l uint8) bool {
	return !slices.ContainsFunc(nodes, func(i int32) bool { return x[i] != l })
}

// suppress keeps each labelling that differs enough from those kept before.
func suppress(xs []herding.Hypothesis, area []float64, overlap float64, count int) []herding.Hypothesis {
	var kept []herding.Hypothesis
	for _, h := range xs {
		if len(kept) == count {
			break
		}
		if !slices.ContainsFunc(kept, func(o herding.Hypothesis) bool { return choose.Differing(h.Labels, o.Labels, area) < overlap }) {
			kept = append(kept, h)
		}
	}
	return kept
}

// bestOf keeps the count hypotheses of highest energy.
func bestOf(xs []herding.Hypothesis, count int) []herding.Hypothesis {
	slices.SortStableFunc(xs, func(a, b herding.Hypothesis) int { return cmp.Compare(b.Energy, a.Energy) })
	return xs[:min(count, len(xs))]
}

// regionsOf lists the nodes of each group, single nodes for nil.
func regionsOf(nodes int, group []int32) ([][]int32, error) {
	out := make([][]int32, nodes)
	if group == nil {
		for i := range out {
			out[i] = []int32{int32(i)}
		}
		return out, nil
	}
	if len(group) != nodes {
		return nil, fmt.Errorf("%w: groups of %d nodes, need %d", herding.ErrShape, len(group), nodes)
	}
	count := 0
	for i, g := range group {
		if g < 0 || int(g) >= nodes {
			return nil, fmt.Errorf("%w: node %d is in group %d, want 0 to %d", herding.ErrRange, i, g, nodes-1)
		}
		out[g] = append(out[g], int32(i))
		count = max(count, int(g)+1)
	}
	return slices.DeleteFunc(out[:count], func(r []int32) bool { return len(r) == 0 }), nil
}

// Alternative is the best labelling found in which a region has a label.
type Alternative struct {
	Label  uint8
	Labels []uint8
	Gain   float64 // energy above the best labelling's, 0 or less
	// Changed are the nodes that change along with it: where Labels differs
	// from the best labelling.
	Changed []int32
	// Optimal says that no labelling with the region so labelled is better.
	Optimal bool
}

// Alternatives answers 'what if this were …': for each label that the nodes don't all
// have in x, a labelling of high energy, it finds the best labelling in which they do.
// Labels that contradict a clamp or are ruled out are left out. Each takes one
// maximisation, started from a greedy propagation to the neighbours. Not for
// concurrent use.
type Alternatives struct {
	m       *crf.Model
	x       []uint8
	nodes   []int32
	energy  float64 // of x
	confirm *crf.Confirmer
	force   *crf.Forcer
	label   int // the next
}

// NewAlternatives prepares for Next.
func NewAlternatives(m *crf.Model, solver crf.Options, x []uint8, nodes []int32) (*Alternatives, error) {
	if err := askable(m, x, nodes); err != nil {
		return nil, err
	}
	confirm := crf.NewConfirmer(m, solver)
	return &Alternatives{m: m, x: x, nodes: nodes, energy: m.Energy(x), confirm: confirm, force: confirm.Forcer(x)}, nil
}

// Next returns the best labelling found for the next label, as the labels are
// numbered; false when there is none left.
func (a *Alternatives) Next() (Alternative, bool) {
	for ; a.label < a.m.Labels; a.label++ {
		if l := uint8(a.label); !shows(a.x, a.nodes, l) && free(a.m, a.nodes, a.label) {
			a.label++
			return a.of(l), true
		}
	}
	return Alternative{}, false
}

func (a *Alternatives) of(label uint8) Alternative {
	a.force.Force(a.nodes, label)
	r, _ := a.confirm.Confirm(a.nodes, label, a.force.Labels())
	out := Alternative{Label: label, Labels: slices.Clone(r.Labels), Optimal: r.Optimal}
	out.Gain = math.Min(a.m.Energy(out.Labels)-a.energy, 0)
	for i, l := range out.Labels {
		if l != a.x[i] {
			out.Changed = append(out.Changed, int32(i))
		}
	}
	return out
}

// askable checks what NewAlternatives is given.
func askable(m *crf.Model, x []uint8, nodes []int32) error {
	if err := (&herding.Problem{Model: m}).Ready(); err != nil {
		return err
	}
	if len(x) != m.Nodes {
		return fmt.Errorf("%w: %d labels for %d nodes", herding.ErrShape, len(x), m.Nodes)
	}
	for _, i := range nodes {
		if i < 0 || int(i) >= m.Nodes {
			return fmt.Errorf("%w: node %d of %d", herding.ErrRange, i, m.Nodes)
		}
	}
	return nil
}
