package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"collie/crf"
	"collie/herding/diverse"
	"collie/segment"
	"collie/segment/schedule"
)

// Alternative is the best labelling found in which some superpixels have another
// class than in the first hypothesis.
type Alternative struct {
	Class   int     // id
	Changed []int32 // superpixels that have another class than in the first hypothesis, ascending
	Area    float64 // share of the image that they cover, 0..1
	Gain    float64 // energy above the first hypothesis
	Optimal bool    // no labelling with the superpixels so labelled is better, apart from the ties to the first
	Hypothesis
}

// Named returns the labelling that a pick names: a hypothesis by its rank, or an
// offer. Bad ones have an error of kind Invalid. See At.
func (s *Sequence) Named(ctx context.Context, pick *segment.Pick) (Hypothesis, error) {
	offer := pick.Offer
	switch {
	case offer == nil:
		return s.At(ctx, pick.Rank)
	case offer.Guess:
		return s.Guessed(ctx)
	case len(offer.Superpixels) == 0:
		l, err := s.Ladder(ctx)
		if err != nil {
			return Hypothesis{}, err
		}
		if offer.Rung < 0 || offer.Rung >= len(l.Rungs) {
			return Hypothesis{}, segment.Errorf(segment.Invalid, "There is no rung %d: the ladder of the current evidence has rungs 0 to %d.", offer.Rung, len(l.Rungs)-1)
		}
		r := l.Rungs[offer.Rung]
		return Hypothesis{Rank: segment.Offered, Labels: l.labels(offer.Rung), Energy: r.Energy, Digest: r.Digest}, nil
	}
	found, err := s.Alternatives(ctx, offer.Superpixels)
	if err != nil {
		return Hypothesis{}, err
	}
	for _, a := range found {
		if a.Class == offer.Class {
			return a.Hypothesis, nil
		}
	}
	return Hypothesis{}, segment.Errorf(segment.Invalid, "Class %d is not possible there: it isn't in play, is excluded, is already their class, or another class was clicked.", offer.Class)
}

// Guessed returns the first guess as it is, which hypotheses smooth: for each
// superpixel the class in play that it finds most probable. Clicked superpixels and
// those it says nothing about are as in the first hypothesis. Without a guess, or
// with one that clicks have refuted, the error is of kind Invalid. See At.
func (s *Sequence) Guessed(ctx context.Context) (Hypothesis, error) {
	if s.guessed == nil {
		return Hypothesis{}, segment.Errorf(segment.Invalid, "The image has no first guess, or the clicks contradict it.")
	}
	first, err := s.At(ctx, 0)
	if err != nil {
		return Hypothesis{}, err
	}
	labels, energy := first.Labels, first.Energy
	if s.model != nil {
		p, err := s.problem(ctx, schedule.Supposed)
		if err != nil {
			return Hypothesis{}, err
		}
		err = s.run(ctx, schedule.Supposed, func() error {
			labels = s.guessed(first.Labels)
			energy = p.Model.Energy(s.indices(labels))
			return nil
		})
		if err != nil {
			return Hypothesis{}, err
		}
	}
	return Hypothesis{Rank: segment.Offered, Labels: labels, Energy: energy, Digest: digestOf(energy, labels)}, nil
}

// Alternatives answers 'what if this were …' about some superpixels: for each
// class in play that they could have, the best labelling found in which they all
// do, the most likely first. What the answer changes is joined to them; elsewhere
// it is the first hypothesis. None without two classes in play. It costs a
// maximisation per class, 0.3 to 2 ms at 600 superpixels. See At.
func (s *Sequence) Alternatives(ctx context.Context, superpixels []int32) ([]Alternative, error) {
	for _, i := range superpixels {
		if i < 0 || int(i) >= len(s.shares) {
			return nil, segment.Errorf(segment.Invalid, "There is no superpixel %d: the image has superpixels 0 to %d.", i, len(s.shares)-1)
		}
	}
	if s.model == nil || len(superpixels) == 0 {
		return nil, nil
	}
	first, err := s.At(ctx, 0)
	if err != nil {
		return nil, err
	}
	x := s.indices(first.Labels)
	p, err := s.problem(ctx, schedule.Supposed)
	if err != nil {
		return nil, err
	}
	// With hundreds of classes this takes many seconds, in which others have their turns.
	var asked *diverse.Alternatives
	var found []diverse.Alternative
	for left := true; left; {
		err := s.run(ctx, schedule.Supposed, func() (err error) {
			began := time.Now()
			if asked == nil {
				if asked, err = diverse.NewAlternatives(p.Model, p.Solver, x, superpixels); err != nil {
					return err
				}
			}
			for left {
				var f diverse.Alternative
				if f, left = asked.Next(); left {
					found = append(found, f)
				}
				if time.Since(began) >= s.atOnce {
					break
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found, func(a, b diverse.Alternative) int { return cmp.Compare(b.Gain, a.Gain) })
	var out []Alternative
	err = s.run(ctx, schedule.Supposed, func() error {
		for _, f := range found {
			if s.classes[f.Label] != segment.Void {
				out = append(out, s.alternative(p.Model, first, x, f, superpixels))
			}
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b Alternative) int { return cmp.Compare(b.Gain, a.Gain) })
	return out, err
}

// alternative keeps what is held, and of the change from x, the first hypothesis,
// what is joined to the superpixels in question.
func (s *Sequence) alternative(model *crf.Model, first Hypothesis, x []uint8, f diverse.Alternative, superpixels []int32) Alternative {
	y := f.Labels
	if s.holds != nil {
		now := *s.holds // as if the superpixels had just been clicked
		now.Clicked, now.Picked = slices.Clone(now.Clicked), slices.Clone(now.Picked)
		at := max(slices.Max(now.Clicked), slices.Max(now.Picked)) + 1
		for _, i := range superpixels {
			now.Clicked[i], now.Picked[i] = at, 0
		}
		now.keep(y, s.model.around())
	}
	part := s.model.joined(superpixels, func(i int32) bool { return y[i] != x[i] })
	slices.Sort(part)
	out := Alternative{Class: s.classes[f.Label], Optimal: f.Optimal}
	labels := slices.Clone(first.Labels)
	indices := slices.Clone(x)
	for _, i := range part {
		if y[i] != x[i] {
			indices[i], labels[i] = y[i], uint8(s.classes[y[i]])
			out.Changed = append(out.Changed, i)
			out.Area += s.shares[i]
		}
	}
	energy := model.Energy(indices)
	out.Gain = energy - first.Energy
	out.Hypothesis = Hypothesis{Rank: segment.Offered, Labels: labels, Energy: energy, Digest: digestOf(energy, labels)}
	return out
}
