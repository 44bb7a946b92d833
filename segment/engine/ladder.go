package engine

import (
	"context"
	"slices"

	"collie/crf"
	"collie/herding"
	"collie/segment"
	"collie/segment/schedule"
)

// Ladder is what 'less … more' means between two classes: nested masks, each the
// exact optimum of the model with the unaries of one class shifted (see
// crf.Ladder), from the one with the least of it to the one with the most.
type Ladder struct {
	Class, Other int // ids: what the masks are of, and what everything else is
	Best         int // the rung without a shift, the most probable labelling
	Rungs        []Rung

	// From is, per superpixel, the first rung on which it has Class; len(Rungs)
	// where it never has. Shared and read-only.
	From []uint8
}

// Rung is one of the masks of a ladder.
type Rung struct {
	Share  float64 // of the image's area that has the class, 0..1
	Energy float64 // as of a Hypothesis
	Digest Digest
}

// labels returns the class of each superpixel on a rung.
func (l *Ladder) labels(rung int) []uint8 {
	out := make([]uint8, len(l.From))
	for i, from := range l.From {
		out[i] = uint8(l.Other)
		if rung >= int(from) {
			out[i] = uint8(l.Class)
		}
	}
	return out
}

// rungs is how many there are on either side of the best one; shiftGrowth makes
// the steps longer further out.
const (
	rungs       = 16
	firstShift  = 0.25
	shiftGrowth = 0.1
)

// shift is that of a rung, -rungs..rungs.
func shift(t int) float64 {
	if t < 0 {
		return -shift(-t)
	}
	return float64(firstShift*float64(t)) * (1 + float64(shiftGrowth*float64(t)))
}

// shifts are those of all rungs.
func shifts() []float64 {
	all := make([]float64, 0, 2*rungs+1)
	for t := -rungs; t <= rungs; t++ {
		all = append(all, shift(t))
	}
	return all
}

// lifting returns a model with two labels, renamed so that label 1 is the given one.
func lifting(model *crf.Model, thing int) *crf.Model {
	if thing == 1 {
		return model
	}
	flipped := *model
	flipped.Unary, flipped.Fixed = slices.Clone(model.Unary), slices.Clone(model.Fixed)
	for i := range model.Nodes {
		flipped.Unary[2*i], flipped.Unary[2*i+1] = model.Unary[2*i+1], model.Unary[2*i]
		if f := model.Fixed[i]; f >= 0 {
			flipped.Fixed[i] = 1 - f
		}
	}
	return &flipped
}

// Ladder returns the ladder between the two classes in play. With another number
// of classes the error is of kind Invalid. Masks keep clicks and what is held;
// once a whole labelling was accepted, clicks alone. It is kept; making it takes
// about 0.1 ms for each of up to 33 masks.
func (s *Sequence) Ladder(ctx context.Context) (*Ladder, error) {
	if len(s.classes) != 2 {
		return nil, segment.Errorf(segment.Invalid, "The slider works between two classes; %d are in play here. Use the hypotheses instead.", len(s.classes))
	}
	if l := s.ladder.Load(); l != nil {
		return l, nil
	}
	p, err := s.problem(ctx, schedule.Supposed)
	if err != nil {
		return nil, err
	}
	var l *Ladder
	err = s.run(ctx, schedule.Supposed, func() (err error) {
		if l, err = s.climb(p); err == nil {
			s.ladder.Store(l)
		}
		return err
	})
	return l, err
}

// climb makes the ladder.
func (s *Sequence) climb(p *herding.Problem) (*Ladder, error) {
	thing := 1
	if s.rest == 1 {
		thing = 0
	}
	model := *lifting(p.Model, thing)
	if s.holds != nil && !s.settled {
		ladder, err := crf.NewLadder(&model, nil)
		if err != nil {
			return nil, err
		}
		best := ladder.At(0)
		model.Fixed = slices.Clone(model.Fixed)
		for i, l := range best {
			best[i] = placed(l, thing)
		}
		s.holds.keep(best, s.model.around())
		for i, l := range best {
			if model.Fixed[i] < 0 && s.holds.Picked[i] > 0 && l == s.holds.Labels[i] {
				model.Fixed[i] = int16(placed(l, thing))
			}
		}
	}
	ladder, err := crf.NewLadder(&model, nil)
	if err != nil {
		return nil, err
	}
	l := &Ladder{Class: s.classes[thing], Other: s.classes[1-thing], From: make([]uint8, model.Nodes)}
	var last []uint8
	for t := -rungs; t <= rungs; t++ {
		x := ladder.At(shift(t))
		if t == 0 {
			l.Best = len(l.Rungs)
		}
		if slices.Equal(x, last) {
			if t == 0 {
				l.Best--
			}
			continue
		}
		r := Rung{Energy: model.Energy(x)}
		for i, in := range x {
			if in == 1 {
				r.Share += s.shares[i]
			} else {
				l.From[i] = uint8(len(l.Rungs) + 1)
			}
		}
		r.Share = min(r.Share, 1) // rounding can make all of it more
		last = x
		l.Rungs = append(l.Rungs, r)
	}
	for at := range l.Rungs {
		l.Rungs[at].Digest = digestOf(l.Rungs[at].Energy, l.labels(at))
	}
	return l, nil
}

// placed exchanges the labels of a model that lifting has exchanged.
func placed(l uint8, thing int) uint8 {
	if thing == 1 {
		return l
	}
	return 1 - l
}
