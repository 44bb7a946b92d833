package engine

import (
	"errors"
	"image"
	"slices"

	"collie/herding"
	"collie/segment"
)

// Evidence is what the hypotheses of an image follow from, by superpixel of one
// map. All but Clicks may be left out. A sequence keeps the slices, which must
// not change any more.
type Evidence struct {
	Clicks   []uint8      // class clicked, or Void
	Beside   []uint8      // class clicked right beside, or Void
	Rest     segment.Rest // what nobody clicks
	Boxes    []Box        // where the objects are
	Holds    *Holds       // picks that last
	Excluded []Exclusion  // classes that superpixels are not
	Guess    *Guess

	// Shown is the labelling that the last clicks correct, class ids or Void:
	// what was shown when the first of them was made, or what was accepted. Since
	// are the superpixels of these clicks. With them the first hypothesis is a
	// correction of Shown, see correction; nil for a hypothesis that looks at the
	// evidence alone.
	Shown []uint8
	Since []int32
}

// Box says that objects of a class lie in a rectangle: nothing outside of it is of the
// class until something there is clicked or picked as such. What is outside of all
// boxes is the rest, or what a guess says.
type Box struct {
	Class   uint8
	Outside []bool          // superpixels wholly outside
	Bounds  image.Rectangle // in pixels
}

// Exclusion says that a superpixel is not of a class.
type Exclusion struct {
	Superpixel int
	Class      uint8
}

// NewBox returns the box of a class for the superpixels of the model.
func (m *Model) NewBox(class uint8, box image.Rectangle) Box {
	b := Box{Class: class, Outside: make([]bool, len(m.bounds)), Bounds: box}
	for i, bounds := range m.bounds {
		b.Outside[i] = !bounds.Overlaps(box)
	}
	return b
}

// forgetRefuted drops a guess that clicks have refuted, so that everything is as
// without it: the rest leans in from the border again. It reports whether it did.
func (e *Evidence) forgetRefuted() bool {
	if e.Guess == nil || !e.Guess.refuted(e.Clicks) {
		return false
	}
	e.Guess = nil
	return true
}

// inPlay returns the classes that hypotheses are made of, ascending, with Void
// for undecided as the last unless all classes are in play; and the index of the
// rest among them or -1. The classes are those that were clicked, boxed or picked,
// and those that the guess brings, see Guess.inPlay. Without any the rest alone is
// nothing. areas are those of the superpixels.
func (e *Evidence) inPlay(areas []float64) (classes []int, rest int) {
	var has [segment.MaxClasses + 1]bool
	if e.Guess != nil {
		guessed := e.Guess.inPlay(e.Clicks, areas)
		copy(has[:], guessed[:])
	}
	for _, c := range e.Clicks {
		has[c] = true
	}
	if e.Holds != nil {
		for _, c := range e.Holds.Labels {
			has[c] = true
		}
	}
	for _, b := range e.Boxes {
		has[b.Class] = true
	}
	has[segment.Void] = false
	count := 0
	for _, h := range has {
		if h {
			count++
		}
	}
	if count == 0 {
		return nil, -1
	}
	restClass := -1
	switch e.Rest.Mode {
	case segment.RestClass:
		restClass = int(e.Rest.Class)
	case segment.RestUndecided:
		restClass = segment.Void
	case segment.RestFirst:
		if count == 1 {
			restClass = segment.Void
		}
	}
	if restClass < 0 && len(e.Boxes) > 0 {
		restClass = segment.Void // what is outside is something else
	}
	if restClass == segment.Void && count == segment.MaxClasses {
		restClass = -1 // a model has no more labels
	}
	if restClass >= 0 {
		has[restClass] = true
	}
	rest = -1
	for class, h := range has {
		if h {
			if class == restClass {
				rest = len(classes)
			}
			classes = append(classes, class)
		}
	}
	if !has[segment.Void] && len(classes) < segment.MaxClasses && e.emptied(classes, rest) {
		classes = append(classes, segment.Void)
	}
	return classes, rest
}

// guessed returns, for each superpixel, the most probable of the classes by the guess,
// or its class in first where it is clicked or the guess has none that it can be.
func (e *Evidence) guessed(classes []int, rest int, first []uint8) []uint8 {
	index := indexOf(classes)
	not := e.ruledOut(&index, len(classes), rest)
	out := slices.Clone(first)
	for i, clicked := range e.Clicks {
		most := 0.0
		for column, v := range e.Guess.row(i) {
			class := e.Guess.Classes[column]
			if l := index[class]; clicked == segment.Void && v > most && l >= 0 && (not[i] == nil || !not[i][l]) {
				out[i], most = class, v
			}
		}
	}
	return out
}

// pull is what draws the walker besides clicks and similarities: the guess, the
// rest that leans in from the image's border, the boxes and the picks. index is
// indexOf(classes).
func (e *Evidence) pull(m *Model, classes []int, index *[256]int16, rest int) *herding.Prior {
	k := len(classes)
	var p *herding.Prior
	if e.Guess != nil {
		p = e.Guess.Prior(e.Clicks, classes)
	}
	if rest < 0 && len(e.Boxes) == 0 && e.Holds == nil && e.Beside == nil {
		return p
	}
	if p == nil {
		p = &herding.Prior{Weight: make([]float64, len(e.Clicks)), Share: make([]float64, len(e.Clicks)*k)}
	}
	inside := m.Inside
	if slices.ContainsFunc(e.Clicks, func(c uint8) bool { return c != segment.Void }) {
		inside = m.Clicked
	}
	for i := range e.Clicks {
		guessed := p.Weight[i] > 0 // which covers the rest, too
		if rest >= 0 && m.rim[i] && !guessed {
			draw(p, i, k, rest, m.Rest)
		}
		boxed := false
		for _, b := range e.Boxes {
			if !b.Outside[i] {
				draw(p, i, k, int(index[b.Class]), inside)
				boxed = true
			} else if e.Holds != nil && e.Holds.Labels[i] == b.Class {
				boxed = true // accepted before the box was drawn around another object
			}
		}
		if len(e.Boxes) > 0 && !boxed && !guessed && rest >= 0 {
			draw(p, i, k, rest, m.Outside)
		}
		if e.Beside != nil && e.Beside[i] != segment.Void {
			draw(p, i, k, int(index[e.Beside[i]]), m.Beside)
		}
		if e.Holds != nil && e.Holds.Labels[i] != segment.Void {
			draw(p, i, k, int(index[e.Holds.Labels[i]]), m.Hold)
		}
	}
	return p
}

// clicksAndPicks reports whether nothing else is in pull, what draws the walker besides clicks
// and similarities: only what clicks say right beside them, and picks.
func (e *Evidence) clicksAndPicks(pull *herding.Prior) bool {
	if pull == nil {
		return true
	}
	for i, weight := range pull.Weight {
		beside := e.Beside != nil && e.Beside[i] != segment.Void
		held := e.Holds != nil && e.Holds.Labels[i] != segment.Void
		if weight > 0 && !beside && !held {
			return false
		}
	}
	return true
}

// preferThing helps the first class that isn't the rest a little where nothing at all
// tells the classes apart: Herding needs a first labelling. A mask imported along the
// border leaves it so, where the rest leans in as strongly as the picks hold; in a
// narrow image that is everywhere.
func preferThing(p *herding.Problem, rest int) {
	if !errors.Is(p.Ready(), herding.ErrNoInformation) {
		return
	}
	thing := 0
	if rest == 0 {
		thing = 1
	}
	for at := thing; at < len(p.Model.Unary); at += p.Model.Labels {
		p.Model.Unary[at] += herding.Floor
	}
}

// Terms puts evidence in terms of the model: the classes in play, per superpixel
// the index of the clicked one among them or -1, and what draws the walker, as
// Problem takes them.
func (m *Model) Terms(e Evidence) (classes []int, fixed []int16, pull *herding.Prior) {
	e.forgetRefuted()
	classes, rest := e.inPlay(m.shares)
	index := indexOf(classes)
	if len(classes) > 0 {
		pull = e.pull(m, classes, &index, rest)
	}
	return classes, e.fixed(&index), pull
}

// fixed is the index of the class of each superpixel's click, -1 without one.
func (e *Evidence) fixed(index *[256]int16) []int16 {
	fixed := make([]int16, len(e.Clicks))
	for i, c := range e.Clicks {
		fixed[i] = -1
		if c != segment.Void {
			fixed[i] = index[c]
		}
	}
	return fixed
}

// draw adds a conductance from superpixel i to a label.
func draw(p *herding.Prior, i, k, label int, conductance float64) {
	row, weight := p.Share[i*k:(i+1)*k], p.Weight[i]
	total := weight + conductance
	if total == 0 {
		return
	}
	for l := range row {
		row[l] = float64(weight*row[l]) / total
	}
	row[label] += conductance / total
	p.Weight[i] = total
}
