package gestures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/training"
	"collie/segment"
	"collie/segment/chooser"
	"collie/segment/engine"
	"collie/segment/simulate"
)

// Stack trains the network that corrects the random walker.
type Stack struct {
	results.Output
	flags.Images
	Learning
	Passes int `default:"8000" help:"Steps of the training, each on 600 superpixels."`
}

// stackSize is that of a network that is asked at each superpixel, so a small one.
var stackSize = training.Size{Networks: 1, Units: 16}

// clicked is a kind of clicks that people make, to learn from. They are a class per
// superpixel, or void.
type clicked struct {
	name  string
	asked int // superpixels whose class is asked for after each of them
	each  func(ctx context.Context, s *scene.Scene, m *engine.Model, visit func(clicks []uint8) error) error
}

var kinds = []clicked{
	{"1 % at random", 20, atRandom(0.01)},
	{"2 % at random", 20, atRandom(0.02)},
	{"3 % at random", 20, atRandom(0.03)},
	{"5 % at random", 20, atRandom(0.05)},
	{"10 % at random", 20, atRandom(0.10)},
	{"one of each class", 80, oneOfEach},
	{"clicks on errors", 8, onErrors(false)},
	{"strokes on errors", 8, onErrors(true)},
}

// draws are those of each share of random clicks.
const draws = 4

// firstDraw is far from those that experiments measure.
const firstDraw = 1000

// classAt asks for the class of a superpixel.
type classAt struct {
	training.Question
	kind   int
	walker []float64 // its probabilities, in the order of the question
}

// Run plays, trains and reports.
func (c *Stack) Run(t *progress.Terminal) error {
	if err := cmp.Or(c.check(c.Passes), c.CheckClasses(1)); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	played := make([][]classAt, len(list))
	err = scene.Each(t, list, c.Regions, c.Classes, func(i int, s *scene.Scene) (err error) {
		played[i], err = askClasses(t.Ctx, s)
		return err
	})
	if err != nil {
		return err
	}
	var halves [2][]classAt
	for i, questions := range played {
		halves[half(list[i].ID)] = append(halves[half(list[i].ID)], questions...)
	}
	if len(halves[0]) == 0 || len(halves[1]) == 0 {
		return fmt.Errorf("--data %s: in one half of the images%s nothing is left open by clicks on several classes, so there is nothing to learn from", c.Data, c.Among())
	}
	learned, err := eachHalf(t, "training", func(h int) *chooser.Chooser { return trainStack(halves[h], c.Passes) })
	if err != nil {
		return err
	}
	rows := report(t, halves, learned)
	err = c.write(t, "Stack", "stack", func() *chooser.Chooser { return trainStack(slices.Concat(halves[:]...), c.Passes) })
	if err != nil {
		return err
	}
	return c.Write(map[string]any{"results": rows})
}

func trainStack(questions []classAt, steps int) *chooser.Chooser {
	all := make([]*training.Question, len(questions))
	for i := range questions {
		all[i] = &questions[i].Question
	}
	return training.Train(all, training.CrossEntropy, steps, stackSize)
}

// askClasses asks about superpixels of a scene after clicks of all kinds.
func askClasses(ctx context.Context, s *scene.Scene) (out []classAt, err error) {
	p := engine.DefaultParameters
	p.Stack = nil // so that what is learned doesn't depend on what was
	model := engine.NewModel(s.Graph, p).Divide(s.Coarse)
	rng := rand.New(rand.NewPCG(1, simulate.Hash(s.ID)))
	for kind, k := range kinds {
		err := k.each(ctx, s, model, func(clicks []uint8) error {
			questions, err := openAfter(model, s.Majority, clicks, k.asked, rng)
			for i := range questions {
				questions[i].kind = kind
			}
			out = append(out, questions...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// atRandom visits draws of clicks on a share of the superpixels.
func atRandom(share float64) func(context.Context, *scene.Scene, *engine.Model, func([]uint8) error) error {
	return func(_ context.Context, s *scene.Scene, _ *engine.Model, visit func([]uint8) error) error {
		for draw := range uint64(draws) {
			if err := visit(simulate.Seeds(s.Majority, share, s.ID, firstDraw+draw)); err != nil {
				return err
			}
		}
		return nil
	}
}

// oneOfEach visits what is clicked when one class after the other, the largest part first,
// gets a click in its middle.
func oneOfEach(_ context.Context, s *scene.Scene, _ *engine.Model, visit func([]uint8) error) error {
	annotator := &simulate.Annotator{Scene: &s.Scene, Truth: s.Truth, Majority: s.Majority}
	clicks := slices.Repeat([]uint8{segment.Void}, len(s.Majority))
	done := slices.Clone(clicks) // all that is of a clicked class
	for {
		at := annotator.Next(done)
		if at < 0 {
			return nil
		}
		clicks[at] = s.Majority[at]
		for i, class := range s.Majority {
			if class == clicks[at] {
				done[i] = class
			}
		}
		if err := visit(clicks); err != nil {
			return err
		}
	}
}

// onErrors visits what is clicked after each action of an annotator who starts with nothing.
func onErrors(strokes bool) func(context.Context, *scene.Scene, *engine.Model, func([]uint8) error) error {
	return func(ctx context.Context, s *scene.Scene, m *engine.Model, visit func([]uint8) error) error {
		annotator := &simulate.Annotator{Scene: &s.Scene, Truth: s.Truth, Majority: s.Majority, Strokes: strokes}
		nothing := slices.Repeat([]uint8{segment.Void}, len(s.Majority))
		evidence := func(clicks, _ []uint8, _ int32) engine.Evidence { return engine.Evidence{Clicks: clicks} }
		return correctErrors(ctx, m, annotator, nothing, evidence, func(e engine.Evidence) error { return visit(e.Clicks) })
	}
}

// openAfter asks about up to so many superpixels, drawn at random, whose class is clicked
// elsewhere.
func openAfter(m *engine.Model, majority, clicks []uint8, most int, rng *rand.Rand) (out []classAt, err error) {
	in := simulate.InPlay(clicks, 0)
	if len(in.Classes) < 2 {
		return nil, nil
	}
	var open []int
	for i, f := range in.Fixed {
		if f < 0 && slices.Contains(in.Classes, majority[i]) {
			open = append(open, i)
		}
	}
	rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	wanted := make([]bool, len(majority))
	for _, i := range open[:min(most, len(open))] {
		wanted[i] = true
	}
	err = m.StackSees(in.Fixed, len(in.Classes), func(i, favourite int, p []float64, rows [][]float64) {
		if !wanted[i] {
			return
		}
		q := classAt{walker: slices.Clone(p)}
		q.Quality = make([]float64, len(p))
		q.Quality[slices.Index(in.Classes, majority[i])] = 1
		for _, row := range rows {
			q.Features = append(q.Features, slices.Clone(row))
		}
		q.walker[0], q.walker[favourite] = q.walker[favourite], q.walker[0]
		q.Quality[0], q.Quality[favourite] = q.Quality[favourite], q.Quality[0]
		out = append(out, q)
	})
	return out, err
}

// judged is how well the classes of superpixels were told.
type judged struct {
	Wrong float64 `json:"wrong"`    // share of superpixels whose most probable class isn't theirs
	Loss  float64 `json:"log_loss"` // mean -ln of the probability of their class
}

// add adds a superpixel whose class has place at among those with probabilities p.
func (j *judged) add(p []float64, at int) {
	const least = 1e-6
	if slices.Index(p, slices.Max(p)) != at {
		j.Wrong++
	}
	j.Loss -= math.Log(max(p[at], least))
}

// compared is what the walker says after a kind of clicks, and the stack that was learned on
// the other half of the images.
type compared struct {
	Superpixels float64 `json:"superpixels"`
	Walker      judged  `json:"walker"`
	Stack       judged  `json:"stack"`
}

// report prints how well classes are told, and returns the figures by kind of clicks.
func report(t *progress.Terminal, halves [2][]classAt, learned [2]*chooser.Chooser) map[string]*compared {
	rows := map[string]*compared{}
	for _, k := range kinds {
		rows[k.name] = &compared{}
	}
	for h, questions := range halves {
		for i := range questions {
			q := &questions[i]
			row, at := rows[kinds[q.kind].name], q.Best()
			row.Superpixels++
			row.Walker.add(q.walker, at)
			row.Stack.add(learned[1-h].Chances(q.Features), at)
		}
	}
	w := t.Table()
	defer w.Flush()
	fmt.Fprintf(w, "clicks\tsuperpixels\twrong: walker\twith the stack\tlog loss: walker\twith the stack\t\n")
	for _, k := range kinds {
		row := rows[k.name]
		for _, of := range []*judged{&row.Walker, &row.Stack} {
			of.Wrong /= max(row.Superpixels, 1)
			of.Loss /= max(row.Superpixels, 1)
		}
		fmt.Fprintf(w, "%s\t%.0f\t%.2f %%\t%.2f %%\t%.3f\t%.3f\t\n", k.name, row.Superpixels, 100*row.Walker.Wrong, 100*row.Stack.Wrong, row.Walker.Loss, row.Stack.Loss)
	}
	return rows
}
