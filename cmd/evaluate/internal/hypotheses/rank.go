package hypotheses

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/herding"
	"collie/herding/choose"
	"collie/herding/methods"
	"collie/segment/simulate"
)

// Rank compares choices of one labelling of a list.
type Rank struct {
	flags.Images
	results.Output
	Train      string    `required:"" type:"path" placeholder:"DIR" help:"Folder to learn from, as --data, with other images."`
	Method     string    `default:"strip" placeholder:"NAME" help:"What makes the lists: ${methods}."`
	Observed   []float64 `default:"0.01,0.02,0.05,0.1" help:"Shares of the superpixels that are clicked."`
	Hypotheses int       `default:"20" help:"Labellings of a list."`
	Regions    int       `default:"600" help:"Superpixels of an image."`
	Ridge      float64   `default:"0.1" help:"Of the regression."`
	Margin     float64   `default:"0.02" help:"Expected lead in mean IoU from which the chosen labelling takes the first one's place in the row 'where sure'."`
}

// judged is a list with the quality of its labellings.
type judged struct {
	choose.Known
	embr     int
	observed float64
}

// rankRow is one way to choose a labelling of each list.
type rankRow struct {
	Observed float64        `json:"observed"`
	Choice   string         `json:"choice"`
	MeanIoU  float64        `json:"mean_iou"` // of the image, mean over the lists
	Ahead    stats.Interval `json:"ahead"`    // of the first
	Better   int            `json:"better"`
	Worse    int            `json:"worse"`
	Lists    int            `json:"lists"`
}

func (c *Rank) check() error {
	return cmp.Or(
		flags.AtLeast("--hypotheses", 2, c.Hypotheses), flags.Regions(c.Regions), c.CheckClasses(2), flags.Known(c.Method),
		flags.Shares("--observed", c.Observed...), flags.Positive("--ridge", c.Ridge), flags.Within("--margin", 0, 1, c.Margin), c.Apart("--train", c.Train),
	)
}

// Run learns on one folder and measures on the other.
func (c *Rank) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	if _, err := simulate.Labelled(c.Data, c.Limit); err != nil {
		return err // before the other folder takes its time
	}
	known, err := c.lists(t, c.Train)
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return c.OneClass("--train", c.Train)
	}
	var train []choose.Known
	for _, j := range known {
		train = append(train, j.Known)
	}
	ranker, err := choose.FitRanker(train, c.Ridge)
	if err != nil {
		return err
	}
	lists, err := c.lists(t, c.Data)
	if err != nil {
		return err
	}
	if len(lists) == 0 {
		return c.OneClass("--data", c.Data)
	}
	var rows []rankRow
	for _, share := range c.Observed {
		rows = append(rows, c.rows(share, lists, ranker)...)
	}
	fmt.Fprintf(t.Out, "Mean IoU of the image in per cent over lists of %d labellings by %s, learned on %d other lists; ahead of the first with a 95 %% interval.\n", c.Hypotheses, c.Method, len(known))
	w := t.Table()
	fmt.Fprint(w, "clicked\tchoice\tmean IoU\tahead\tbetter\tworse\tof\t\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%.4g %%\t%s\t%.1f\t%s\t%d\t%d\t%d\t\n", 100*r.Observed, r.Choice, 100*r.MeanIoU, r.Ahead, r.Better, r.Worse, r.Lists)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var weights []string
	for n, name := range choose.FeatureNames {
		weights = append(weights, fmt.Sprintf("%s %+.4f", name, ranker.Weights[n]))
	}
	fmt.Fprintf(t.Out, "Weights: %s.\n", strings.Join(weights, ", "))
	return c.Write(map[string]any{"results": rows, "weights": ranker.Weights})
}

// lists makes the lists of a folder and judges them, in the order of images.
func (c *Rank) lists(t *progress.Terminal, folder string) ([]judged, error) {
	list, err := simulate.Labelled(folder, c.Limit)
	if err != nil {
		return nil, err
	}
	made := make([][]judged, len(list))
	err = scene.Each(t, list, c.Regions, c.Classes, func(i int, s *scene.Scene) error {
		for _, share := range c.Observed {
			j, err := c.judge(t, s, share)
			if err != nil {
				return fmt.Errorf("%s: %w", s.ID, err)
			}
			if j != nil {
				made[i] = append(made[i], *j)
			}
		}
		return nil
	})
	return slices.Concat(made...), err
}

// judge makes a list; nil with a single class in play.
func (c *Rank) judge(t *progress.Terminal, s *scene.Scene, share float64) (*judged, error) {
	at, err := s.Pose(share, 0)
	if at.Problem == nil || err != nil {
		return nil, err
	}
	xs, err := labellingsOf(t, c.Method, at.Problem, s, c.Hypotheses)
	if err != nil {
		return nil, err
	}
	j := &judged{observed: share}
	if j.Features, err = choose.FeaturesOf(at.Problem, xs); err != nil {
		return nil, err
	}
	order, _, err := choose.EMBR{}.Choose(at.Problem, xs)
	if err != nil {
		return nil, err
	}
	j.embr = order[0]
	for _, x := range xs {
		j.Quality = append(j.Quality, simulate.MeanIoU(s.Truth, at.Clicks.Name(x)))
	}
	return j, nil
}

// labellingsOf runs a method by name.
func labellingsOf(t *progress.Terminal, name string, p *herding.Problem, s *scene.Scene, count int) ([][]uint8, error) {
	source, err := methods.New(name, p, methods.Options{Seed: 1, Regions: [][]int32{s.Coarse}})
	if err != nil {
		return nil, err
	}
	return herding.Labellings(source.Run(t.Ctx, count))
}

// rows are the choices for one share of clicks, none where no list has it.
func (c *Rank) rows(share float64, lists []judged, ranker choose.Ranker) (out []rankRow) {
	lists = slices.DeleteFunc(slices.Clone(lists), func(j judged) bool { return j.observed != share })
	if len(lists) == 0 {
		return nil
	}
	score := func(j judged) []float64 {
		scores := make([]float64, len(j.Features))
		for m := range scores {
			scores[m] = ranker.Score(&j.Features[m])
		}
		return scores
	}
	best := func(v []float64) int { return slices.Index(v, slices.MaxFunc(v, cmp.Compare)) }
	for _, choice := range []struct {
		name string
		of   func(judged) int
	}{
		{"first", func(judged) int { return 0 }},
		{"EMBR", func(j judged) int { return j.embr }},
		{"re-ranked", func(j judged) int { return best(score(j)) }},
		{"where sure", func(j judged) int {
			scores := score(j)
			if at := best(scores); scores[at] > scores[0]+c.Margin {
				return at
			}
			return 0
		}},
		{"oracle", func(j judged) int { return best(j.Quality) }},
	} {
		row := rankRow{Observed: share, Choice: choice.name, Lists: len(lists)}
		ahead := make([]float64, len(lists))
		for n, j := range lists {
			q := j.Quality[choice.of(j)]
			row.MeanIoU += q / float64(len(lists))
			switch ahead[n] = q - j.Quality[0]; {
			case ahead[n] > 0:
				row.Better++
			case ahead[n] < 0:
				row.Worse++
			}
		}
		row.Ahead = stats.BootstrapMean(ahead)
		out = append(out, row)
	}
	return out
}
