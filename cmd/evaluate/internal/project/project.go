// Package project holds the experiments on what a project learns: from its finished
// images (project.go, work.go, figures.go) and from embeddings (embeddings.go). A lesson is
// an image to work on and to learn from.
package project

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/segment/simulate"
)

// Command is the command project: actions by how many images are finished.
type Command struct {
	flags.Images
	results.Output
	Finished   []int     `default:"0,5,10,20,40,80" help:"Numbers of finished images after which the test images are worked on."`
	Test       int       `default:"40" help:"Test images, at most a third of all; never learned from."`
	Online     bool      `help:"Work through all images in order instead, learning from what was accepted."`
	Copy       bool      `help:"Like --online --order listed, but instead of learning copy the labelling of the image before as the guess."`
	Order      string    `default:"mixed" enum:"mixed,listed" help:"Order of the images: by a hash of their names (mixed), or as in index.tsv (listed)."`
	Draw       int       `default:"0" help:"Another order of the mixed images for each number."`
	Target     []float64 `default:"0.85,0.90" help:"Mean IoU per image to reach, at most 95 % of what the superpixels allow."`
	Max        int       `default:"60" help:"Actions after which the annotator gives up."`
	Gestures   []string  `default:"points,strokes" enum:"points,strokes" help:"What an action is: ${enum}."`
	Hypotheses int       `default:"20" help:"On offer, with regions; 1 for the random walker's single answer."`
	Wrong      bool      `help:"Give the test images guesses in which each class is taken for the next one: what a bad guess costs."`
	Least      float64   `default:"0" help:"Classes with less than this share of an image's area are void in it."`
	Plots      string    `type:"path" placeholder:"DIR" help:"Draw the curves into this folder."`
}

// projectRow is one row of the table.
type projectRow struct {
	Finished    int            `json:"finished"`
	Target      float64        `json:"target"`
	Gesture     string         `json:"gesture"`
	MeanActions float64        `json:"mean_actions"` // a failure counts as --max
	Median      float64        `json:"median_actions"`
	Failed      int            `json:"failed"`
	Without     float64        `json:"without"` // mean actions when nothing is learned
	Saved       stats.Interval `json:"saved"`   // actions per image, against the same image without
	Worse       float64        `json:"worse"`   // share of the images that needed more actions
	Images      int            `json:"images"`
	Strength    float64        `json:"strength"` // the project's choice; 0 for none
	Block       [2]int         `json:"block"`    // with --online: first and last image of the row
}

// Run works, prints and stores.
func (c *Command) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	if err := progress.ResultFolder("--plots", c.Plots); err != nil {
		return err
	}
	if c.Copy {
		c.Online, c.Order = true, "listed"
	}
	if c.Order == "mixed" {
		slices.SortStableFunc(list, func(a, b simulate.Picture) int { return cmp.Compare(c.mixed(a.ID), c.mixed(b.ID)) })
	}
	lessons := make([]*lesson, len(list))
	err = t.Each("", len(list), func(i int) (err error) {
		lessons[i], err = openLesson(list[i], c.Classes, c.Least)
		return err
	})
	if err != nil {
		return err
	}
	// An image without any class can't be worked on.
	lessons = slices.DeleteFunc(lessons, func(l *lesson) bool { return l.bound == 0 })
	var classes scene.Held
	for _, l := range lessons {
		classes.Note(l.majority)
	}
	if err := classes.Enough(c.Data, len(list)); err != nil {
		return err
	}
	work := c.fixed
	if c.Online {
		work = c.online
	}
	rows, err := work(t, lessons)
	if err != nil {
		return err
	}
	c.print(t, rows)
	if err := c.Write(map[string]any{"results": rows}); err != nil || c.Plots == "" {
		return err
	}
	return c.draw(rows)
}

func (c *Command) check() error {
	for i, k := range c.Finished {
		if k < 0 || i > 0 && k <= c.Finished[i-1] {
			return fmt.Errorf("--finished %v: must rise, from 0 or more", c.Finished)
		}
	}
	if !(c.Least >= 0 && c.Least < 1) {
		return fmt.Errorf("--least %v: must be at least 0 and below 1", c.Least)
	}
	return cmp.Or(
		flags.Shares("--target", c.Target...), flags.AtLeast("--test", 1, c.Test), flags.AtLeast("--max", 1, c.Max),
		flags.AtLeast("--hypotheses", 1, c.Hypotheses), c.CheckClasses(1),
	)
}

// mixed is a name's place in the order. Names that differ in their last digit only,
// as those of successive frames, come apart, which a weaker hash doesn't do.
func (c *Command) mixed(name string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", c.Draw, name))
	return string(sum[:])
}
