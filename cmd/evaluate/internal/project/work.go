package project

import (
	"fmt"

	"collie/cmd/internal/progress"
	"collie/segment"
	"collie/segment/affinity"
	"collie/segment/engine"
	"collie/segment/learn"
)

// effortOn is what one image took, per target, with and without what was learned;
// -1 for a target that was not reached.
type effortOn struct{ with, without []int }

// fixed works on the same test images after different numbers of finished ones,
// whose labels are the truth.
func (c *Command) fixed(t *progress.Terminal, lessons []*lesson) ([]projectRow, error) {
	test := min(c.Test, len(lessons)/3)
	if test < 1 {
		return nil, fmt.Errorf("--data %s has %s that can be used%s; at least 3 are needed", c.Data, segment.Counted(len(lessons), "image"), c.Among())
	}
	tests, rest := lessons[:test], lessons[test:]
	without := map[string][][]int{}
	for _, gesture := range c.Gestures {
		reached, err := c.workAll(t, tests, gesture, func(*lesson) help { return help{} })
		if err != nil {
			return nil, err
		}
		without[gesture] = reached
	}
	var rows []projectRow
	var model *learn.Model
	for _, k := range c.Finished {
		if k > len(rest) {
			break
		}
		helped := func(*lesson) help { return help{} }
		strength := 0.0
		if k > 0 {
			var examples []learn.Example
			for _, l := range rest[:k] {
				examples = append(examples, l.example(l.majority))
			}
			var err error
			if model, err = learn.Train(t.Ctx, examples, model, engine.DefaultParameters.Affinities); err != nil {
				return nil, err
			}
			strength = model.Choice.Strength
			helped = func(l *lesson) help { return c.helps(model, l) }
		}
		for _, gesture := range c.Gestures {
			with := without[gesture]
			if strength > 0 || model != nil && model.Affinities != nil {
				var err error
				if with, err = c.workAll(t, tests, gesture, helped); err != nil {
					return nil, err
				}
			}
			efforts := make([]effortOn, test)
			for i := range efforts {
				efforts[i] = effortOn{with[i], without[gesture][i]}
			}
			for at, target := range c.Target {
				rows = append(rows, c.sum(efforts, at, projectRow{Finished: k, Target: target, Gesture: gesture, Strength: strength}))
			}
		}
	}
	if rows == nil {
		return nil, fmt.Errorf("--finished %d: --data %s has only %s%s besides the %s for the test", c.Finished[0], c.Data, segment.Counted(len(rest), "image"), c.Among(), segment.Counted(test, "image"))
	}
	return rows, nil
}

// help is what a project that learned gives an image.
type help struct {
	guess      *engine.Guess   // or nil
	affinities *affinity.Model // nil for the usual ones
}

// helps is the help of a model with an image; the guess can be a misleading one.
func (c *Command) helps(model *learn.Model, l *lesson) help {
	g := model.Guess(l.features)
	if c.Wrong {
		g = misled(g)
	}
	return help{g, model.Affinities}
}

// workAll lets the annotator work on all lessons.
func (c *Command) workAll(t *progress.Terminal, lessons []*lesson, gesture string, helped func(*lesson) help) ([][]int, error) {
	reached := make([][]int, len(lessons))
	return reached, t.Each("", len(lessons), func(i int) (err error) {
		reached[i], _, err = c.work(t, lessons[i], helped(lessons[i]), gesture)
		return err
	})
}

// copied is the guess that the labelling of one lesson gives for another.
func copied(from *lesson, labels []uint8, to *lesson) *engine.Guess {
	classes, shares := engine.Copied(from.graph, labels, to.graph)
	if len(classes) == 0 {
		return nil
	}
	return &engine.Guess{Classes: classes, Shares: shares, Strength: engine.CopyStrength, Exponent: engine.CopyExponent, Proof: engine.CopyProof}
}

// onlineBlock is how many images a row sums up.
const onlineBlock = 10

// online works through all images with each gesture, learning from what was
// accepted.
func (c *Command) online(t *progress.Terminal, lessons []*lesson) ([]projectRow, error) {
	var rows []projectRow
	for _, gesture := range c.Gestures {
		without, err := c.workAll(t, lessons, gesture, func(*lesson) help { return help{} })
		if err != nil {
			return nil, err
		}
		var examples []learn.Example
		var model *learn.Model
		efforts := make([]effortOn, len(lessons))
		strengths := make([]float64, len(lessons))
		for i, l := range lessons {
			if !c.Copy && model.Due(len(examples)) {
				if model, err = learn.Train(t.Ctx, examples, model, engine.DefaultParameters.Affinities); err != nil {
					return nil, err
				}
			}
			var from help
			if model != nil {
				from = c.helps(model, l)
				strengths[i] = model.Choice.Strength
			}
			if c.Copy && i > 0 {
				from.guess = copied(lessons[i-1], examples[i-1].Labels, l)
				strengths[i] = engine.CopyStrength
			}
			reached, labels, err := c.work(t, l, from, gesture)
			if err != nil {
				return nil, err
			}
			efforts[i] = effortOn{reached, without[i]}
			examples = append(examples, l.example(labels))
		}
		for at, target := range c.Target {
			for start := 0; start < len(efforts); start += onlineBlock {
				end := min(start+onlineBlock, len(efforts))
				rows = append(rows, c.sum(efforts[start:end], at, projectRow{
					Finished: start, Target: target, Gesture: gesture, Strength: strengths[end-1], Block: [2]int{start + 1, end},
				}))
			}
			if len(efforts) > onlineBlock {
				rows = append(rows, c.sum(efforts, at, projectRow{
					Finished: len(efforts), Target: target, Gesture: gesture, Strength: strengths[len(efforts)-1], Block: [2]int{1, len(efforts)},
				}))
			}
		}
	}
	return rows, nil
}
