package diverse

import (
	"context"
	"iter"

	"collie/herding"
)

// Strip offers Herding's hypotheses and forced regions in turn: rank 0 is
// Herding's, ranks 1, 3, … are the best labellings with another class on one
// region, by falling energy, until they run out, and the others continue
// Herding's sequence. Herding moves many borders a little; a forced region is
// one clear alternative that leaves the rest unchanged.
type Strip struct {
	Problem    *herding.Problem
	Group      []int32 // region of each node, see NBest
	Candidates int     // maximisations with a region forced; 0 = 40
}

// stripCandidates are computed before rank 1 and take as long as forty
// hypotheses.
const stripCandidates = 40

// Run is herding.Source.Run; a longer run begins with a shorter one.
func (s *Strip) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return herding.Steps(ctx, count, func() (herding.Stepper, error) { return s.Start() })
}

// Start returns the strip before rank 0, or the problem's error.
func (s *Strip) Start() (*Stripped, error) {
	sequence, err := herding.NewSequence(s.Problem)
	if err != nil {
		return nil, err
	}
	if _, err := regionsOf(s.Problem.Model.Nodes, s.Group); err != nil {
		return nil, err
	}
	return &Stripped{from: s, sequence: sequence}, nil
}

// Stripped is a running strip. Not for concurrent use.
type Stripped struct {
	from     *Strip
	sequence *herding.Sequence
	forced   []herding.Hypothesis // remaining; nil before rank 1
	rank     int
}

// Next computes the next hypothesis.
func (s *Stripped) Next() herding.Hypothesis {
	if s.rank == 1 {
		s.force()
	}
	var h herding.Hypothesis
	if s.rank%2 == 1 && len(s.forced) > 0 {
		h, s.forced = s.forced[0], s.forced[1:]
	} else {
		h = s.sequence.Next()
	}
	h.Rank = s.rank
	s.rank++
	return h
}

// force computes the labellings with a region forced, without the best one.
func (s *Stripped) force() {
	p := s.from.Problem
	n := &NBest{Model: p.Model, Solver: p.Solver, Area: p.Shares(), Group: s.from.Group, Candidates: s.from.Candidates}
	if n.Candidates == 0 {
		n.Candidates = stripCandidates
	}
	for h, err := range n.Run(context.Background(), n.Candidates+1) {
		if err != nil {
			panic("diverse: " + err.Error()) // Start has checked the problem
		}
		if h.Rank > 0 {
			s.forced = append(s.forced, h)
		}
	}
}
