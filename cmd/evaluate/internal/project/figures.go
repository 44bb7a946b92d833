package project

import (
	"fmt"
	"path/filepath"
	"slices"

	"collie/cmd/evaluate/internal/results"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/segment"
)

// sum fills in what the efforts say of one target.
func (c *Command) sum(efforts []effortOn, at int, row projectRow) projectRow {
	n := len(efforts)
	row.Images = n
	saved := make([]float64, n)
	var with []int
	count := func(reached int) int {
		if reached < 0 {
			return c.Max
		}
		return reached
	}
	for i, e := range efforts {
		mine, other := count(e.with[at]), count(e.without[at])
		with = append(with, mine)
		row.MeanActions += float64(mine) / float64(n)
		row.Without += float64(other) / float64(n)
		saved[i] = float64(other - mine)
		if saved[i] < 0 {
			row.Worse += 1 / float64(n)
		}
		if e.with[at] < 0 {
			row.Failed++
		}
	}
	row.Median = stats.Median(with)
	row.Saved = stats.BootstrapMean(saved)
	return row
}

func (c *Command) print(t *progress.Terminal, rows []projectRow) {
	answer := fmt.Sprintf("%d hypotheses and their regions on offer", c.Hypotheses)
	if c.Hypotheses == 1 {
		answer = "the random walker's single answer"
	}
	over := ""
	if !c.Online {
		over = fmt.Sprintf(", over %s", segment.Counted(rows[0].Images, "test image"))
	}
	fmt.Fprintf(t.Out, "Actions until the mean IoU of an image reaches the target, at most %.4g %% of what its superpixels allow%s; %s; a failure counts as %d. "+
		"Saved: actions per image against the same image without anything learned, with a 95 %% interval; worse: images that needed more.\n", 100*boundShare, over, answer, c.Max)
	w := t.Table()
	first := "finished"
	if c.Online {
		first = "images"
	}
	fmt.Fprintf(w, "gesture\ttarget\t%s\tmean\tmedian\tfailed\twithout\tsaved\t\tworse\tstrength\t\n", first)
	for _, r := range rows {
		which := fmt.Sprint(r.Finished)
		if c.Online {
			which = fmt.Sprintf("%d–%d", r.Block[0], r.Block[1])
		}
		part := 0.0
		if r.Without > 0 {
			part = r.Saved.Mean / r.Without
		}
		fmt.Fprintf(w, "%s\t%.4g %%\t%s\t%.2f\t%g\t%d\t%.2f\t%.2f [%.2f, %.2f]\t%.0f %%\t%.0f %%\t%g\t\n", r.Gesture, 100*r.Target, which,
			r.MeanActions, r.Median, r.Failed, r.Without, r.Saved.Mean, r.Saved.Low, r.Saved.High, 100*part, 100*r.Worse, r.Strength)
	}
	w.Flush()
	last := rows[len(rows)-1].Finished
	if i := slices.IndexFunc(c.Finished, func(k int) bool { return k > last }); i >= 0 && !c.Online {
		fmt.Fprintf(t.Out, "Left out: %d and more finished images; there are too few besides those for the test.\n", c.Finished[i])
	}
}

// draw writes the learning curve, mean actions over finished images.
func (c *Command) draw(rows []projectRow) error {
	f := &results.Diagram{X: "finished images", Y: "mean actions"}
	for _, r := range rows {
		if c.Online && r.Images > onlineBlock {
			continue // the sum of all
		}
		name := fmt.Sprintf("%s, %.4g %%", r.Gesture, 100*r.Target)
		f.Add(name, float64(r.Finished), r.MeanActions)
		if c.Online {
			f.Add(name+", nothing learned", float64(r.Finished), r.Without)
		}
	}
	return f.Save(filepath.Join(c.Plots, "project"))
}
