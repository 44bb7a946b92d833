// Package hypotheses holds the experiments on lists of hypotheses: which way to make them
// is ahead (methods.go, learn.go), and what they are good for: which one to mark (rank.go),
// what to ask next (next.go), how large a class is (areas.go), and what is still wrong
// (calibration.go).
package hypotheses

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/cputime"
	"collie/cmd/internal/pretend"
	"collie/cmd/internal/progress"
	"collie/herding"
	"collie/herding/methods"
	"collie/segment"
	"collie/segment/simulate"
)

// Methods compares the ways of package herding/methods on the same problems.
type Methods struct {
	flags.Images
	results.Output
	Methods    []string  `default:"all" placeholder:"NAME" help:"Ways to several labellings: all, or ${methods}."`
	Model      []string  `default:"harmonic" enum:"harmonic,paper,semantic" help:"Problems: harmonic (clicks, the product's), paper (clicks, the paper's) or semantic (scores made of the truth); ${enum}."`
	Observed   []float64 `default:"0.02" help:"Shares of the superpixels that are clicked; the semantic model has no clicks."`
	Draws      int       `default:"1" help:"Draws of the clicks, or of the scores' errors; with several, figures are means and spreads over them."`
	Hypotheses int       `default:"20" help:"Labellings of a method."`
	Against    string    `default:"label-bias" placeholder:"NAME" help:"Method that the others are compared with, image by image; it is measured, too."`
	Strength   float64   `placeholder:"NUMBER" help:"Strength of diversity or noise instead of each method's default."`
	Regions    int       `default:"600" help:"Superpixels of an image."`
	Blur       float64   `default:"0.01" help:"Of the semantic scores, see evaluate semantic."`
	Doubt      float64   `default:"0.4" help:"Of the semantic scores."`
	Corrupt    float64   `default:"0.1" help:"Of the semantic scores."`
}

func (c *Methods) check() error {
	if slices.Equal(c.Methods, []string{"all"}) {
		c.Methods = methods.Names()
	}
	err := cmp.Or(
		flags.Within("--draws", 1, 1000, c.Draws), flags.Within("--hypotheses", 1, 1000, c.Hypotheses), flags.Regions(c.Regions), c.CheckClasses(2),
		flags.Within("--strength", 0, 1e6, c.Strength), flags.Within("--blur", 0, 0.25, c.Blur), flags.Within("--doubt", 0, 0.5, c.Doubt), flags.Within("--corrupt", 0, 1, c.Corrupt),
		flags.Shares("--observed", c.Observed...), flags.Known(c.Methods...), flags.Known(c.Against),
	)
	if err != nil {
		return err
	}
	for _, model := range c.Model {
		if !slices.ContainsFunc(c.Methods, func(name string) bool { return runsOn(name, model) }) {
			return fmt.Errorf("--methods %s with --model %s: this model has no marginals, which the method needs; take --model harmonic or a method such as herding", strings.Join(c.Methods, ","), model)
		}
	}
	if !slices.Contains(c.Methods, c.Against) {
		c.Methods = append(c.Methods, c.Against)
	}
	return nil
}

// runsOn tells whether a method can work on a model's problems: the paper's
// model has no marginals.
func runsOn(name, model string) bool {
	m, _ := methods.Find(name)
	return !m.Marginals || model != "paper"
}

// Run measures, prints and stores the figures.
func (c *Methods) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	var rows []*contender
	for _, model := range c.Model {
		observed := c.Observed
		if model == "semantic" {
			observed = []float64{0}
		}
		for _, share := range observed {
			for _, name := range c.Methods {
				if !runsOn(name, model) {
					continue
				}
				rows = append(rows, newContender(name, model, share, len(list), c.Draws, c.Hypotheses))
			}
		}
	}
	classes := &scene.Held{}
	err = scene.Each(t, list, c.Regions, c.Classes, func(i int, s *scene.Scene) error {
		classes.Note(s.Majority)
		runtime.LockOSThread() // for the processor time
		defer runtime.UnlockOSThread()
		return c.picture(t.Ctx, list[i], s, i, rows)
	})
	if err != nil {
		return err
	}
	if err := classes.Enough(c.Data, len(list)); err != nil {
		return err
	}
	for _, r := range rows {
		r.finish(c.Classes)
		for _, with := range rows {
			if with.Method == c.Against && with.Model == r.Model && with.Observed == r.Observed && with != r {
				r.compare(with, c.Classes)
			}
		}
	}
	c.print(t, rows)
	return c.Write(map[string]any{"results": rows})
}

// picture runs all methods on one picture, the image-th.
func (c *Methods) picture(ctx context.Context, p simulate.Picture, s *scene.Scene, image int, rows []*contender) error {
	semantic := slices.Contains(c.Model, "semantic")
	var mask []uint8
	if semantic {
		var err error
		if mask, err = simulate.ReadMask(p.Mask(), s.Size()); err != nil {
			return err
		}
	}
	for draw := range c.Draws {
		var scores []float64
		if semantic {
			classifier := pretend.Classifier{Blur: c.Blur, Doubt: c.Doubt, Corrupt: c.Corrupt, Classes: c.Classes}
			var err error
			if scores, err = classifier.Scores(mask, s.Regions, s.ID, draw); err != nil {
				return fmt.Errorf("%s, semantic model: %w", s.ID, err)
			}
		}
		problems := map[string]scene.Posed{}
		for _, r := range rows {
			key := fmt.Sprint(r.Model, r.Observed)
			at, made := problems[key]
			if !made {
				var err error
				if at, err = c.pose(r, s, draw, scores); err != nil {
					return fmt.Errorf("%s, %s model: %w", s.ID, r.Model, err)
				}
				problems[key] = at
			}
			if err := c.try(ctx, r, s, image, draw, at); err != nil {
				return fmt.Errorf("%s: %w", s.ID, err)
			}
		}
	}
	return nil
}

// pose makes the problem of a row's model.
func (c *Methods) pose(r *contender, s *scene.Scene, draw int, scores []float64) (scene.Posed, error) {
	if r.Model == "harmonic" {
		return s.Pose(r.Observed, draw)
	}
	var at scene.Posed
	var err error
	if r.Model == "semantic" {
		at.Clicks = simulate.InPlay(slices.Repeat([]uint8{segment.Void}, len(s.Majority)), c.Classes)
		at.Problem, err = c.semantic(s, scores)
	} else if at.Clicks = s.Drawn(r.Observed, draw); len(at.Clicks.Classes) > 1 {
		at.Problem, err = herding.Paper(simulate.Paper(&s.Scene, at.Clicks), herding.Similarity, simulate.PaperWeight)
	}
	if err != nil || at.Problem == nil {
		return at, err
	}
	at.Problem.Area = make([]float64, len(s.Majority))
	for i, region := range s.Graph.Regions {
		at.Problem.Area[i] = float64(region.Area)
	}
	return at, nil
}

// semantic is the paper's problem of scores.
func (c *Methods) semantic(s *scene.Scene, scores []float64) (p *herding.Problem, err error) {
	m := simulate.Semantic(&s.Scene, c.Classes)
	if m.Unary, err = herding.SemanticUnaries(scores, c.Classes, herding.SigmoidOffset, herding.SigmoidSlope); err != nil {
		return nil, err
	}
	return herding.Semantic(m, herding.Similarity)
}

// try runs a method on a posed problem.
func (c *Methods) try(ctx context.Context, r *contender, s *scene.Scene, image, draw int, at scene.Posed) error {
	if at.Problem == nil {
		r.add(image, draw, s, at, []herding.Hypothesis{{Labels: make([]uint8, len(at.Clicks.Fixed)), Weight: 1}}, 0)
		return nil
	}
	source, err := methods.New(r.Method, at.Problem, methods.Options{Seed: 1, Strength: c.Strength, Regions: [][]int32{s.Coarse}})
	if err != nil {
		return err
	}
	var made []herding.Hypothesis
	start := cputime.Thread()
	for h, err := range source.Run(ctx, c.Hypotheses) {
		if err != nil {
			return err
		}
		made = append(made, h)
	}
	r.add(image, draw, s, at, made, cputime.Thread()-start)
	return nil
}
