package gestures

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/training"
	"collie/segment/assistant"
	"collie/segment/chooser"
	"collie/segment/engine"
	"collie/segment/simulate"
	"collie/superpixels"
)

// Extents trains the networks that tell what a first gesture on an object means.
type Extents struct {
	results.Output
	Data  string `required:"" type:"path" placeholder:"DIR" help:"Folder with images/ID.jpg, .png or .tif and masks/ID.png of classes; objects are the largest connected parts of classes."`
	Limit int    `placeholder:"N" help:"Use the first N images only."`
	Learning
	Folds  int `default:"4" help:"Parts of the cross-validation."`
	Passes int `default:"1500" help:"Steps of the training, each on 600 first gestures."`
}

// extentPasses are enough for networks of extents.
const extentPasses = 1500

// beginning is a kind of first gestures on an object.
type beginning struct {
	name       string
	box, click bool
	jitter     bool // of the click
}

// beginnings are those that people make, to learn from. Boxes are drawn by hand.
var beginnings = []beginning{
	{"a click", false, true, false},
	{"a click anywhere near the middle", false, true, true},
	{"a box", true, false, false},
	{"a box and a click", true, true, true},
}

// looseBox is how much larger a hand draws a box at most, on each side, as a share of
// the object's size.
const looseBox = 0.1

// meant is what first gestures on an object can mean.
type meant struct {
	training.Question
	kind     int       // of beginnings
	overlaps []float64 // IoUs of all pairs, row-major
}

// Run plays, trains and reports.
func (c *Extents) Run(t *progress.Terminal) error {
	if err := cmp.Or(flags.AtLeast("--folds", 2, c.Folds), c.check(c.Passes)); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	played, err := playFirst(t, list, c.Regions)
	if err != nil {
		return err
	}
	learned := make([]*chooser.Chooser, c.Folds)
	err = t.Each("training", c.Folds, func(fold int) error {
		others := evenly(played, func(i int) bool { return i%c.Folds != fold })
		if len(others) == 0 {
			return fmt.Errorf("--data %s: the %d images hold too few objects of at least %d pixels to learn from", c.Data, len(list), leastObject)
		}
		learned[fold] = trainExtents(others, c.Passes, training.Several)
		return t.Ctx.Err()
	})
	if err != nil {
		return err
	}
	rows := c.report(t, played, learned)
	err = c.write(t, "Extents", "extents", func() *chooser.Chooser {
		return trainExtents(evenly(played, func(int) bool { return true }), c.Passes, training.Several)
	})
	if err != nil {
		return err
	}
	return c.Write(map[string]any{"results": rows})
}

// report prints how good first hypotheses and cards are, each chosen by what was learned
// on the other folds, and returns the figures by kind of gestures.
func (c *Extents) report(t *progress.Terminal, played [][]meant, learned []*chooser.Chooser) map[string]qualities {
	rows := map[string]qualities{}
	w := t.Table()
	defer w.Flush()
	fmt.Fprintf(w, "IoU after\tgestures\tfirst\tbest of 3\tbest of 20\tbest of all\t\n")
	for kind, b := range beginnings {
		var q qualities
		n, bound := 0.0, 0.0
		for i, all := range played {
			for _, m := range all {
				if m.kind == kind {
					q.add(m.Quality, learned[i%c.Folds].Order(m.Features, m.overlaps))
					bound += m.Quality[m.Best()]
					n++
				}
			}
		}
		q = qualities{q.First / n, q.Best3 / n, q.Best20 / n}
		rows[b.name] = q
		fmt.Fprintf(w, "%s\t%.0f\t%.4f\t%.4f\t%.4f\t%.4f\t\n", b.name, n, q.First, q.Best3, q.Best20, bound/n)
	}
	return rows
}

// playFirst makes first gestures on the objects of images.
func playFirst(t *progress.Terminal, list []simulate.Picture, regions int) ([][]meant, error) {
	played := make([][]meant, len(list))
	err := t.Each("first gestures", len(list), func(i int) (err error) {
		played[i], err = playFirstIn(t.Ctx, list[i], regions)
		return err
	})
	return played, err
}

// evenly returns the questions about some of the images, repeated so that each image
// counts the same, however many objects it has.
func evenly(played [][]meant, some func(image int) bool) (questions []*training.Question) {
	const most = 2 * 3 // divisible by the numbers of objects, 1 to mostObjects
	for i, all := range played {
		if !some(i) {
			continue
		}
		objects := len(all) / len(beginnings)
		for j := range all {
			questions = append(questions, slices.Repeat([]*training.Question{&all[j].Question}, most/objects)...)
		}
	}
	return questions
}

// trainExtents returns a chooser for first gestures. People see several cards then.
func trainExtents(questions []*training.Question, steps int, size training.Size) *chooser.Chooser {
	return training.Train(questions, training.CrossEntropy, steps, size)
}

// playFirstIn makes first gestures on the objects of an image.
func playFirstIn(ctx context.Context, p simulate.Picture, regions int) (out []meant, err error) {
	img, mask, err := p.LoadLabelled()
	if err != nil {
		return nil, err
	}
	hierarchy, graph := superpixels.Divide(img, scene.FinestFactor*regions)
	product := &assistant.Assistant{Hierarchy: hierarchy, Cells: graph, Parameters: engine.DefaultParameters}
	for n, o := range simulate.Objects(img.Rect.Size(), mask, leastObject, mostObjects) {
		for kind, b := range beginnings {
			name := fmt.Sprint(p.ID, n)
			var g simulate.Gestures
			if b.box {
				g.Box = drawn(o, name)
			}
			if b.click {
				hand := &simulate.Hand{Object: o, Jitter: b.jitter, Name: name}
				if at, ok := hand.Next(make([]uint8, len(o.Mask))); ok {
					g.Points = append(g.Points, at)
				}
			}
			m, err := meaning(ctx, product, o, g, regions)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.ID, err)
			}
			m.kind = kind
			out = append(out, *m)
		}
	}
	return out, nil
}

// drawn is a box around an object as a hand draws it, a little too large; the
// name decides how.
func drawn(o *simulate.Object, name string) image.Rectangle {
	rng := rand.New(rand.NewPCG(simulate.Hash(name), 1))
	return o.BoxGrown(func() float64 { return looseBox * rng.Float64() })
}

// meaning returns what first gestures on an object can mean.
func meaning(ctx context.Context, product *assistant.Assistant, o *simulate.Object, g simulate.Gestures, regions int) (*meant, error) {
	session := simulate.NewSession(product, product.Hierarchy.Runs(), regions)
	if _, err := session.Hypotheses(ctx, g, 0); err != nil {
		return nil, err
	}
	truth, err := simulate.Cover(session.Map, o.Mask, 2)
	if err != nil {
		return nil, err
	}
	cut := session.Timeline.Cut()
	model := product.Model(cut, assistant.Known{})
	extents, err := model.Extents(session.Evidence())
	if err != nil {
		return nil, err
	}
	m := &meant{overlaps: model.Overlaps(extents)}
	for i := range extents {
		labels := make([]uint8, cut.N)
		for j, in := range extents[i].Mask {
			if in {
				labels[j] = simulate.Thing
			}
		}
		m.Quality = append(m.Quality, simulate.ObjectIoU(truth, simulate.Spread(labels, cut.Parent)))
		m.Features = append(m.Features, extents[i].Features[:])
	}
	return m, nil
}

// add adds how good the first extents in an order are.
func (q *qualities) add(iou []float64, order []int) {
	best := 0.0
	for rank, i := range order[:min(20, len(order))] {
		best = max(best, iou[i])
		if rank == 0 {
			q.First += best
		}
		if rank == 2 {
			q.Best3 += best
		}
	}
	if len(order) < 3 {
		q.Best3 += best
	}
	q.Best20 += best
}
