// Command train learns which superpixels belong together from folders of images
// and masks, reports how well, and writes the affinities that cmd/server reads.
package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"collie/cmd/internal/progress"
	"collie/segment/affinity/fit"
	"collie/segment/simulate"
)

type command struct {
	Data    []string `required:"" type:"path" placeholder:"DIR" help:"Folders with images/ID.jpg, .png or .tif and masks/ID.png, several separated by commas."`
	Out     string   `required:"" type:"path" placeholder:"FILE" help:"File to write the affinities to."`
	Classes int      `default:"21" help:"Number of classes; masks hold the indices 0 to one less, and 255 for void."`
	Limit   int      `placeholder:"N" help:"Use the first N images of each folder only."`
	Regions int      `default:"600" help:"Superpixels of an image."`
	Folds   int      `default:"4" help:"Parts of the cross-validation that the reported figures come from; 1 reports nothing."`
	Plot    string   `type:"path" placeholder:"DIR" help:"Draw calibration plots as SVG and PNG."`
}

type terminal = progress.Terminal

func main() {
	progress.Main("train", &command{}, kong.Description("Learns which superpixels belong together from folders of images and masks."))
}

func (c *command) check() error {
	switch {
	case c.Regions < 1 || c.Regions > 1<<16:
		return fmt.Errorf("--regions %d: must be from 1 to %d", c.Regions, 1<<16)
	case c.Folds < 1:
		return fmt.Errorf("--folds %d: must be at least 1", c.Folds)
	case c.Folds == 1 && c.Plot != "":
		return errors.New("--plot needs --folds of at least 2: its figures come from the cross-validation")
	case c.Classes < 2 || c.Classes > 255:
		return fmt.Errorf("--classes %d: must be from 2 to 255", c.Classes)
	}
	return progress.ResultFile("--out", c.Out)
}

// Run learns, reports and writes.
func (c *command) Run(t *terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	list, err := pictures(c.Data, c.Limit)
	if err != nil {
		return err
	}
	if len(list) < c.Folds {
		among := ""
		if c.Limit > 0 {
			among = fmt.Sprintf(" among the first %d of each folder (--limit)", c.Limit)
		}
		return fmt.Errorf("--folds %d needs at least as many images, and --data has %d%s", c.Folds, len(list), among)
	}
	if err := progress.ResultFolder("--plot", c.Plot); err != nil {
		return err
	}
	examples := make([]*fit.Image, len(list))
	err = t.Each("reading images", len(list), func(i int) (err error) {
		examples[i], err = open(list[i], c.Regions, c.Classes)
		return err
	})
	if err != nil {
		return err
	}
	examples = slices.DeleteFunc(examples, unlabelled)
	if n := len(list) - len(examples); n > 0 {
		if _, err := fmt.Fprintf(t.Out, "%d of %d images have no labels and are left out.\n", n, len(list)); err != nil {
			return err
		}
	}
	if len(examples) < c.Folds {
		return fmt.Errorf("--folds %d needs at least as many images with labels, and --data has %d", c.Folds, len(examples))
	}
	notes := []string{fmt.Sprintf("Learned from %d images with go run ./cmd/train%s.", len(examples), c.recipe())}
	if c.Folds > 1 {
		figures, err := c.validate(t, examples)
		if err != nil {
			return err
		}
		notes = append(notes, figures...)
	}
	model, err := fit.Learn(t.Each, "learning", examples)
	if err != nil {
		return fmt.Errorf("--data %s: %w", strings.Join(c.Data, ","), err)
	}
	model.Notes = notes
	if err := progress.WriteResult(c.Out, model.Encode()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.Out, "%s holds the affinities %s of %d numbers.\n", c.Out, model.Number(), 4*len(model.Edge.Terms)+4*len(model.Pair.Terms)+2)
	return err
}

// pictures lists the first limit images of each folder, all for 0.
func pictures(dirs []string, limit int) (all []simulate.Picture, err error) {
	for _, dir := range dirs {
		list, err := simulate.Pictures(dir, limit)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// recipe lists the flags that the numbers depend on. Folders are named by their
// last element.
func (c *command) recipe() string {
	var b strings.Builder
	for _, dir := range c.Data {
		fmt.Fprintf(&b, " --data …/%s", filepath.Base(dir))
	}
	fmt.Fprintf(&b, " --classes %d --regions %d", c.Classes, c.Regions)
	if c.Limit > 0 {
		fmt.Fprintf(&b, " --limit %d", c.Limit)
	}
	return b.String()
}

// validate learns from all but each fold in turn and measures on that fold.
func (c *command) validate(t *terminal, examples []*fit.Image) (notes []string, err error) {
	edges, pairs := &verdicts{}, &verdicts{}
	for fold := range c.Folds {
		var seen, held []*fit.Image
		for i, e := range examples {
			if i%c.Folds == fold {
				held = append(held, e)
			} else {
				seen = append(seen, e)
			}
		}
		model, err := fit.Learn(t.Each, fmt.Sprintf("fold %d of %d", fold+1, c.Folds), seen)
		if err != nil {
			return nil, fmt.Errorf("--folds %d: without part %d: %w", c.Folds, fold+1, err)
		}
		parts, err := fit.Gather(t.Each, "measuring", held, fit.EdgeRows)
		if err != nil {
			return nil, err
		}
		edges.add(&model.Edge, parts)
		if parts, err = fit.Gather(t.Each, "measuring", held, func(e *fit.Image) *fit.Rows { return fit.PairRows(e, &model.Edge) }); err != nil {
			return nil, err
		}
		pairs.add(&model.Pair, parts)
	}
	for _, v := range []struct {
		name string
		*verdicts
	}{{"borders", edges}, {"pairs", pairs}} {
		line := fmt.Sprintf("%d %s, %.1f %% of one class: AUC %.4f, log loss %.4f, calibration error %.4f (cross-validation in %d parts).",
			len(v.logits), v.name, 100*v.share(), v.auc(), v.loss(), v.calibrationError(), c.Folds)
		fmt.Fprintln(t.Out, line)
		notes = append(notes, line)
		if c.Plot != "" {
			if err := v.draw(c.Plot, v.name); err != nil {
				return nil, err
			}
		}
	}
	return notes, nil
}
