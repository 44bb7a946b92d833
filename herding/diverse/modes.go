package diverse

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"collie/crf"
	"collie/herding"
)

// Climber takes labellings to local maxima: to a labelling that no change of up
// to δ nodes improves, a δ-mode. The gain of a change is the sum over its
// connected pieces, so only connected sets need trying: nodes for δ = 1 (ICM),
// neighbours together for δ = 2, and chains and triangles of three for δ = 3.
//
// As a filter on the labellings of another source it removes lone superpixels.
// Not for concurrent use.
type Climber struct {
	f      *crf.Folded
	depth  int
	queued []bool
	queue  []int32
	score  []float64
	other  []float64
	third  []float64
}

// mostDepth is the largest δ.
const mostDepth = 3

func depthError(depth int) error {
	return fmt.Errorf("%w: modes of depth %d, want 1 to %d", herding.ErrRange, depth, mostDepth)
}

// mostTriple is the largest number of labels for δ = 3, whose trials grow with
// its cube.
const mostTriple = 5

// NewClimber prepares for a valid model. depth is δ, 1 to 3, and for more than
// five labels 1 or 2.
func NewClimber(m *crf.Model, depth int) (*Climber, error) {
	if depth < 1 || depth > mostDepth {
		return nil, depthError(depth)
	}
	if depth == 3 && m.Labels > mostTriple {
		return nil, fmt.Errorf("%w: modes of depth 3 with %d labels, want up to %d because three nodes take k³ trials; use depth 2", herding.ErrRange, m.Labels, mostTriple)
	}
	f := crf.Fold(m)
	return &Climber{
		f: f, depth: depth, queued: make([]bool, len(f.Free)),
		score: make([]float64, m.Labels), other: make([]float64, m.Labels), third: make([]float64, m.Labels),
	}, nil
}

// Climb returns a mode that x leads to; x is not changed. It moves only if that
// gains more than rounding, so that it can't circle on a plateau. It retries
// only what is near a change.
func (c *Climber) Climb(x []uint8) []uint8 {
	y := c.f.Pick(x)
	c.queue = c.queue[:0]
	for i := range y {
		c.wake(int32(i))
	}
	for at := 0; at < len(c.queue); at++ {
		i := c.queue[at]
		c.queued[i] = false
		for c.step(y, i) {
		}
	}
	return c.f.Whole(y)
}

func (c *Climber) wake(i int32) {
	if !c.queued[i] {
		c.queued[i] = true
		c.queue = append(c.queue, i)
	}
}

// step makes the best change of node i, alone or with others, and reports whether
// there was one.
func (c *Climber) step(y []uint8, i int32) bool {
	k := c.f.Labels
	c.f.Local(int(i), y, c.score)
	gain, label := least, y[i]
	partner, partnerLabel := int32(-1), uint8(0)
	for l, s := range c.score {
		if g := s - c.score[y[i]]; g > gain {
			gain, label = g, uint8(l)
		}
	}
	if c.depth >= 2 {
		for _, a := range c.f.Around(int(i)) {
			j := a.To
			c.f.Local(int(j), y, c.other)
			now := c.score[y[i]] + c.other[y[j]]
			if y[i] == y[j] {
				now -= a.W // counted at both ends
			}
			for l := range k {
				if l == int(y[i]) {
					continue
				}
				for o := range k {
					if o == int(y[j]) {
						continue
					}
					// Leave out the edge between them, before and after.
					then := c.score[l] + c.other[o]
					if l == int(y[j]) {
						then -= a.W
					}
					if o == int(y[i]) {
						then -= a.W
					}
					if l == o {
						then += a.W
					}
					if g := then - now; g > gain {
						gain, label, partner, partnerLabel = g, uint8(l), j, uint8(o)
					}
				}
			}
		}
	}
	if c.depth == 3 {
		if nodes, to, found := c.triple(y, i, &gain); found {
			for n, node := range nodes {
				y[node] = to[n]
				c.near(node)
			}
			return true
		}
	}
	if gain <= least {
		return false
	}
	y[i] = label
	c.near(i)
	if partner >= 0 {
		y[partner] = partnerLabel
		c.near(partner)
	}
	return true
}

// near wakes all nodes that a change of node i affects.
func (c *Climber) near(i int32) {
	c.wake(i)
	for _, a := range c.f.Around(int(i)) {
		c.wake(a.To)
	}
}

// Modes are the best local maxima (M-Modes, Chen, Kolmogorov, Zhu, Metaxas and
// Lampert 2013, 'Computing the M Most Probable Modes of a Graphical Model'). On
// chains, when no free node has more than two neighbours and there are no
// circles, they are exactly the M best, and marked as optimal, as long as n·k^(δ+2)
// is at most 2·10⁷ for n free nodes and k labels. Elsewhere they are what
// labellings of other sources lead to: all of them are true δ-modes, but some can
// be missing. Superpixels form no chains; the exact modes are for sequences such
// as rows of a scan, and the reference that climbing is tested against.
type Modes struct {
	Model *crf.Model
	From  []herding.Source
	Each  int // labellings of each source; 0 = 20
	Depth int // δ, up to 3; 0 = 2
}

// Run is herding.Source.Run, by falling energy.
func (s *Modes) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return ready(ctx, s.Model, func() ([]herding.Hypothesis, error) {
		depth, each := cmp.Or(s.Depth, 2), cmp.Or(s.Each, 20)
		if depth < 1 || depth > mostDepth {
			return nil, depthError(depth)
		}
		if c := newChains(s.Model, depth); c != nil {
			return s.exactly(ctx, c, count)
		}
		climber, err := NewClimber(s.Model, depth)
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		var out []herding.Hypothesis
		solves := 0
		for _, source := range s.From {
			for h, err := range source.Run(ctx, each) {
				if err != nil {
					return nil, err
				}
				solves += h.Solves
				if x := climber.Climb(h.Labels); !seen[string(x)] {
					seen[string(x)] = true
					out = append(out, herding.Hypothesis{Labels: x, Energy: s.Model.Energy(x)})
				}
			}
		}
		out = bestOf(out, count)
		shareSolves(out, solves)
		return out, nil
	})
}

func (s *Modes) exactly(ctx context.Context, c *chains, count int) ([]herding.Hypothesis, error) {
	xs, err := c.modes(ctx, count)
	var out []herding.Hypothesis
	for _, x := range xs {
		out = append(out, herding.Hypothesis{Labels: x, Energy: s.Model.Energy(x), Optimal: true})
	}
	return out, err
}

// Climbed are another source's labellings, each moved to a mode.
type Climbed struct {
	Model *crf.Model
	From  herding.Source
	Depth int // 0 = 1
}

// Run is herding.Source.Run.
func (s *Climbed) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return func(yield func(herding.Hypothesis, error) bool) {
		climber, err := NewClimber(s.Model, max(s.Depth, 1))
		if err != nil {
			yield(herding.Hypothesis{}, err)
			return
		}
		for h, err := range s.From.Run(ctx, count) {
			if err == nil {
				h.Labels = climber.Climb(h.Labels)
				h.Energy = s.Model.Energy(h.Labels)
			}
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}
