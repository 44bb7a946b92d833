// Command evaluate measures Collie's method on folders of images and masks:
// the paper's interactive experiment, simulated annotators, superpixels,
// scribbles and maximisers. main.go is the table of subcommands, each in the file of its
// name in a package of its subject. These packages don't know each other; what they share is
// in flags, results and scene.
package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/gestures"
	"collie/cmd/evaluate/internal/hypotheses"
	"collie/cmd/evaluate/internal/paper"
	"collie/cmd/evaluate/internal/parts"
	"collie/cmd/evaluate/internal/project"
	"collie/cmd/internal/progress"
	"collie/segment/affinity"
	"collie/segment/engine"
)

type commands struct {
	VOC         paper.VOC              `cmd:"" name:"voc" help:"The paper's interactive experiment: oracle, first and mode accuracy for clicks drawn at random."`
	Clicks      gestures.Clicks        `cmd:"" help:"A simulated annotator: actions until an image is good enough."`
	Objects     gestures.Objects       `cmd:"" help:"Clicks on one object by the field's protocol: actions until its mask is good enough, IoU after the first ones."`
	Extents     gestures.Extents       `cmd:"" help:"Train the networks that tell what a first click or box means, and report their quality."`
	Corrections gestures.Corrections   `cmd:"" help:"Train the networks that tell what a correcting click means, and report their quality."`
	Stack       gestures.Stack         `cmd:"" help:"Train the network that corrects the random walker, and report its quality."`
	Project     project.Command        `cmd:"" help:"A project that learns from its finished images: actions by how many there are."`
	Scribbles   gestures.Scribbles     `cmd:"" help:"Hand-drawn scribbles: errors in what they leave open."`
	Semantic    paper.Semantic         `cmd:"" help:"Scores of a classifier, read or made of the truth, as the first guess: oracle, first and mode accuracy."`
	Methods     hypotheses.Methods     `cmd:"" help:"All ways to several labellings, on the same problems."`
	Rank        hypotheses.Rank        `cmd:"" help:"Which labelling of a list to mark: the first, EMBR's, or one by learned features."`
	Learn       hypotheses.Learn       `cmd:"" help:"Learn several predictors that share the work (multiple choice learning), and compare them with Herding."`
	Areas       hypotheses.Areas       `cmd:"" help:"How often the true area of a class is within the range that the hypotheses give."`
	Next        hypotheses.Next        `cmd:"" help:"What to ask next: mean IoU after 0, 1, … answers to a query's questions."`
	Calibration hypotheses.Calibration `cmd:"" help:"Whether hypotheses are wrong where they disagree: their votes and the truth."`
	Map         parts.Map              `cmd:"" help:"Maximisers on stored models: score, gap to the best known one, time."`
	Embeddings  project.Embeddings     `cmd:"" help:"What embeddings of graded quality save the simulated annotator."`
	Labellings  paper.Labellings       `cmd:"" help:"Labellings made elsewhere, as masks: oracle, first and mode accuracy, and which are ahead."`
	Superpixels parts.Superpixels      `cmd:"" help:"Superpixels against human segmentations."`

	Affinities string `placeholder:"FILE" help:"Learned affinities to use instead of the built-in ones, a file written by cmd/train, or 'none' for the formulas set by hand."`
}

// AfterApply makes the affinities the default for everything that follows.
func (c *commands) AfterApply() error {
	switch c.Affinities {
	case "":
	case "none":
		engine.DefaultParameters = engine.HandMade
	default:
		m, err := affinity.ReadFile(c.Affinities)
		if err != nil {
			return fmt.Errorf("--affinities: %w", err)
		}
		engine.DefaultParameters = engine.Learned(m)
	}
	return nil
}

func main() {
	progress.Main("evaluate", &commands{}, kong.ConfigureHelp(kong.HelpOptions{Compact: true}), flags.Vars(),
		kong.Description("Measures Collie's method on folders of images and masks."))
}
