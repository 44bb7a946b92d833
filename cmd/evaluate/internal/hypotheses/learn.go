package hypotheses

import (
	"cmp"
	"fmt"
	"slices"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/herding"
	"collie/herding/predictors"
	"collie/segment"
	"collie/segment/simulate"
)

// Learn trains predictors that share the work and compares them with Herding.
type Learn struct {
	flags.Images
	results.Output
	Train      string  `required:"" type:"path" placeholder:"DIR" help:"Folder to learn from, as --data, with other images."`
	Predictors []int   `default:"1,2,4,8" help:"Numbers of predictors that share the work."`
	Observed   float64 `default:"0.02" help:"Share of the superpixels that is clicked."`
	Regions    int     `default:"600" help:"Superpixels of an image."`
	Rounds     int     `placeholder:"N" help:"Rounds of assignment and training instead of the default."`
	Epochs     int     `placeholder:"N" help:"Epochs of training in a round instead of the default."`
}

// learnRow compares so many predictors with as many of Herding's hypotheses.
type learnRow struct {
	Predictors int                  `json:"predictors"`
	Weights    []predictors.Weights `json:"weights"`
	Objective  []float64            `json:"objective"` // on the training images, per round
	Oracle     float64              `json:"oracle"`    // mean over the images, of the best labelling and one of each predictor
	Herding    float64              `json:"herding"`   // of as many hypotheses of Herding's
	Ahead      stats.Interval       `json:"ahead"`     // of Herding
}

// taught is an image with clicks that make a problem.
type taught struct {
	predictors.Example
	scene  *scene.Scene
	clicks simulate.Clicks
}

func (c *Learn) check() error {
	return cmp.Or(
		flags.AtLeast("--predictors", 1, c.Predictors...), flags.Shares("--observed", c.Observed), flags.Regions(c.Regions),
		c.CheckClasses(2), flags.AtLeast("--rounds", 0, c.Rounds), flags.AtLeast("--epochs", 0, c.Epochs), c.Apart("--train", c.Train),
	)
}

// Run learns on one folder and measures on the other.
func (c *Learn) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	if _, err := simulate.Labelled(c.Data, c.Limit); err != nil {
		return err // before the other folder takes its time
	}
	train, err := c.lessons(t, c.Train)
	if err != nil {
		return err
	}
	if len(train) == 0 {
		return c.OneClass("--train", c.Train)
	}
	if n := slices.Max(c.Predictors); n > len(train) {
		return fmt.Errorf("--predictors %d: every predictor needs an image to learn from, and --train %s has %d%s with clicks on two classes", n, c.Train, len(train), c.Among())
	}
	examples := make([]predictors.Example, len(train))
	for i, l := range train {
		examples[i] = l.Example
	}
	test, err := c.lessons(t, c.Data)
	if err != nil {
		return err
	}
	if len(test) == 0 {
		return c.OneClass("--data", c.Data)
	}
	var rows []*learnRow
	for _, n := range c.Predictors {
		row := &learnRow{Predictors: n}
		row.Weights, row.Objective, err = predictors.Learn(t.Ctx, examples, n, predictors.Options{Rounds: c.Rounds, Epochs: c.Epochs})
		if err != nil {
			return err
		}
		if err := c.measure(t, row, test); err != nil {
			return err
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(t.Out, "Mean IoU of the image in per cent over %s with %.4g %% of the superpixels clicked: the best labelling and one of each predictor, learned from %s; as many hypotheses of Herding's; how far the predictors are ahead, with a 95 %% interval.\n", segment.Counted(len(test), "image"), 100*c.Observed, segment.Counted(len(train), "other image"))
	w := t.Table()
	fmt.Fprint(w, "predictors\tobjective\tlearned\toracle\therding\tahead\t\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%d\t%.4f\t%.4f\t%.1f\t%.1f\t%s\t\n", r.Predictors, r.Objective[0], r.Objective[len(r.Objective)-1], 100*r.Oracle, 100*r.Herding, r.Ahead)
	}
	fmt.Fprint(w, "\nweight of the\tunaries\tregion\tsmall areas\tedges within\tacross regions\t\n")
	for i, p := range rows[len(rows)-1].Weights {
		fmt.Fprintf(w, "predictor %d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t\n", i+1, p.Unary, p.Region, p.Small, p.Within, p.Across)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return c.Write(map[string]any{"results": rows})
}

// lessons are the images of a folder whose clicks are of two classes or more.
func (c *Learn) lessons(t *progress.Terminal, folder string) ([]*taught, error) {
	list, err := simulate.Labelled(folder, c.Limit)
	if err != nil {
		return nil, err
	}
	out := make([]*taught, len(list))
	err = scene.Each(t, list, c.Regions, c.Classes, func(i int, s *scene.Scene) error {
		at, err := s.Pose(c.Observed, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		if at.Problem == nil {
			return nil
		}
		truth := make([]uint8, len(s.Majority))
		for node, class := range s.Majority {
			truth[node] = predictors.Unknown
			if l := slices.Index(at.Clicks.Classes, class); l >= 0 && class != segment.Void {
				truth[node] = uint8(l)
			}
		}
		out[i] = &taught{predictors.Example{Problem: at.Problem, Group: s.Coarse, Truth: truth}, s, at.Clicks}
		return nil
	})
	return slices.DeleteFunc(out, func(l *taught) bool { return l == nil }), err
}

// measure fills in the oracles of a row.
func (c *Learn) measure(t *progress.Terminal, row *learnRow, test []*taught) error {
	best := func(l *taught, source herding.Source) (best float64, err error) {
		for h, err := range source.Run(t.Ctx, row.Predictors+1) {
			if err != nil {
				return 0, err
			}
			best = max(best, simulate.MeanIoU(l.scene.Truth, l.clicks.Name(h.Labels)))
		}
		return best, nil
	}
	mine, other, ahead := make([]float64, len(test)), make([]float64, len(test)), make([]float64, len(test))
	err := t.Each("", len(test), func(i int) (err error) {
		mine[i], err = best(test[i], &predictors.Source{Problem: test[i].Problem, Group: test[i].Group, Predictors: row.Weights})
		if err == nil {
			other[i], err = best(test[i], test[i].Problem)
		}
		ahead[i] = mine[i] - other[i]
		return err
	})
	row.Oracle, _ = stats.MeanAndSpread(mine)
	row.Herding, _ = stats.MeanAndSpread(other)
	row.Ahead = stats.BootstrapMean(ahead)
	return err
}
