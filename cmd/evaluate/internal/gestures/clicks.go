// Package gestures holds the experiments on clicks, boxes, strokes and scribbles: what
// they cost on images with several classes (clicks.go) and on one object (objects.go),
// what is wrong after scribbles (scribbles.go), and the networks that tell what they mean,
// for the first ones (extents.go) and for those that correct (corrections.go).
package gestures

import (
	"cmp"
	"fmt"
	"slices"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/segment"
	"collie/segment/simulate"
)

// Clicks counts the actions of a simulated annotator on images with several classes.
type Clicks struct {
	flags.Images
	results.Output
	Target  []float64 `default:"0.85,0.90" help:"Mean IoU per image to reach."`
	Max     int       `default:"60" help:"Actions after which the annotator gives up."`
	Methods []string  `default:"random-walker,herding-harmonic" enum:"${clicked}" help:"${enum}."`
	Offers  []int     `default:"1,5,20" help:"Numbers of hypotheses on offer."`
	Accepts []string  `default:"whole,regions" enum:"whole,regions" help:"What can be taken of a hypothesis: ${enum}."`
	Strokes bool      `help:"Draw each click out to a stroke through the wrong region; it stays one action."`
	Regions int       `default:"600" help:"Superpixels of an image."`
	Rest    bool      `default:"true" negatable:"" help:"Class 0 is the background, which nobody has to click, for herding-harmonic; --no-rest where it is a class like the others."`
}

// effort is one row of the table.
type effort struct {
	Method        string  `json:"method"`
	Hypotheses    int     `json:"hypotheses"`
	RegionAccepts bool    `json:"region_accepts"`
	Strokes       bool    `json:"strokes"`
	Target        float64 `json:"target"`
	Images        int     `json:"images"`
	MeanActions   float64 `json:"mean_actions"` // a failure counts as --max
	MedianActions float64 `json:"median_actions"`
	Failed        int     `json:"failed"`
}

// setting is one way to work; its annotator has no image yet.
type setting struct {
	simulate.Annotator
	actions [][]int // per image, per target; nil for an image that is void
}

// Run simulates, prints and stores.
func (c *Clicks) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	settings, classes := c.settings(len(list)), &scene.Held{}
	err = scene.Each(t, list, c.Regions, c.Classes, func(i int, s *scene.Scene) (err error) {
		classes.Note(s.Majority)
		for _, setting := range settings {
			a := setting.Annotator
			a.Scene, a.Truth, a.Majority = &s.Scene, s.Truth, s.Majority
			if setting.actions[i], err = a.Work(t.Ctx, c.Target); err != nil {
				return fmt.Errorf("%s, %s: %w", s.ID, a.Method.Name, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := classes.Enough(c.Data, len(list)); err != nil {
		return err
	}
	for _, s := range settings {
		s.actions = slices.DeleteFunc(s.actions, func(reached []int) bool { return reached == nil })
	}
	var rows []effort
	for at, target := range c.Target {
		for _, s := range settings {
			rows = append(rows, s.effort(at, target))
		}
	}
	c.print(t, rows)
	if c.Rest && !classes.Has(0) && slices.Contains(c.Methods, "herding-harmonic") {
		fmt.Fprintln(t.Out, "No mask has class 0, which is taken for the background; --no-rest is for such masks.")
	}
	return c.Write(map[string]any{"results": rows})
}

func (c *Clicks) check() error {
	return cmp.Or(
		flags.Shares("--target", c.Target...), flags.AtLeast("--offers", 1, c.Offers...), flags.AtLeast("--max", 1, c.Max),
		flags.Regions(c.Regions), c.CheckClasses(1),
	)
}

func (c *Clicks) settings(images int) []*setting {
	var out []*setting
	add := func(method string, count int, regions bool) {
		out = append(out, &setting{
			simulate.Annotator{Method: simulate.Method{Name: method, Rest: c.rest()}, Count: count, Regions: regions, Strokes: c.Strokes, Max: c.Max}, make([][]int, images),
		})
	}
	for _, method := range c.Methods {
		if (simulate.Method{Name: method}).Single() {
			add(method, 1, false)
			continue
		}
		for _, count := range c.Offers {
			if count == 1 {
				add(method, 1, false) // nothing to choose from
				continue
			}
			for _, accept := range c.Accepts {
				add(method, count, accept == "regions")
			}
		}
	}
	return out
}

// rest is what the annotator need not click.
func (c *Clicks) rest() segment.Rest {
	if !c.Rest {
		return segment.Rest{}
	}
	return segment.Rest{Mode: segment.RestClass}
}

// effort sums up a setting for one target.
func (s *setting) effort(at int, target float64) effort {
	e := effort{Method: s.Method.Name, Hypotheses: s.Count, RegionAccepts: s.Regions, Strokes: s.Strokes, Target: target, Images: len(s.actions)}
	var all []int
	for _, reached := range s.actions {
		n := reached[at]
		if n < 0 {
			n = s.Max
			e.Failed++
		}
		all = append(all, n)
		e.MeanActions += float64(n) / float64(len(s.actions))
	}
	e.MedianActions = stats.Median(all)
	return e
}

func (c *Clicks) print(t *progress.Terminal, rows []effort) {
	fmt.Fprintf(t.Out, "Actions until the mean IoU of an image reaches the target, over %s; a failure counts as %d.\n", segment.Counted(rows[0].Images, "image"), c.Max)
	w := t.Table()
	defer w.Flush()
	fmt.Fprint(w, "target\tmethod\thypotheses\ttaken\tmean\tmedian\tfailed\t\n")
	for _, r := range rows {
		taken := "whole"
		if r.RegionAccepts {
			taken = "regions"
		}
		fmt.Fprintf(w, "%.4g %%\t%s\t%d\t%s\t%.2f\t%g\t%d\t\n", 100*r.Target, r.Method, r.Hypotheses, taken, r.MeanActions, r.MedianActions, r.Failed)
	}
}
