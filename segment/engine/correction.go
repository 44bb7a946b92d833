package engine

import (
	"context"
	"iter"
	"math"
	"slices"

	"collie/crf"
	"collie/herding"
	"collie/segment/chooser"
	"collie/segment/schedule"
)

// A click that corrects what was shown says that something is wrong there, not how
// much of it: a fringe, a part, an object. So there are several corrections to
// choose from. Each changes a part of what was shown, joined to the click, to the
// class of the click: the rungs of three exact ladders (see crf.Ladder) that ask for
// the class ever more, one everywhere and two of them less and less with the
// distance, and the regions of the merge hierarchy around the click. A small neural
// network, see package chooser, tells how probable it is that each is the best of them, and
// they are ordered as the extents of a first click are.

// Correction is what a correcting click can mean.
type Correction struct {
	Labels   []uint8 // indices of the classes in play
	Features CorrectionFeatures

	part    []int32 // superpixels that change to the class of the click, ascending
	changed []int32 // those and, in what the evidence says, others that change, ascending
	late    bool    // too large to be the first after so many marks, see lateMark
}

// An annotator who clicks the largest error first leaves little for the tenth mark.
// From then on a change of more than a twentieth of the image is shown, but not as
// the first, unless the class is new.
const (
	lateMark = 10
	mostLate = 0.05
)

// corrected is how many corrections come before what the evidence alone says.
const corrected = 5

// manyClicks is how many clicks at once are asked what they mean, one after the
// other. When there are more, or where a click confirms what was shown, it means
// what the evidence alone says.
const manyClicks = 8

// Corrections returns what the last click of some evidence can mean, in no
// particular order but that the first is what the evidence says; fewer than two
// when there is nothing to choose from. Used to train choosers.
func (m *Model) Corrections(e Evidence) ([]Correction, []int, error) {
	s := NewSequence(m, e, 0)
	if e.Shown == nil || s.model == nil {
		return nil, nil, nil
	}
	p, err := s.problem(context.Background(), schedule.First)
	if err != nil {
		return nil, nil, err
	}
	index := indexOf(s.classes)
	_, all, err := (&stream{model: m, problem: p}).corrections(&e, &index, s.rest)
	return all, s.classes, err
}

// shown is Shown in indices of the classes in play, -1 for any other class and for one
// that the superpixel is not, which a merge of classes can have made of another.
func (e *Evidence) shown(index *[256]int16) []int16 {
	out := make([]int16, len(e.Shown))
	for i, class := range e.Shown {
		out[i] = index[class]
	}
	for _, x := range e.Excluded {
		if e.Shown[x.Superpixel] == x.Class {
			out[x.Superpixel] = -1
		}
	}
	return out
}

// corrections returns what the last click of some evidence can mean, given what those
// before it since a labelling was shown probably mean. x is the most probable labelling
// of the problem, in indices of the classes in play.
func (m *Model) corrections(p *herding.Problem, x []uint8, e *Evidence, index *[256]int16, rest int) (all []Correction, err error) {
	now, shown := slices.Clone(x), e.shown(index)
	for i, s := range shown {
		if s >= 0 && p.Model.Fixed[i] < 0 {
			now[i] = uint8(s)
		}
	}
	all = []Correction{{Labels: now}} // when a labelling was accepted and nothing clicked since
	// Clicks of classes that don't exist any more say nothing.
	since := slices.DeleteFunc(slices.Clone(e.Since), func(i int32) bool { return p.Model.Fixed[i] < 0 })
	boxes := m.boxed(e.Boxes, index)
	for n, click := range since {
		t := m.turn(p, x, now, click, rest, boxes)
		if len(since) > manyClicks || int(shown[click]) == t.class {
			all = []Correction{t.probable()}
		} else if all, err = t.corrections(); err != nil {
			return nil, err
		}
		if n+1 < len(since) {
			now = m.best(all, 1)[0].Labels
		}
	}
	return all, nil
}

// turn is the question how much of what is shown turns to the class of a click.
type turn struct {
	*Model
	p        *herding.Problem
	x        []uint8 // the most probable labelling
	now      []uint8 // what is shown, with the clicks
	click    int32
	class    int     // of the click
	rest     int     // class of the rest, or -1
	turnable []bool  // superpixels of other classes that can be of this one, joined to the click by such
	side     float64 // of a square of the image's area, pixels
	boxes    []boxed
}

// turn asks how much turns to the class of a click; now is changed no more.
func (m *Model) turn(p *herding.Problem, x, now []uint8, click int32, rest int, boxes []boxed) *turn {
	t := &turn{m, p, x, now, click, int(p.Model.Fixed[click]), rest, make([]bool, len(x)), math.Sqrt(float64(m.size.X) * float64(m.size.Y)), boxes}
	region := m.joined([]int32{click}, func(i int32) bool {
		return p.Model.Fixed[i] < 0 && int(now[i]) != t.class && !herding.RuledOut(p.Model, int(i), t.class)
	})
	for _, i := range region[1:] { // the first is the click
		t.turnable[i] = true
	}
	return t
}

// could reports whether a superpixel can be in a part.
func (t *turn) could(i int32) bool { return t.turnable[i] || i == t.click }

// probable changes to what the evidence says what is joined to the click.
func (t *turn) probable() Correction {
	c := Correction{Labels: slices.Clone(t.now)}
	c.changed = t.joined([]int32{t.click}, func(i int32) bool { return t.x[i] != t.now[i] })[1:] // the first is the click
	slices.Sort(c.changed)
	for _, i := range c.changed {
		c.Labels[i] = t.x[i]
		if t.turnable[i] && int(t.x[i]) == t.class {
			c.part = append(c.part, i)
		}
	}
	return c
}

// corrections returns all that there are, the probable one first.
func (t *turn) corrections() ([]Correction, error) {
	all := []Correction{t.probable()}
	seen := map[string]bool{string(all[0].Labels): true}
	err := t.parts(func(c Correction) {
		if key := string(c.Labels); !seen[key] {
			seen[key] = true
			all = append(all, c)
		}
	})
	if err != nil {
		return nil, err
	}
	describer := t.describer()
	for i := range all {
		all[i].Features = describer.describe(&all[i], i == 0)
	}
	return all, nil
}

// growth is a part that grows around the click.
type growth struct {
	*turn
	in, met []bool
	beside  []int32 // can turn and are next to what does
}

func (t *turn) growth() *growth {
	g := &growth{turn: t, in: make([]bool, len(t.now)), met: make([]bool, len(t.now))}
	g.met[t.click] = true
	g.take(t.click)
	return g
}

// take adds a superpixel to the part.
func (g *growth) take(i int32) {
	g.in[i] = true
	for _, j := range g.around()[i] {
		if g.turnable[j] && !g.met[j] {
			g.met[j] = true
			g.beside = append(g.beside, j)
		}
	}
}

// to takes what turns and is joined to the part by such, and returns the correction.
func (g *growth) to(turns func(i int32) bool) Correction {
	still := 0
	for at := 0; at < len(g.beside); at++ {
		if i := g.beside[at]; turns(i) {
			g.take(i)
		} else {
			g.beside[still] = i
			still++
		}
	}
	g.beside = g.beside[:still]
	c := Correction{Labels: slices.Clone(g.now)}
	for i, in := range g.in {
		if in {
			c.Labels[i] = uint8(g.class)
			if i != int(g.click) {
				c.part = append(c.part, int32(i))
			}
		}
	}
	c.changed = c.part
	return c
}

// The local ladders ask for the class at reaches, in parts of the image's mean side,
// with e^-½ of their strength. They lean by firm to what is shown where they don't ask
// at all; where the logarithm of their strength is below leastLogRate nothing turns.
var reaches = [2]float64{0.06, 0.15}

const (
	firm         = 4
	leastLogRate = -7
)

// parts adds the corrections of each ladder, then those of the hierarchy, each time from
// the smallest part on.
func (t *turn) parts(add func(c Correction)) error {
	model := t.choice()
	climb := func(model *crf.Model, rate []float64, from, to, step int) error { // rungs, see shift
		ladder, err := crf.NewLadder(model, rate)
		if err != nil {
			return err
		}
		part := t.growth()
		for rung := from; rung <= to; rung += step {
			x := ladder.At(shift(rung))
			add(part.to(func(i int32) bool { return x[i] == 1 }))
		}
		return nil
	}
	if err := climb(model, nil, -6, 12, 1); err != nil {
		return err
	}
	for _, reach := range reaches {
		local := *model
		local.Unary, local.Fixed = slices.Clone(model.Unary), slices.Clone(model.Fixed)
		rate := make([]float64, model.Nodes)
		for i := range rate {
			log := -0.5 * t.square(i, int(t.click)) / float64(reach*reach*t.side*t.side)
			if log < leastLogRate {
				local.Fixed[i] = max(local.Fixed[i], 0)
				continue
			}
			rate[i] = crf.Exp(log)
			local.Unary[2*i] += float64(firm * (1 - rate[i]))
		}
		if err := climb(&local, rate, -3, 15, 3); err != nil {
			return err
		}
	}
	part := t.growth()
	for _, inside := range t.enclosing(int(t.click)) {
		add(part.to(inside))
	}
	return nil
}

// choice is the model of two labels in which 1 is the class of the click and 0 what
// is shown. Between two other classes an edge becomes half an edge and the rest of
// its weight for turning, at both ends.
func (t *turn) choice() *crf.Model {
	k := t.p.Model.Labels
	m := &crf.Model{Nodes: len(t.now), Labels: 2, Unary: make([]float64, 2*len(t.now)), Fixed: make([]int16, len(t.now)), Edges: slices.Clone(t.p.Model.Edges)}
	for i, l := range t.now {
		switch {
		case t.turnable[i]:
			m.Fixed[i] = -1
			m.Unary[2*i], m.Unary[2*i+1] = t.p.Model.Unary[i*k+int(l)], t.p.Model.Unary[i*k+t.class]
		case int(l) == t.class:
			m.Fixed[i] = 1
		}
	}
	for n := range m.Edges {
		e := &m.Edges[n]
		if a, b := t.now[e.A], t.now[e.B]; a != b && int(a) != t.class && int(b) != t.class {
			e.W = float64(e.W / 2)
			m.Unary[2*e.A+1] += e.W
			m.Unary[2*e.B+1] += e.W
		}
	}
	return m
}

// best returns the first so many corrections in the order in which they are shown:
// the best, then each next one by the expected gain of the best one shown.
func (m *Model) best(all []Correction, count int) []Correction {
	if m.Chooser == nil || len(all) < 2 {
		return all[:min(count, len(all))]
	}
	parts := make([][]int32, len(all))
	for i := range all {
		parts[i] = all[i].changed
	}
	features := make([][]float64, len(all))
	for i := range all {
		features[i] = all[i].Features[:]
	}
	chances := m.Chooser.Chances(features)
	order := chooser.InOrder(chances, m.overlaps(parts), count)
	if all[order[0]].late {
		at := -1
		for i := range all {
			if !all[i].late && (at < 0 || chances[i] > chances[at]) {
				at = i
			}
		}
		if at >= 0 {
			order = slices.DeleteFunc(order, func(i int) bool { return i == at })
			order = slices.Insert(order, 0, at)[:min(count, len(order)+1)]
		}
	}
	var out []Correction
	for _, i := range order {
		out = append(out, all[i])
	}
	return out
}

// marks yields the class of each click, where those of one class side by side, such as a
// stroke, count as one.
func (m *Model) marks(fixed []int16) iter.Seq[int16] {
	return func(yield func(class int16) bool) {
		seen := make([]bool, len(fixed))
		for i, f := range fixed {
			if f < 0 || seen[i] {
				continue
			}
			if !yield(f) {
				return
			}
			for _, j := range m.joined([]int32{int32(i)}, func(j int32) bool { return fixed[j] == f }) {
				seen[j] = true
			}
		}
	}
}

// joined returns the given superpixels with all that paths of changed ones join to
// them.
func (m *Model) joined(superpixels []int32, changed func(int32) bool) (part []int32) {
	around, seen := m.around(), make([]bool, len(m.shares))
	for _, i := range superpixels {
		if !seen[i] {
			seen[i] = true
			part = append(part, i)
		}
	}
	for at := 0; at < len(part); at++ {
		for _, j := range around[part[at]] {
			if !seen[j] && changed(j) {
				seen[j] = true
				part = append(part, j)
			}
		}
	}
	return part
}

// square is the squared distance between the centroids of two superpixels in pixels.
func (m *Model) square(i, j int) float64 {
	a, b := m.centres[i], m.centres[j]
	dx, dy := float64(a[0]-b[0]), float64(a[1]-b[1])
	return float64(dx*dx) + float64(dy*dy)
}
