package diverse

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"collie/crf"
	"collie/herding"
	"collie/herding/choose"
)

// Strip offers Herding's hypotheses and forced regions, the best labellings with
// another class on one region. Herding moves many borders a little; a forced
// region is one clear alternative that leaves the rest unchanged. Rank 0 is
// Herding's, the best labelling.
//
// A pool of Herding's hypotheses and all forced regions are computed before rank
// 1, and come in an order in which the first ones stand for all of them. What
// Herding repeats, up to a hundredth of the area, is left out of the pool as long
// as it comes to something else soon. After them Herding continues.
type Strip struct {
	Problem    *herding.Problem
	Group      []int32 // region of each node, see NBest
	Candidates int     // maximisations with a region forced; 0 = 10
	Pool       int     // of Herding's hypotheses; 0 = 20
	Steps      int     // of Herding for one that is no near copy, at most; 0 = 3
}

// More candidates add nothing that is chosen early. Labellings closer than
// apart are near copies.
const (
	stripCandidates = 10
	stripPool       = 20
	stripSteps      = 3
	apart           = 0.01
)

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
	from := *s
	from.Candidates = cmp.Or(s.Candidates, stripCandidates)
	from.Pool, from.Steps = cmp.Or(s.Pool, stripPool), cmp.Or(s.Steps, stripSteps)
	return &Stripped{from: &from, sequence: sequence}, nil
}

// Stripped is a running strip. Not for concurrent use.
type Stripped struct {
	from     *Strip
	sequence *herding.Sequence
	best     herding.Hypothesis // rank 0
	rank     int

	prepared bool                 // for the ranks from 1 on
	area     []float64            // of the nodes
	pool     []herding.Hypothesis // of Herding so far, with rank 0
	ready    []herding.Hypothesis // of the pool, or forced, that have not come yet
}

// Next computes the next hypothesis.
func (s *Stripped) Next() herding.Hypothesis {
	for s.Unprepared() {
		s.Prepare()
	}
	var h herding.Hypothesis
	if len(s.ready) > 0 {
		h, s.ready = s.ready[0], s.ready[1:]
	} else {
		h = s.sequence.Next()
	}
	if s.rank == 0 {
		s.best = h
		s.best.Labels = slices.Clone(h.Labels) // the receiver can change its copy
	}
	h.Rank = s.rank
	s.rank++
	return h
}

// Unprepared reports whether Prepare has something to do before the next hypothesis.
func (s *Stripped) Unprepared() bool { return s.rank == 1 && !s.prepared }

// Ahead reports whether the next hypothesis has been computed along with others.
func (s *Stripped) Ahead() bool { return s.prepared && len(s.ready) > 0 }

// Prepare does a part of what rank 1 waits for. It need not be called: Next does
// what is left.
func (s *Stripped) Prepare() {
	p := s.from.Problem
	switch {
	case s.area == nil:
		s.ready, s.area = s.forced(), p.Shares()
		s.pool = []herding.Hypothesis{s.best}
	case len(s.pool) < s.from.Pool:
		s.pool = append(s.pool, s.distinct())
	default:
		s.ready = covering(append(s.pool, s.ready...), s.area, p.Model.Labels)[1:]
		s.prepared, s.pool = true, nil
	}
}

// distinct is the next hypothesis of Herding that isn't a near copy of another
// in the pool, or after a few steps the one it has come to.
func (s *Stripped) distinct() herding.Hypothesis {
	solves := 0
	for steps := 1; ; steps++ {
		h := s.sequence.Next()
		solves += h.Solves
		near := func(o herding.Hypothesis) bool { return choose.Differing(h.Labels, o.Labels, s.area) < apart }
		if steps == s.from.Steps || !slices.ContainsFunc(s.pool, near) {
			h.Solves = solves
			return h
		}
	}
}

// forced are the labellings with a region forced, by falling energy, without the
// best one.
func (s *Stripped) forced() (out []herding.Hypothesis) {
	p := s.from.Problem
	n := &NBest{Model: p.Model, Solver: p.Solver, Area: p.Shares(), Group: s.from.Group, Candidates: s.from.Candidates}
	if p.Later != (crf.Options{}) {
		n.Best, n.Solver = s.best.Labels, p.Later
	}
	for h, err := range n.Run(context.Background(), n.Candidates+1) {
		if err != nil {
			panic("diverse: " + err.Error()) // Start has checked the problem
		}
		if h.Rank > 0 {
			out = append(out, h)
		}
	}
	return out
}
