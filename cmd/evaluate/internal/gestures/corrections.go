package gestures

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/training"
	"collie/segment"
	"collie/segment/assistant"
	"collie/segment/chooser"
	"collie/segment/engine"
	"collie/segment/simulate"
	"collie/superpixels"
)

// Corrections trains the networks that tell what a correcting click means.
type Corrections struct {
	results.Output
	flags.Images
	Learning
	Passes int `default:"4000" help:"Steps of the training, each on 600 clicks."`
}

// Objects that are trained on have so many pixels at least, and an image has so many
// of them at most.
const (
	leastObject = 600
	mostObjects = 3
)

// rounds of playing and training.
const rounds = 3

// mostClicks end an image with several classes, as does enough.
const (
	mostClicks = 30
	enough     = 0.95
)

// Run plays, trains and reports.
func (c *Corrections) Run(t *progress.Terminal) error {
	if err := cmp.Or(c.check(c.Passes), c.CheckClasses(1)); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	extents, err := c.extents(t, list)
	if err != nil {
		return err
	}
	halves, learned, err := c.rounds(t, list, extents)
	if err != nil {
		return err
	}
	clicks, rows := c.report(t, halves, learned)
	err = c.write(t, "Corrections", "corrections", func() *chooser.Chooser {
		return training.Train(slices.Concat(halves[:]...), training.ExpectedQuality, c.Passes, training.Several)
	})
	if err != nil {
		return err
	}
	return c.Write(map[string]any{"clicks": clicks, "results": rows})
}

// rounds plays and trains in turn, and returns the questions of each half of the images
// and what was learned from them. What is shown depends on what was chosen before. So
// the first round follows the evidence, and each further one what was learned so far,
// on images that this was not learned from.
func (c *Corrections) rounds(t *progress.Terminal, list []simulate.Picture, extents [2]*chooser.Chooser) (halves [2][]*training.Question, learned [2]*chooser.Chooser, err error) {
	for round := range rounds {
		played := make([][]*training.Question, len(list))
		err := t.Each(fmt.Sprintf("round %d of %d", round+1, rounds), len(list), func(i int) (err error) {
			other := 1 - half(list[i].ID)
			parameters := engine.DefaultParameters
			parameters.First, parameters.Chooser = extents[other], learned[other]
			played[i], err = c.play(t.Ctx, list[i], parameters, round)
			return err
		})
		if err != nil {
			return halves, learned, err
		}
		for i, questions := range played {
			h := half(list[i].ID)
			halves[h] = append(halves[h], questions...)
		}
		if len(halves[0]) == 0 || len(halves[1]) == 0 {
			return halves, learned, fmt.Errorf("--data %s: no correcting clicks in one half of the images%s, so there is nothing to learn from", c.Data, c.Among())
		}
		passes, size := c.Passes, training.Several
		if round+1 < rounds {
			passes, size = (passes+2)/3, training.One // enough to go on with
		}
		learned, err = eachHalf(t, "training", func(h int) *chooser.Chooser {
			return training.Train(halves[h], training.ExpectedQuality, passes, size)
		})
		if err != nil {
			return halves, learned, err
		}
	}
	return halves, learned, nil
}

// report prints how good what is chosen after a click is, and returns the figures.
func (*Corrections) report(t *progress.Terminal, halves [2][]*training.Question, learned [2]*chooser.Chooser) (clicks int, rows map[string]float64) {
	ways := []struct {
		name   string
		choose func(q *training.Question, half int) int
	}{
		{"what the evidence says", func(*training.Question, int) int { return 0 }},
		{"learned on the other half", func(q *training.Question, half int) int { return q.Choose(learned[1-half]) }},
		{"the best there is", func(q *training.Question, _ int) int { return q.Best() }},
	}
	clicks, rows = len(halves[0])+len(halves[1]), map[string]float64{}
	w := t.Table()
	defer w.Flush()
	fmt.Fprintf(w, "mean IoU after each of %d correcting clicks\t\t\n", clicks)
	for _, way := range ways {
		sum := 0.0
		for half, questions := range halves {
			for _, q := range questions {
				sum += q.Quality[way.choose(q, half)]
			}
		}
		rows[way.name] = sum / float64(clicks)
		fmt.Fprintf(w, "%s\t%.4f\t\n", way.name, rows[way.name])
	}
	return clicks, rows
}

// extents returns networks for first gestures, one learned from each half of the
// images; that of the program where a half has no objects.
func (c *Corrections) extents(t *progress.Terminal, list []simulate.Picture) (learned [2]*chooser.Chooser, err error) {
	played, err := playFirst(t, list, c.Regions)
	if err != nil {
		return learned, err
	}
	return eachHalf(t, "training on them", func(h int) *chooser.Chooser {
		questions := evenly(played, func(i int) bool { return half(list[i].ID) == h })
		if len(questions) == 0 {
			return engine.DefaultParameters.First
		}
		return trainExtents(questions, min(c.Passes, extentPasses), training.One)
	})
}

// play works on the objects of an image, and on its classes together, as people do.
func (c *Corrections) play(ctx context.Context, p simulate.Picture, parameters engine.Parameters, round int) ([]*training.Question, error) {
	img, mask, err := p.LoadLabelled()
	if err != nil {
		return nil, err
	}
	hierarchy, graph := superpixels.Divide(img, scene.FinestFactor*c.Regions)
	var out []*training.Question
	for n, o := range simulate.Objects(img.Rect.Size(), mask, leastObject, mostObjects) {
		product := &assistant.Assistant{Hierarchy: hierarchy, Cells: graph, Parameters: parameters}
		// Every other round clicks where people do, and a third of the objects has a box.
		hand := &simulate.Hand{Object: o, Jitter: round%2 == 1, Name: fmt.Sprint(p.ID, n)}
		var g simulate.Gestures
		if (n+round)%3 == 1 {
			g.Box = drawn(o, fmt.Sprint(p.ID, n, round))
		}
		questions, err := playObject(ctx, product, hand, g, c.Regions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ID, err)
		}
		out = append(out, questions...)
	}
	s, err := scene.Open(p, c.Regions, c.Classes)
	if err != nil {
		return nil, err
	}
	questions, err := playClasses(ctx, s, parameters)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.ID, err)
	}
	return append(out, questions...), nil
}

// playObject clicks on an object by the field's protocol.
func playObject(ctx context.Context, product *assistant.Assistant, hand *simulate.Hand, g simulate.Gestures, regions int) (out []*training.Question, err error) {
	cells := product.Hierarchy.Runs()
	session := simulate.NewSession(product, cells, regions)
	truth, err := simulate.Cover(session.Map, hand.Mask, 2)
	if err != nil {
		return nil, err
	}
	shown := make([]uint8, len(hand.Mask))
	look := func() error {
		cards, err := session.Hypotheses(ctx, g, 1)
		if err != nil {
			return err
		}
		for i, cell := range session.Map.Labels {
			shown[i] = cards[0][cell]
		}
		return nil
	}
	if !g.Box.Empty() {
		if err := look(); err != nil {
			return nil, err
		}
	}
	const actions = 20
	for range actions {
		point, ok := hand.Next(shown)
		if !ok {
			break
		}
		g.Points = append(g.Points, point)
		if err := look(); err != nil {
			return nil, err
		}
		cut := session.Timeline.Cut()
		model := product.Model(cut, assistant.Known{})
		q, err := questionOf(model, session.Evidence(), func(labels []uint8) float64 {
			return simulate.ObjectIoU(truth, simulate.Spread(labels, cut.Parent))
		})
		if err != nil {
			return nil, err
		}
		if q != nil {
			out = append(out, q)
		}
	}
	return out, nil
}

// playClasses clicks on the classes of a scene, whose class 0 is the rest.
func playClasses(ctx context.Context, s *scene.Scene, parameters engine.Parameters) (out []*training.Question, err error) {
	model := engine.NewModel(s.Graph, parameters).Divide(s.Coarse)
	annotator := &simulate.Annotator{Scene: &s.Scene, Truth: s.Truth, Majority: s.Majority}
	evidence := func(clicks, shown []uint8, click int32) engine.Evidence {
		return engine.Evidence{Clicks: clicks, Rest: segment.Rest{Mode: segment.RestClass}, Shown: shown, Since: []int32{click}}
	}
	err = correctErrors(ctx, model, annotator, make([]uint8, len(s.Majority)), evidence, func(e engine.Evidence) error {
		q, err := questionOf(model, e, func(labels []uint8) float64 { return simulate.MeanIoU(s.Truth, labels) })
		if q != nil {
			out = append(out, q)
		}
		return err
	})
	return out, err
}

// correctErrors visits the evidence after each gesture of an annotator who corrects what is
// shown, after the first gesture the first hypothesis. evidence makes it of all clicks, of
// what was shown and of where the gesture began.
func correctErrors(ctx context.Context, m *engine.Model, a *simulate.Annotator, shown []uint8, evidence func(clicks, shown []uint8, click int32) engine.Evidence, visit func(e engine.Evidence) error) error {
	clicks := slices.Repeat([]uint8{segment.Void}, len(a.Majority))
	for range mostClicks {
		gesture := a.Gesture(shown)
		if gesture == nil || simulate.MeanIoU(a.Truth, shown) >= enough {
			break
		}
		clicks = slices.Clone(clicks)
		for _, i := range gesture {
			clicks[i] = a.Majority[i]
		}
		e := evidence(clicks, shown, int32(gesture[0]))
		if err := visit(e); err != nil {
			return err
		}
		h, err := engine.NewSequence(m, e, 0).At(ctx, 0)
		if err != nil {
			return err
		}
		shown = h.Labels
	}
	return nil
}

// questionOf returns what the last click of some evidence can mean, nil when there is
// nothing to choose from. quality is that of a class per superpixel.
func questionOf(m *engine.Model, e engine.Evidence, quality func(labels []uint8) float64) (*training.Question, error) {
	all, classes, err := m.Corrections(e)
	if err != nil || len(all) < 2 {
		return nil, err
	}
	q := &training.Question{}
	for _, c := range all {
		labels := make([]uint8, len(c.Labels))
		for i, l := range c.Labels {
			labels[i] = uint8(classes[l])
		}
		q.Quality = append(q.Quality, quality(labels))
		q.Features = append(q.Features, c.Features[:])
	}
	return q, nil
}
