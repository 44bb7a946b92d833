package paper

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/pretend"
	"collie/cmd/internal/progress"
	"collie/crf"
	"collie/herding"
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/importer/npz"
	"collie/segment/simulate"
)

// Semantic measures methods on the scores of a classifier.
type Semantic struct {
	flags.Images
	results.Output
	Hypotheses int       `default:"20" help:"Length of the sequences."`
	Methods    []string  `default:"map,divmbest,herding,label-bias" enum:"argmax,map,divmbest,herding,label-bias,herding-harmonic" help:"${enum}."`
	Blur       float64   `default:"0.01" help:"Standard deviation of the Gaussian that blurs the true classes into scores, as share of the image's diagonal."`
	Corrupt    []float64 `default:"0,0.1,0.2,0.3" help:"Probabilities that a segment of the truth, and then each superpixel, swaps its best class and a second one."`
	Doubt      float64   `default:"0.4" help:"Part of its score that a segment gives to a second class; 0 = a wrong segment shows no trace of the truth."`
	Scores     string    `type:"path" placeholder:"DIR" help:"Read the scores of a classifier from DIR/ID.npz instead of making them up."`
	Observed   float64   `placeholder:"SHARE" help:"Share of the superpixels that are clicked on top."`
	Draws      int       `default:"1" help:"Draws of the errors and the clicks; with several, figures are means and spreads over them."`
	Regions    int       `default:"600" help:"Superpixels of an image."`
	Solver     string    `default:"auto" enum:"auto,exact,lbp" help:"Maximiser: auto (what suits the weights), exact (nearly, TRW-S and ICM) or lbp (50 rounds of belief propagation)."`
	Reading    string    `default:"similarity" enum:"similarity,before-weight,softmax" help:"Reading of the paper's pairwise moments: ${enum}."`
	Rates      []float64 `default:"0.25" help:"Rates η_p of herding for edges."`
	UnaryRates []float64 `default:"0.75" help:"Rates η_u of herding for unaries."`
	Lambda     []float64 `default:"0.15" help:"Diversities λ of divmbest."`
}

// semanticTrial is one row of the table: like one of voc, for one rate of errors.
type semanticTrial struct {
	trial
	Blur      float64 `json:"blur"`
	Corrupt   float64 `json:"corrupt"`
	Doubt     float64 `json:"doubt"`
	Scores    string  `json:"scores,omitempty"` // folder of a classifier's scores
	UnaryRate float64 `json:"unary_rate,omitempty"`
	Lambda    float64 `json:"lambda,omitempty"`
}

func (c *Semantic) check() error {
	return cmp.Or(
		flags.Within("--blur", 0, 0.25, c.Blur), flags.Within("--corrupt", 0, 1, c.Corrupt...), flags.Within("--doubt", 0, 0.5, c.Doubt),
		flags.Within("--observed", 0, 1, c.Observed), flags.Within("--rates", 0, herding.MaxEnergy, c.Rates...),
		flags.Within("--unary-rates", 0, herding.MaxEnergy, c.UnaryRates...), flags.Within("--lambda", 0, herding.MaxEnergy, c.Lambda...),
		flags.AtLeast("--hypotheses", 1, c.Hypotheses), flags.AtLeast("--draws", 1, c.Draws), flags.Regions(c.Regions), c.CheckClasses(2),
	)
}

// Run measures, prints and stores the figures.
func (c *Semantic) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	if c.Scores != "" {
		c.Blur, c.Doubt, c.Corrupt = 0, 0, []float64{0}
		if err := flags.HaveArrays("--scores", c.Scores, list); err != nil {
			return err
		}
	}
	trials, classes := c.trials(len(list)), &scene.Held{}
	err = t.Each("", len(list), func(i int) error { return c.picture(t.Ctx, trials, classes, list[i], i) })
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
	return c.Write(map[string]any{"results": trials})
}

// trials lists what to measure: the methods in all their settings for each rate of errors.
func (c *Semantic) trials(images int) []*semanticTrial {
	var out []*semanticTrial
	for _, corrupt := range c.Corrupt {
		for _, name := range c.Methods {
			for _, r := range c.variants(name) {
				r.Method, r.Images, r.Draws, r.Observed, r.Hypotheses = name, images, c.Draws, c.Observed, c.Hypotheses
				r.Blur, r.Corrupt, r.Doubt, r.Scores = c.Blur, corrupt, c.Doubt, c.Scores
				if name == "map" || name == "argmax" {
					r.Hypotheses = 1
				}
				r.open(c.Classes)
				out = append(out, r)
			}
		}
	}
	return out
}

// variants are the settings in which a method is measured.
func (c *Semantic) variants(name string) []*semanticTrial {
	var out []*semanticTrial
	switch name {
	case "divmbest":
		for _, lambda := range c.Lambda {
			out = append(out, &semanticTrial{Lambda: lambda})
		}
	case "herding":
		for _, unary := range c.UnaryRates {
			for _, pair := range c.Rates {
				out = append(out, &semanticTrial{trial: trial{Reading: c.Reading, Rate: pair}, UnaryRate: unary})
			}
		}
	default:
		out = append(out, &semanticTrial{})
	}
	if name != "argmax" {
		for _, r := range out {
			r.Solver = c.Solver
		}
	}
	return out
}

// picture runs all trials on one picture, the image-th.
func (c *Semantic) picture(ctx context.Context, trials []*semanticTrial, classes *scene.Held, p simulate.Picture, image int) error {
	s, err := scene.Open(p, c.Regions, c.Classes)
	if err != nil {
		return err
	}
	if s.Empty() {
		return nil
	}
	classes.Note(s.Majority)
	source, err := c.source(p, s)
	if err != nil {
		return err
	}
	m := simulate.Semantic(&s.Scene, c.Classes)
	for draw := range c.Draws {
		if c.Observed > 0 {
			clicks := simulate.Seeds(s.Majority, c.Observed, s.ID, uint64(draw))
			m.Fixed = simulate.InPlay(clicks, c.Classes).Fixed
		}
		for _, corrupt := range c.Corrupt {
			scores, err := source(corrupt, draw)
			if err != nil {
				return err
			}
			if m.Unary, err = herding.SemanticUnaries(scores, c.Classes, herding.SigmoidOffset, herding.SigmoidSlope); err != nil {
				return fmt.Errorf("%s: %w", s.ID, err)
			}
			if errors.Is((&herding.Problem{Model: m}).Ready(), herding.ErrNoInformation) {
				return fmt.Errorf("%s: no superpixel has a class that is more probable than another; scores are probabilities from 0 to 1", s.ID)
			}
			for _, r := range trials {
				if r.Corrupt != corrupt {
					continue
				}
				start := time.Now()
				hypotheses, err := r.hypotheses(ctx, s, m, scores)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.ID, r.Method, err)
				}
				r.add(image, draw, s.Truth, hypotheses, time.Since(start))
			}
		}
	}
	return nil
}

// source gives the scores of a picture's superpixels for a rate of errors and a draw.
func (c *Semantic) source(p simulate.Picture, s *scene.Scene) (func(corrupt float64, draw int) ([]float64, error), error) {
	if c.Scores != "" {
		scores, err := readScores(flags.ArraysOf(c.Scores, p.ID), c.Classes, s)
		return func(float64, int) ([]float64, error) { return scores, err }, err
	}
	mask, err := simulate.ReadMask(p.Mask(), s.Size())
	if err != nil {
		return nil, err
	}
	return func(corrupt float64, draw int) ([]float64, error) {
		return pretend.Classifier{Blur: c.Blur, Doubt: c.Doubt, Corrupt: corrupt, Classes: c.Classes}.Scores(mask, s.Regions, s.ID, draw)
	}, nil
}

// mostScore is the highest score, with room for rounding. The paper's sigmoid makes nothing
// of higher ones: all are as good as certain.
const mostScore = 1.001

// readScores reads a classifier's scores of the superpixels of a scene.
func readScores(path string, classes int, s *scene.Scene) ([]float64, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	scores, err := npz.ReadScores(bytes.NewReader(content), int64(len(content)), npz.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out, err := scores.PerSuperpixel(s.Regions.Runs())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if scores.Classes != classes {
		return nil, fmt.Errorf("%s has scores for %d classes, --classes is %d", path, scores.Classes, classes)
	}
	if i := slices.IndexFunc(out, func(v float64) bool { return v > mostScore }); i >= 0 {
		return nil, fmt.Errorf("%s: superpixel %d has the score %.4g for class %d; scores are probabilities from 0 to 1", path, i/classes, out[i], i%classes)
	}
	return out, nil
}

// hypotheses runs the trial's method on a model, or on the scores that its
// unaries were made from.
func (r *semanticTrial) hypotheses(ctx context.Context, s *scene.Scene, m *crf.Model, scores []float64) ([][]uint8, error) {
	solver := crf.Options{Method: maximisers[r.Solver]}
	var p *herding.Problem
	var err error
	switch r.Method {
	case "argmax":
		return [][]uint8{herding.RandomWalker(m.Unary, m.Labels)}, nil
	case "map":
		p = &herding.Problem{Model: m}
	case "divmbest":
		p = herding.DivMBest(m, r.Lambda)
	case "herding":
		if p, err = herding.Semantic(m, readings[r.Reading]); err != nil {
			return nil, err
		}
		p.EtaUnary, p.EtaPair = r.UnaryRate, r.Rate
	case "herding-harmonic":
		fixed := m.Fixed
		if fixed == nil {
			fixed = slices.Repeat([]int16{-1}, m.Nodes)
		}
		shares := slices.Clone(scores)
		engine.NormaliseRows(shares, m.Labels)
		model := s.Model()
		if p, err = model.Problem(fixed, m.Labels, guessOf(shares, fixed, m.Labels)); err != nil {
			return nil, err
		}
		return herding.Labellings(model.Source(p).Run(ctx, r.Hypotheses))
	case "label-bias":
		return herding.Labellings((&herding.LabelBias{Model: m, Seed: 1, Solver: solver}).Run(ctx, r.Hypotheses))
	}
	p.Solver = solver
	return herding.Labellings(p.Run(ctx, r.Hypotheses))
}

// guessOf is the prior of a guess over all classes.
func guessOf(shares []float64, fixed []int16, classes int) *herding.Prior {
	g := engine.Guess{Shares: shares, Strength: engine.ImportStrength, Exponent: engine.ImportExponent, Proof: engine.ImportProof, Patience: engine.ImportPatience}
	inPlay := make([]int, classes)
	for class := range inPlay {
		g.Classes = append(g.Classes, uint8(class))
		inPlay[class] = class
	}
	clicks := make([]uint8, len(fixed))
	for i, f := range fixed {
		clicks[i] = uint8(f) // -1 is Void
	}
	return g.Prior(clicks, inPlay)
}

func (c *Semantic) print(t *progress.Terminal, trials []*semanticTrial) {
	from := fmt.Sprintf("made of the truth (blur %g of the diagonal, doubt %g)", c.Blur, c.Doubt)
	if c.Scores != "" {
		from = "of " + c.Scores
	}
	fmt.Fprintf(t.Out, "Mean IoU in per cent over %s, scores %s, %s, %.4g %% clicked, void ignored; the oracle takes the hypothesis of best mean IoU of each image. On the right, means over the images of the mean IoU of each. "+legend+"\n",
		segment.Counted(trials[0].Images, "image"), from, results.Draws(c.Draws), 100*c.Observed)
	w := t.Table()
	defer w.Flush()
	fmt.Fprint(w, "corrupt\tmethod\tM\toracle\t±\tfirst\t±\tmode\t±\tms\toracle\tfirst\tmode\t\n")
	for _, r := range trials {
		name := r.title()
		switch r.Method {
		case "divmbest":
			name += fmt.Sprintf(" λ %g", r.Lambda)
		case "herding":
			name += fmt.Sprintf(" η_u %g", r.UnaryRate)
		}
		fmt.Fprintf(w, "%.4g %%\t%s\t%s\t%.1f\t%.1f\t%.1f\t\n", 100*r.Corrupt, name, r.cells(), 100*r.PerImage.Oracle, 100*r.PerImage.First, 100*r.PerImage.Mode)
	}
}
