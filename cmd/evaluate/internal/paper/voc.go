// Package paper holds the experiments of the paper: how good the best, the first and
// the mode of a method's hypotheses are, from clicks drawn at random (voc.go), from the
// scores of a classifier (semantic.go), or as other programs made them (labellings.go).
// A trial is one row of their tables.
package paper

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/segment"
	"collie/segment/labelset"
	"collie/segment/simulate"
)

// VOC measures methods by clicks drawn at random, as the paper does.
type VOC struct {
	flags.Images
	results.Output
	Observed   []float64 `default:"0.02,0.10,1" help:"Shares of the superpixels that are clicked."`
	Hypotheses int       `default:"20" help:"Length of the sequences."`
	Methods    []string  `default:"${clicked}" enum:"${clicked}" help:"${enum}."`
	Draws      int       `default:"1" help:"Draws of the clicks; with several, figures are means and spreads over them."`
	Regions    int       `default:"600" help:"Superpixels of an image."`
	Solver     []string  `default:"exact" enum:"exact,lbp" help:"Maximisers of the paper's methods: exact (nearly, TRW-S and ICM) or lbp (50 rounds of belief propagation)."`
	Reading    []string  `default:"similarity" enum:"similarity,before-weight,softmax" help:"Readings of the paper's pairwise moments, of herding-paper: ${enum}."`
	Rates      []float64 `default:"0.25" help:"Herding rates η_p of herding-paper."`
	Lambda     float64   `default:"0.15" help:"Diversity λ of divmbest."`
	AllClasses bool      `help:"Put all classes in play, not only those clicked."`
	Masks      string    `type:"path" placeholder:"DIR" help:"Write what was clicked as masks DIR/SHARE/DRAW/clicks/ID.png, void elsewhere, and all labellings as DIR/SHARE/DRAW/METHOD/ID/000.png."`
	Curves     string    `type:"path" placeholder:"DIR" help:"Draw accuracy over the number of hypotheses, the observed share and the rate as SVG and PNG."`
}

func (c *VOC) check() error {
	return cmp.Or(
		flags.Shares("--observed", c.Observed...), flags.Positive("--rates", c.Rates...), flags.Positive("--lambda", c.Lambda),
		flags.AtLeast("--hypotheses", 1, c.Hypotheses), flags.AtLeast("--draws", 1, c.Draws), flags.Regions(c.Regions), c.CheckClasses(1),
	)
}

// Run measures, prints and stores the figures.
func (c *VOC) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	if err := cmp.Or(progress.ResultFolder("--curves", c.Curves), progress.ResultFolder("--masks", c.Masks)); err != nil {
		return err
	}
	trials, classes := c.trials(len(list)), &scene.Held{}
	err = scene.Each(t, list, c.Regions, c.Classes, func(i int, s *scene.Scene) error {
		classes.Note(s.Majority)
		for _, trial := range trials {
			for draw := range c.Draws {
				if err := c.try(t, trial, s, i, draw); err != nil {
					return fmt.Errorf("%s, %s: %w", s.ID, trial.Method, err)
				}
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
	for _, trial := range trials {
		trial.finish(c.Classes)
	}
	c.print(t, trials)
	if err := c.Write(map[string]any{"results": trials}); err != nil || c.Curves == "" {
		return err
	}
	return drawCurves(c.Curves, trials)
}

// trials lists what to measure.
func (c *VOC) trials(images int) []*trial {
	var out []*trial
	for _, share := range c.Observed {
		for _, name := range c.Methods {
			for _, m := range c.variants(name) {
				m.Observed, m.Images, m.Draws, m.Hypotheses = share, images, c.Draws, c.Hypotheses
				if m.method.Single() {
					m.Hypotheses = 1
				}
				m.open(c.Classes)
				out = append(out, m)
			}
		}
	}
	return out
}

// ofThePaper are the methods that work on the paper's model.
var ofThePaper = []string{"map", "divmbest", "herding-paper"}

// variants are the settings in which a method is measured.
func (c *VOC) variants(name string) []*trial {
	if !slices.Contains(ofThePaper, name) {
		return []*trial{{Method: name, method: simulate.Method{Name: name}}}
	}
	var out []*trial
	for _, solver := range c.Solver {
		m := simulate.Method{Name: name, Lambda: c.Lambda, Solver: maximisers[solver]}
		if name != "herding-paper" {
			out = append(out, &trial{Method: name, Solver: solver, method: m})
			continue
		}
		for _, reading := range c.Reading {
			for _, rate := range c.Rates {
				m.Rate = rate
				m.Reading = readings[reading]
				out = append(out, &trial{Method: name, Solver: solver, Reading: reading, Rate: rate, method: m})
			}
		}
	}
	return out
}

// try runs a method on one draw of clicks on an image.
func (c *VOC) try(t *progress.Terminal, trial *trial, s *scene.Scene, image, draw int) error {
	all := 0
	if c.AllClasses {
		all = c.Classes
	}
	seeds := simulate.Seeds(s.Majority, trial.Observed, s.ID, uint64(draw))
	clicks := simulate.InPlay(seeds, all)
	if len(clicks.Classes) == 0 {
		return nil // all void
	}
	if !slices.Contains(ofThePaper, trial.Method) && len(clicks.Classes) > 1 {
		if err := s.Prepare(clicks); err != nil {
			return err
		}
	}
	start := time.Now()
	hypotheses, err := trial.method.Hypotheses(t.Ctx, &s.Scene, clicks, trial.Hypotheses)
	if err != nil {
		return err
	}
	trial.add(image, draw, s.Truth, hypotheses, time.Since(start))
	if c.Masks == "" {
		return nil
	}
	dir := filepath.Join(c.Masks, fmt.Sprint(trial.Observed), fmt.Sprint(draw))
	if err := writeMask(s.Regions, seeds, dir, "clicks", s.ID+".png"); err != nil {
		return err
	}
	for m, labels := range hypotheses {
		if err := writeMask(s.Regions, labels, dir, strings.ReplaceAll(trial.title(), " ", "-"), s.ID, fmt.Sprintf("%03d.png", m)); err != nil {
			return err
		}
	}
	return nil
}

// title distinguishes a trial from the others in the table.
func (t *trial) title() string {
	words := []string{t.Method}
	if t.Solver != "" {
		words = append(words, t.Solver)
	}
	if t.Reading != "" {
		words = append(words, t.Reading, fmt.Sprintf("η %g", t.Rate))
	}
	return strings.Join(words, " ")
}

func (c *VOC) print(t *progress.Terminal, trials []*trial) {
	fmt.Fprintf(t.Out, "Mean IoU in per cent over %s, %s of the clicks, void ignored; the oracle takes the hypothesis of best mean IoU of each image. "+legend+"\n",
		segment.Counted(trials[0].Images, "image"), results.Draws(c.Draws))
	w := t.Table()
	defer w.Flush()
	fmt.Fprint(w, "observed\tmethod\tM\toracle\t±\tfirst\t±\tmode\t±\tms\t\n")
	for _, r := range trials {
		fmt.Fprintf(w, "%.4g %%\t%s\t%s\t\n", 100*r.Observed, r.title(), r.cells())
	}
}

// className is the class's name in PASCAL VOC, or its number in other data.
func className(class, classes int) string {
	if classes == len(labelset.PASCAL) {
		return labelset.PASCAL[class]
	}
	return fmt.Sprint(class)
}
