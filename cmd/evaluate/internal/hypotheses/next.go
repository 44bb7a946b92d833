package hypotheses

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/herding"
	"collie/herding/ask"
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/simulate"
)

// Next compares queries, which choose the superpixel to ask for.
type Next struct {
	flags.Images
	results.Output
	Queries []string `default:"votes,random,entropy,margin,change,elc,risk,error" enum:"votes,random,entropy,margin,change,elc,risk,perturbed,error" help:"What chooses the superpixel to ask for: ${enum}; error is the middle of the largest wrong region, which knows the truth."`
	Asked   int      `default:"20" help:"Questions on each image."`
	Draws   int      `default:"1" help:"Draws of the first clicks, one per class; with several, figures are means over them."`
	Regions int      `default:"600" help:"Superpixels of an image."`
}

// inquiry is one row of the table.
type inquiry struct {
	Query        string           `json:"query"`
	Images       int              `json:"images"`   // that have two classes
	MeanIoU      []float64        `json:"mean_iou"` // after 0, 1, … answers, mean over the images
	Spread       []float64        `json:"standard_deviation"`
	Milliseconds float64          `json:"milliseconds"` // per question
	Ahead        []stats.Interval `json:"ahead"`        // of the first query, after 0, 1, … answers

	mu     sync.Mutex
	curves [][][]float64 // per draw and image, nil where there is nothing to ask
	spent  time.Duration
	asked  int
}

func (c *Next) check() error {
	return cmp.Or(
		flags.AtLeast("--asked", 1, c.Asked), flags.AtLeast("--draws", 1, c.Draws), flags.Regions(c.Regions), c.CheckClasses(1),
	)
}

// Run measures, prints and stores the figures.
func (c *Next) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	rows := make([]*inquiry, len(c.Queries))
	for i, name := range c.Queries {
		rows[i] = &inquiry{Query: name, curves: make([][][]float64, c.Draws)}
		for draw := range c.Draws {
			rows[i].curves[draw] = make([][]float64, len(list))
		}
	}
	err = scene.Each(t, list, c.Regions, c.Classes, func(i int, s *scene.Scene) error {
		for draw := range c.Draws {
			for _, row := range rows {
				if err := c.work(t.Ctx, s, row, draw, i); err != nil {
					return fmt.Errorf("%s, %s: %w", s.ID, row.Query, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		row.finish(rows[0], c.Asked)
	}
	if rows[0].Images == 0 {
		return fmt.Errorf("--data %s: no image has two classes, so there is nothing to ask", c.Data)
	}
	c.print(t, rows)
	return c.Write(map[string]any{"results": rows})
}

// work answers the questions of a query on one image, the image-th.
func (c *Next) work(ctx context.Context, s *scene.Scene, row *inquiry, draw, image int) error {
	rng := rand.New(rand.NewPCG(uint64(draw), simulate.Hash(s.ID)))
	clicks := firstClicks(s.Majority, rng)
	inPlay := simulate.InPlay(clicks, 0)
	k := len(inPlay.Classes)
	if k < 2 {
		return nil
	}
	place := map[uint8]int16{}
	for l, class := range inPlay.Classes {
		place[class] = int16(l)
	}
	q := query{name: row.Query, scene: s, model: s.Model(), classes: inPlay, rng: rng}
	var quality []float64
	var spent time.Duration
	for asked := 0; ; asked++ {
		problem, err := q.model.Problem(inPlay.Fixed, k, nil)
		if err != nil {
			return err
		}
		shown := inPlay.Name(herding.RandomWalker(problem.UnaryMoments, k))
		quality = append(quality, simulate.MeanIoU(s.Truth, shown))
		if asked == c.Asked {
			break
		}
		start := time.Now()
		node, err := q.next(ctx, problem, shown)
		if err != nil {
			return err
		}
		spent += time.Since(start)
		if node < 0 {
			break
		}
		inPlay.Fixed[node] = place[s.Majority[node]]
	}
	row.add(draw, image, quality, spent, c.Asked)
	return nil
}

// firstClicks are one superpixel of each class, drawn at random.
func firstClicks(majority []uint8, rng *rand.Rand) []uint8 {
	clicks := slices.Repeat([]uint8{segment.Void}, len(majority))
	done := map[uint8]bool{segment.Void: true}
	for _, i := range rng.Perm(len(majority)) {
		if class := majority[i]; !done[class] {
			done[class] = true
			clicks[i] = class
		}
	}
	return clicks
}

// query is a named query at work on one image.
type query struct {
	name    string
	scene   *scene.Scene
	model   *engine.Model
	classes simulate.Clicks
	rng     *rand.Rand
}

// next is the superpixel to ask for, -1 for none. Superpixels that are wholly
// void are passed over, as nobody could answer.
func (q *query) next(ctx context.Context, p *herding.Problem, shown []uint8) (int, error) {
	open := func(i int) bool { return p.Model.Fixed[i] < 0 && q.scene.Majority[i] != segment.Void }
	switch q.name {
	case "random":
		for _, i := range q.rng.Perm(p.Model.Nodes) {
			if open(i) {
				return i, nil
			}
		}
		return -1, nil
	case "error":
		a := simulate.Annotator{Scene: &q.scene.Scene, Majority: q.scene.Majority}
		return a.Next(shown), nil
	}
	ranked, err := q.query(p).Rank(ctx, p, 0)
	if err != nil {
		return -1, err
	}
	for _, c := range ranked {
		if open(c.Node) {
			return c.Node, nil
		}
	}
	return -1, nil
}

// query is the one of the name. Only those that look at marginals after an answer
// spend time on making them.
func (q *query) query(p *herding.Problem) herding.Query {
	after := func() ask.After { return q.model.After(p.Model.Fixed, p.Model.Labels, nil) }
	switch q.name {
	case "votes":
		return ask.Votes{}
	case "entropy":
		return ask.Entropy{}
	case "margin":
		return ask.Margin{}
	case "change":
		return ask.Change{After: after()}
	case "elc":
		return ask.LabelChange{After: after()}
	case "risk":
		return ask.Risk{After: after()}
	}
	return ask.Perturbed{Seed: 1}
}

// add notes an image; a query that has nothing more to ask keeps what it has.
func (r *inquiry) add(draw, image int, quality []float64, spent time.Duration, asked int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spent += spent
	r.asked += len(quality) - 1
	for len(quality) <= asked {
		quality = append(quality, quality[len(quality)-1])
	}
	r.curves[draw][image] = quality
}

// finish turns curves into figures and compares them with those of another query.
func (r *inquiry) finish(other *inquiry, asked int) {
	var measured []int // whether an image has a curve depends on no draw
	for i, curve := range r.curves[0] {
		if curve != nil {
			measured = append(measured, i)
		}
	}
	if r.Images = len(measured); r.Images == 0 {
		return
	}
	for n := range asked + 1 {
		var each []float64
		ahead := make([]float64, r.Images)
		for draw, images := range r.curves {
			sum := 0.0
			for at, i := range measured {
				sum += images[i][n]
				ahead[at] += (images[i][n] - other.curves[draw][i][n]) / float64(len(r.curves))
			}
			each = append(each, sum/float64(r.Images))
		}
		mean, sd := stats.MeanAndSpread(each)
		r.MeanIoU, r.Spread = append(r.MeanIoU, mean), append(r.Spread, sd)
		r.Ahead = append(r.Ahead, stats.BootstrapMean(ahead))
	}
	r.Milliseconds = r.spent.Seconds() * 1000 / float64(max(r.asked, 1))
}

func (c *Next) print(t *progress.Terminal, rows []*inquiry) {
	fmt.Fprintf(t.Out, "Mean IoU in per cent of the random walker's labelling, mean over %s and %s, after one click per class and so many answers; in brackets how far ahead of %s, with a 95 %% interval; ms of a question.\n",
		segment.Counted(rows[0].Images, "image"), results.Draws(c.Draws), rows[0].Query)
	w := t.Table()
	defer w.Flush()
	shown := []int{0, 1, 2, 5, 10, 20}
	shown = append(slices.DeleteFunc(shown, func(n int) bool { return n >= c.Asked }), c.Asked)
	fmt.Fprint(w, "query\t")
	for _, n := range shown {
		fmt.Fprintf(w, "%d\t\t", n)
	}
	fmt.Fprint(w, "ms\t\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t", r.Query)
		for _, n := range shown {
			mean := fmt.Sprintf("%.1f", 100*r.MeanIoU[n])
			if c.Draws > 1 {
				mean += " ± " + results.Spread(r.Spread[n], c.Draws)
			}
			fmt.Fprintf(w, "%s\t%s\t", mean, r.Ahead[n])
		}
		fmt.Fprintf(w, "%.1f\t\n", r.Milliseconds)
	}
}
