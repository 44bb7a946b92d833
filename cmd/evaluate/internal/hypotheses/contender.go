package hypotheses

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/herding"
	"collie/herding/choose"
	"collie/herding/methods"
	"collie/segment"
	"collie/segment/simulate"
)

// oracles are the list lengths whose oracle the table shows.
var oracles = []int{1, 2, 5, 10, 20}

// contender is one row of the table of methods.
type contender struct {
	Method     string  `json:"method"`
	Answers    string  `json:"answers"` // see methods.Method
	Model      string  `json:"model"`
	Observed   float64 `json:"observed"`
	Images     int     `json:"images"`
	Draws      int     `json:"draws"`
	Hypotheses int     `json:"hypotheses"`

	// Oracle of the first 1, 2, … labellings, pooled over the images, and the
	// standard deviation of it over the draws.
	Oracle         map[string]float64 `json:"oracle"`
	Spread         map[string]float64 `json:"standard_deviation"`
	OraclePerImage map[string]float64 `json:"oracle_per_image"`
	Mode           float64            `json:"mode"`
	EMBR           float64            `json:"embr"`
	Consensus      float64            `json:"consensus"`
	PerImage       map[string]float64 `json:"per_image"` // of the first, the mode, EMBR and the consensus
	// Ahead is how far the oracle of all labellings, pooled, is ahead of that of
	// the method that the others are compared with.
	Ahead        *stats.Interval `json:"ahead,omitempty"`
	Distance     float64         `json:"distance"` // mean area on which two labellings differ
	Unique       float64         `json:"unique"`
	Gap          float64         `json:"gap"`          // mean energy below the first's
	Milliseconds float64         `json:"milliseconds"` // of a processor, per labelling
	Solves       float64         `json:"solves"`       // per labelling

	mu    sync.Mutex
	made  [][]*madeOf // per draw and image
	spent time.Duration
}

// madeOf is the quality of a method's labellings of an image. The overlaps and
// the qualities are those of the oracles, then the mode, EMBR, the consensus and the
// oracle of all.
type madeOf struct {
	overlaps                        []*simulate.Overlap
	quality                         []float64
	distance, gap                   float64
	unique, labellings, maximisings int
}

func newContender(name, model string, observed float64, images, draws, hypotheses int) *contender {
	m, _ := methods.Find(name)
	c := &contender{
		Method: name, Answers: m.Answers, Model: model, Observed: observed, Images: images, Draws: draws, Hypotheses: hypotheses,
		Oracle: map[string]float64{}, Spread: map[string]float64{}, OraclePerImage: map[string]float64{}, PerImage: map[string]float64{},
	}
	for range draws {
		c.made = append(c.made, make([]*madeOf, images))
	}
	return c
}

// add judges the labellings of one image and draw. A list that ends early
// repeats its best.
func (c *contender) add(image, draw int, s *scene.Scene, at scene.Posed, made []herding.Hypothesis, spent time.Duration) {
	var xs, named [][]uint8
	out := &madeOf{labellings: len(made)}
	var bestAt []int
	var quality []float64
	seen := map[string]bool{}
	for m, h := range made {
		xs = append(xs, h.Labels)
		named = append(named, at.Clicks.Name(h.Labels))
		seen[string(h.Labels)] = true
		quality = append(quality, simulate.MeanIoU(s.Truth, named[m]))
		best := m
		if m > 0 && quality[bestAt[m-1]] >= quality[m] {
			best = bestAt[m-1]
		}
		bestAt = append(bestAt, best)
		out.maximisings += h.Solves
		out.gap += (made[0].Energy - h.Energy) / float64(len(made))
	}
	out.unique = len(seen)
	shares := s.Graph.Shares()
	for m, x := range xs {
		for _, y := range xs[:m] {
			out.distance += choose.Differing(x, y, shares) / float64(len(xs)*(len(xs)-1)/2)
		}
	}
	judge := func(x []uint8) {
		o := simulate.NewOverlap(s.Truth.Labels)
		o.Add(s.Truth, x)
		out.overlaps = append(out.overlaps, o)
		out.quality = append(out.quality, o.Mean())
	}
	for _, n := range oracles {
		judge(named[bestAt[min(n, len(named))-1]])
	}
	judge(herding.Mode(named))
	if at.Problem == nil {
		judge(named[0])
		judge(named[0])
	} else {
		order, _, consensus, err := choose.Consensus{}.Choose(at.Problem, xs)
		if err != nil {
			panic(fmt.Sprintf("evaluate: %s: %v", c.Method, err)) // a source returned something that is not a labelling
		}
		judge(named[order[0]])
		judge(at.Clicks.Name(consensus))
	}
	judge(named[bestAt[len(named)-1]])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spent += spent
	c.made[draw][image] = out
}

// pooled is the mean IoU of column at over a sample of images in each draw.
func (c *contender) pooled(at, classes int, sample []int) []float64 {
	var out []float64
	for _, images := range c.made {
		sum := simulate.NewOverlap(classes)
		for _, i := range sample {
			if images[i] == nil {
				continue
			}
			sum.Join(images[i].overlaps[at])
		}
		out = append(out, sum.Mean())
	}
	return out
}

// finish turns what was made into figures.
func (c *contender) finish(classes int) {
	all := make([]int, c.Images)
	for i := range all {
		all[i] = i
	}
	var perImage []float64
	count, labellings := 0, 0
	for _, images := range c.made {
		for _, m := range images {
			if m == nil {
				continue
			}
			count++
			labellings += m.labellings
			c.Distance += m.distance
			c.Unique += float64(m.unique)
			c.Gap += m.gap
			c.Solves += float64(m.maximisings)
			if perImage == nil {
				perImage = make([]float64, len(m.quality))
			}
			for n, q := range m.quality {
				perImage[n] += q
			}
		}
	}
	for n := range perImage {
		perImage[n] /= float64(count)
	}
	c.Distance /= float64(count)
	c.Unique /= float64(count)
	c.Gap /= float64(count)
	c.Solves /= float64(labellings)
	c.Milliseconds = c.spent.Seconds() * 1000 / float64(labellings)
	for n, length := range oracles {
		if length > c.Hypotheses {
			break
		}
		name := fmt.Sprint(length)
		c.Oracle[name], c.Spread[name] = stats.MeanAndSpread(c.pooled(n, classes, all))
		c.OraclePerImage[name] = perImage[n]
	}
	for n, to := range []*float64{&c.Mode, &c.EMBR, &c.Consensus} {
		*to, _ = stats.MeanAndSpread(c.pooled(len(oracles)+n, classes, all))
	}
	c.PerImage["first"] = perImage[0]
	for n, name := range []string{"mode", "embr", "consensus"} {
		c.PerImage[name] = perImage[len(oracles)+n]
	}
}

// compare says how far the oracle is ahead of another one of the same problems.
func (c *contender) compare(with *contender, classes int) {
	whole := len(oracles) + 3
	ahead := stats.Bootstrap(c.Images, func(sample []int) float64 {
		mine, _ := stats.MeanAndSpread(c.pooled(whole, classes, sample))
		other, _ := stats.MeanAndSpread(with.pooled(whole, classes, sample))
		return mine - other
	})
	c.Ahead = &ahead
}

func (c *Methods) print(t *progress.Terminal, rows []*contender) {
	fmt.Fprintf(t.Out, "Mean IoU in per cent over %s, %s, void ignored: oracle of the first so many labellings, over the set and, in brackets, the mean over the images; mode, EMBR's choice and consensus of all. On the right how far the oracle of all is ahead of %s, with a 95 %% interval; the area on which two labellings differ; how many of %d are distinct; energy below the first; processor time and maximisations per labelling.\n",
		segment.Counted(rows[0].Images, "image"), results.Draws(c.Draws), c.Against, c.Hypotheses)
	w := t.Table()
	defer w.Flush()
	fmt.Fprint(w, "model\tclicked\tmethod\tanswers\t")
	shown := slices.DeleteFunc(slices.Clone(oracles), func(n int) bool { return n > c.Hypotheses })
	for _, n := range shown {
		fmt.Fprintf(w, "@%d\t", n)
	}
	fmt.Fprint(w, "±\t\tmode\tEMBR\tcons.\tahead\tdistance\tdistinct\tgap\tms\tsolves\t\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%.4g %%\t%s\t%s\t", r.Model, 100*r.Observed, r.Method, r.Answers)
		last := ""
		for _, n := range shown {
			last = fmt.Sprint(n)
			fmt.Fprintf(w, "%.1f\t", 100*r.Oracle[last])
		}
		ahead := ""
		if r.Ahead != nil {
			ahead = r.Ahead.String()
		}
		fmt.Fprintf(w, "%s\t(%.1f)\t%.1f\t%.1f\t%.1f\t%s\t%.1f %%\t%.1f\t%.1f\t%.2f\t%.1f\t\n", results.Spread(r.Spread[last], c.Draws), 100*r.OraclePerImage[last],
			100*r.Mode, 100*r.EMBR, 100*r.Consensus, ahead, 100*r.Distance, r.Unique, r.Gap, r.Milliseconds, r.Solves)
	}
}
