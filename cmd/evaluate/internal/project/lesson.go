package project

import (
	"fmt"
	"image"
	"slices"

	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/learn"
	"collie/segment/simulate"
	"collie/superpixels"
)

// boundShare is the highest target, as a share of what the superpixels allow.
const boundShare = 0.95

// lesson is a picture to work on and to learn from, at its default granularity.
type lesson struct {
	id       string
	graph    *superpixels.Graph
	coarse   []int32 // region of each superpixel in a coarse division
	features *learn.Features
	truth    simulate.Truth
	majority []uint8
	bound    float64 // mean IoU that the superpixels allow; 0 for an image that is all void
}

// openLesson reads a picture and its mask, in which classes with less than a share
// of the image become void.
func openLesson(p simulate.Picture, classes int, least float64) (*lesson, error) {
	img, mask, err := p.LoadLabelled()
	if err != nil {
		return nil, err
	}
	leaveOutSmall(mask, least)
	d, n, err := divide(p, img, mask, classes)
	if err != nil {
		return nil, err
	}
	l := d.lesson // the rest takes too much memory to be kept of many
	l.features = learn.Describe(img, d.hierarchy, d.cells, n)
	return &l, nil
}

// divided is a lesson, still without features, with the superpixels that it was made of.
type divided struct {
	lesson
	hierarchy *superpixels.Hierarchy
	cells     *superpixels.Graph
	cut       *superpixels.Cut
}

// divide makes a lesson of a picture and its mask, at the default number of
// superpixels, which it returns too.
func divide(p simulate.Picture, img *image.NRGBA, mask []uint8, classes int) (d *divided, regions int, err error) {
	n := superpixels.DefaultRegions(img.Rect.Dx(), img.Rect.Dy())
	h, cells := superpixels.Divide(img, scene.FinestFactor*n)
	cut := h.Cut(cells, n, make([]uint8, h.Finest()), 0)
	truth, err := simulate.Cover(h.At(n), mask, classes)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", p.Mask(), err)
	}
	d = &divided{
		lesson{id: p.ID, graph: cells.Coarsen(cut.Parent, cut.N), coarse: h.LevelOf(cut, engine.Regions(cut.N)), truth: truth, majority: simulate.Majority(truth)},
		h, cells, cut,
	}
	if slices.ContainsFunc(d.majority, func(class uint8) bool { return class != segment.Void }) {
		d.bound = simulate.MeanIoU(truth, d.majority)
	}
	return d, n, nil
}

// leaveOutSmall sets classes that cover less than a share of the mask to void.
func leaveOutSmall(mask []uint8, least float64) {
	var areas [256]int
	for _, class := range mask {
		areas[class]++
	}
	for p, class := range mask {
		if float64(areas[class]) < least*float64(len(mask)) {
			mask[p] = segment.Void
		}
	}
}

// example is the lesson as something to learn from, with the given labels.
func (l *lesson) example(labels []uint8) learn.Example {
	return learn.Example{
		ID: l.id, Features: l.features, Labels: labels,
		Graph: func() (*superpixels.Graph, error) { return l.graph, nil },
	}
}

// work lets the annotator work on the lesson from the help of its project, and returns
// the actions for each target, -1 for one that was not reached, and the labelling in the
// end.
func (c *Command) work(t *progress.Terminal, l *lesson, from help, gesture string) ([]int, []uint8, error) {
	return c.workIn(t, &simulate.Scene{Graph: l.graph, Coarse: l.coarse, Guess: from.guess, Affinities: from.affinities}, l, gesture)
}

// workIn is work in a scene of the lesson.
func (c *Command) workIn(t *progress.Terminal, in *simulate.Scene, l *lesson, gesture string) ([]int, []uint8, error) {
	a := simulate.Annotator{
		Scene: in, Truth: l.truth, Majority: l.majority,
		Method: simulate.Method{Name: "herding-harmonic"}, Count: c.Hypotheses, Regions: c.Hypotheses > 1,
		Strokes: gesture == "strokes", Max: c.Max,
	}
	if c.Hypotheses == 1 {
		a.Method.Name = "random-walker"
	}
	targets := make([]float64, len(c.Target))
	for i, target := range c.Target {
		targets[i] = min(target, boundShare*l.bound)
	}
	reached, labels, err := a.Annotate(t.Ctx, targets)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", l.id, err)
	}
	return reached, labels, nil
}

// misled is a guess that takes each class for the next one.
func misled(g *engine.Guess) *engine.Guess {
	if g == nil {
		return nil
	}
	k := len(g.Classes)
	wrong := *g
	wrong.Shares = make([]float64, len(g.Shares))
	for i, v := range g.Shares {
		row := i - i%k
		wrong.Shares[row+(i%k+1)%k] = v
	}
	return &wrong
}
