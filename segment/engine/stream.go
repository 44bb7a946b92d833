package engine

import (
	"slices"

	"collie/herding"
	"collie/herding/diverse"
	"collie/segment"
)

// stream makes the hypotheses of a sequence one after the other, in indices of
// classes: what the first click may mean while that is the question, else the
// most probable labelling or the correction of what was shown, then Herding
// and forced regions.
type stream struct {
	model   *Model
	problem *herding.Problem
	holds   *Holds          // labels are indices of the classes in play
	herding herding.Stepper // nil before its first step
	ready   [][]uint8       // come before those of Herding
	skip    int             // of Herding's, as they were among those
	given   int             // how many it has made
}

// newStream returns the stream of a problem; holds are those of the evidence, and
// index is indexOf(the classes in play).
func newStream(m *Model, p *herding.Problem, e *Evidence, holds *Holds, index *[256]int16, rest int) (*stream, error) {
	s := &stream{model: m, problem: p, holds: holds}
	where, first := e.pointed(m, rest, index)
	switch {
	case first && m.First != nil && p.Model.Labels == 2 && len(e.Excluded) == 0 && s.holds == nil:
		return s, s.extents(where, rest)
	case e.Shown != nil:
		return s, s.correct(e, index, rest)
	}
	return s, nil
}

// extents begins with the masks that a first click or box may mean.
func (s *stream) extents(where pointed, rest int) error {
	thing := 1 - rest
	extents, err := s.model.extents(s.problem, thing, where)
	if err != nil {
		return err
	}
	features := make([][]float64, len(extents))
	for i := range extents {
		features[i] = extents[i].Features[:]
	}
	for _, i := range s.model.First.Order(features, s.model.Overlaps(extents)) {
		x := make([]uint8, s.problem.Model.Nodes)
		for node, in := range extents[i].Mask {
			x[node] = uint8(rest)
			if in {
				x[node] = uint8(thing)
			}
		}
		s.ready = append(s.ready, x)
	}
	s.skip = 1 // the most probable labelling is an extent
	return nil
}

// correct begins with what the last click probably means, and with the most probable
// labelling where that is another.
func (s *stream) correct(e *Evidence, index *[256]int16, rest int) error {
	probable, all, err := s.corrections(e, index, rest)
	if err != nil {
		return err
	}
	same := func(x []uint8) bool { return slices.Equal(x, probable) }
	for _, c := range s.model.best(all, corrected) {
		s.ready = append(s.ready, c.Labels)
	}
	if !slices.ContainsFunc(s.ready, same) {
		s.ready = append(s.ready, probable)
	}
	return nil
}

// corrections returns the most probable labelling and what the last click can mean.
func (s *stream) corrections(e *Evidence, index *[256]int16, rest int) (probable []uint8, all []Correction, err error) {
	h, err := s.step()
	if err != nil {
		return nil, nil, err
	}
	all, err = s.model.corrections(s.problem, h.Labels, e, index, rest)
	return h.Labels, all, err
}

// step is the next one of Herding and forced regions.
func (s *stream) step() (h herding.Hypothesis, err error) {
	if s.herding == nil {
		sequence, err := s.model.start(s.problem)
		if err != nil {
			return h, err // the next one tries again
		}
		s.herding = sequence
	}
	return s.herding.Next(), nil
}

// unprepared is the strip if it has something to prepare before the next hypothesis,
// or nil.
func (s *stream) unprepared() *diverse.Stripped {
	if strip, ok := s.herding.(*diverse.Stripped); ok && len(s.ready) == 0 && strip.Unprepared() {
		return strip
	}
	return nil
}

// ahead reports whether the next hypothesis has been computed along with others.
func (s *stream) ahead() bool {
	strip, ok := s.herding.(*diverse.Stripped)
	return len(s.ready) > 0 || ok && s.skip == 0 && strip.Ahead()
}

// next makes the next hypothesis and its energy.
func (s *stream) next() (x []uint8, energy float64, err error) {
	if len(s.ready) > 0 {
		x, s.ready = s.ready[0], s.ready[1:]
	} else {
		h, err := s.step()
		for ; err == nil && s.skip > 0; s.skip-- {
			h, err = s.step()
		}
		if err != nil || s.holds == nil {
			return h.Labels, h.Energy, err
		}
		x = h.Labels
	}
	if s.holds != nil {
		s.holds.keep(x, s.model.around())
	}
	return x, s.problem.Model.Energy(x), nil
}

// pointed is where the first click is, which is not of the rest, or without a click
// the middle of what is boxed. False after a second one.
func (e *Evidence) pointed(m *Model, rest int, index *[256]int16) (where pointed, ok bool) {
	if rest < 0 || e.Guess != nil {
		return where, false
	}
	count := 0.0
	add := func(i int) {
		for axis, v := range m.centres[i] {
			where.at[axis] += float64(v)
		}
		count++
	}
	for i, c := range e.Clicks {
		if c == segment.Void {
			continue
		}
		if int(index[c]) == rest || where.clicked {
			return where, false
		}
		add(i)
		where.superpixel, where.clicked = i, true
	}
	for _, b := range e.Boxes {
		where.box = where.box.Union(b.Bounds)
	}
	for i := range m.centres {
		if !where.clicked && slices.ContainsFunc(e.Boxes, func(b Box) bool { return !b.Outside[i] }) {
			add(i)
		}
	}
	if count == 0 {
		return where, false
	}
	where.at[0] /= count
	where.at[1] /= count
	if !where.clicked {
		from := func(i int) float64 {
			return squareOf(float64(m.centres[i][0])-where.at[0], float64(m.centres[i][1])-where.at[1])
		}
		for i := range m.centres {
			if from(i) < from(where.superpixel) {
				where.superpixel = i
			}
		}
	}
	return where, true
}
