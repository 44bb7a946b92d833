package project

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/pretend"
	"collie/cmd/internal/progress"
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/importer/npz"
	"collie/segment/learn"
	"collie/segment/simulate"
	"collie/superpixels"
)

// Embeddings measures the actions that embeddings save.
type Embeddings struct {
	flags.Images
	results.Output
	Quality    []float64 `default:"0,0.05,0.1,0.2,0.4,0.8" help:"Shares of the embeddings' variance that tell classes apart; the rest is noise. 0 is nothing but noise."`
	Embeddings string    `type:"path" placeholder:"DIR" help:"Read the embeddings of a network from DIR/ID.npz instead of making them of the masks."`
	Finished   int       `default:"20" help:"Images from which the weight of the embeddings is learned."`
	Test       int       `default:"100" help:"Test images, never learned from."`
	Patch      int       `default:"16" help:"Pixels between the places of the grid."`
	Target     []float64 `default:"0.85,0.90" help:"Mean IoU per image to reach, at most 95 % of what the superpixels allow."`
	Max        int       `default:"60" help:"Actions after which the annotator gives up."`
	Gestures   []string  `default:"points" enum:"points,strokes" help:"What an action is: ${enum}."`
	Hypotheses int       `default:"1" help:"On offer, with regions; 1 for the random walker's single answer."`
}

// embeddingsRow is one row of the table.
type embeddingsRow struct {
	projectRow
	Quality    *float64          `json:"quality,omitempty"`    // of those that were made, nil otherwise
	Embeddings string            `json:"embeddings,omitempty"` // folder of those that were read
	Weights    segment.Embedding `json:"-"`
}

// Run works, prints and stores.
func (c *Embeddings) Run(t *progress.Terminal) error {
	work := Command{Images: c.Images, Test: c.Test, Target: c.Target, Max: c.Max, Hypotheses: c.Hypotheses}
	err := cmp.Or(work.check(), flags.Within("--quality", 0, 1, c.Quality...), flags.AtLeast("--patch", 1, c.Patch), flags.AtLeast("--finished", learn.FewestExamples, c.Finished))
	if err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	if c.Embeddings != "" {
		c.Quality = []float64{1}
		if err := flags.HaveArrays("--embeddings", c.Embeddings, list); err != nil {
			return err
		}
	}
	slices.SortStableFunc(list, func(a, b simulate.Picture) int { return cmp.Compare(simulate.Hash(a.ID), simulate.Hash(b.ID)) })
	if len(list) <= c.Finished {
		return fmt.Errorf("--data %s has %s%s; more than the %d to learn from are needed (--finished)", c.Data, segment.Counted(len(list), "image"), c.Among(), c.Finished)
	}
	weights, err := c.learn(t, list[:c.Finished])
	if err != nil {
		return err
	}
	tests := list[c.Finished:]
	tests = tests[:min(c.Test, len(tests))]
	efforts := make([][][][]int, len(tests)) // by image, see onImage
	err = t.Each("", len(tests), func(i int) (err error) {
		efforts[i], err = c.onImage(t, &work, tests[i], weights)
		return err
	})
	if err != nil {
		return err
	}
	efforts = slices.DeleteFunc(efforts, func(e [][][]int) bool { return e == nil }) // all void
	if len(efforts) == 0 {
		return scene.AllVoid(c.Data, len(tests))
	}
	var rows []embeddingsRow
	for g, gesture := range c.Gestures {
		for at, target := range c.Target {
			for q := range c.Quality {
				pairs := make([]effortOn, len(efforts))
				for i, e := range efforts {
					pairs[i] = effortOn{e[g][1+q], e[g][0]}
				}
				row := embeddingsRow{Embeddings: c.Embeddings, Weights: weights[q]}
				row.projectRow = work.sum(pairs, at, projectRow{Finished: c.Finished, Target: target, Gesture: gesture})
				if c.Embeddings == "" {
					row.Quality = &c.Quality[q]
				}
				rows = append(rows, row)
			}
		}
	}
	c.print(t, rows)
	return c.Write(map[string]any{"results": rows})
}

// onImage returns the actions on an image with each gesture and each quality, from 1 on;
// 0 is without embeddings. nil for an image that is all void.
func (c *Embeddings) onImage(t *progress.Terminal, work *Command, p simulate.Picture, weights []segment.Embedding) ([][][]int, error) {
	l, err := c.open(p)
	if err != nil || l.bound == 0 {
		return nil, err
	}
	actions := make([][][]int, len(c.Gestures))
	for g, gesture := range c.Gestures {
		of := make([][]int, 1+len(weights))
		for q := range of {
			in := &simulate.Scene{Graph: l.graph, Coarse: l.coarse}
			if q > 0 {
				w := &weights[q-1]
				if !w.Counts() {
					of[q] = of[0]
					continue
				}
				e, err := c.embedding(l, c.Quality[q-1])
				if err != nil {
					return nil, err
				}
				if e != nil {
					in.Embedding = e.Weighed(w.Borders, w.Pairs)
				}
			}
			if of[q], _, err = work.workIn(t, in, &l.lesson, gesture); err != nil {
				return nil, err
			}
		}
		actions[g] = of
	}
	return actions, nil
}

// learn returns the weights of each quality.
func (c *Embeddings) learn(t *progress.Terminal, list []simulate.Picture) ([]segment.Embedding, error) {
	images := make([][]learn.Embedded, len(c.Quality))
	for q := range images {
		images[q] = make([]learn.Embedded, len(list))
	}
	err := t.Each("", len(list), func(i int) error {
		l, err := c.open(list[i])
		if err != nil {
			return err
		}
		for q, quality := range c.Quality {
			e, err := c.embedding(l, quality)
			if err != nil {
				return err
			}
			images[q][i] = learn.Embedded{Graph: l.graph, Labels: l.majority, Embedding: e}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]segment.Embedding, len(images))
	return out, t.Each("", len(images), func(q int) error {
		have := slices.DeleteFunc(images[q], func(e learn.Embedded) bool { return e.Embedding == nil })
		w, err := learn.Weigh(t.Ctx, have, engine.DefaultParameters)
		if err != nil {
			return err
		}
		out[q] = *w
		return nil
	})
}

// embedded is a lesson for which embeddings can be made.
type embedded struct {
	*divided
	mask []uint8
}

func (c *Embeddings) open(p simulate.Picture) (*embedded, error) {
	img, mask, err := p.LoadLabelled()
	if err != nil {
		return nil, err
	}
	d, _, err := divide(p, img, mask, c.Classes)
	return &embedded{d, mask}, err
}

// embedding reads the embeddings of an image, or makes those of a pretended network, and
// reduces them. It is nil where the pretended ones are the same everywhere, which a project
// refuses: in an image of one class without noise.
func (c *Embeddings) embedding(l *embedded, quality float64) (*engine.Embedding, error) {
	runs := l.hierarchy.Runs()
	if c.Embeddings != "" {
		path := flags.ArraysOf(c.Embeddings, l.id)
		reduced, err := readEmbeddings(path, runs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return engine.NewEmbedding(reduced, l.cut, l.cells), nil
	}
	reduced, err := pretend.Embeddings(l.mask, image.Pt(runs.Width, runs.Height), c.Patch, quality, simulate.Hash(l.id)).Reduce(runs)
	if errors.Is(err, npz.ErrValue) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.id, err)
	}
	return engine.NewEmbedding(reduced, l.cut, l.cells), nil
}

// readEmbeddings reads and reduces the embeddings of an image with the given superpixels.
func readEmbeddings(path string, runs *superpixels.Runs) (*segment.Embedding, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, e, err := npz.Read(bytes.NewReader(content), int64(len(content)), npz.Limits{Size: image.Pt(runs.Width, runs.Height)})
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, errors.New("it holds scores; an array of embeddings must be called embeddings")
	}
	return e.Reduce(runs)
}

func (c *Embeddings) print(t *progress.Terminal, rows []embeddingsRow) {
	fmt.Fprintf(t.Out, "Actions until the mean IoU of an image reaches the target, at most %.4g %% of what its superpixels allow, over %s, with embeddings whose weight was learned from %s. "+
		"Saved: actions per image against the same image without embeddings, with a 95 %% interval; worse: images that needed more; what is added to the log odds of borders and of pairs: a constant, and a factor of the distance.\n", 100*boundShare, segment.Counted(rows[0].Images, "image"), segment.Counted(c.Finished, "image"))
	w := t.Table()
	defer w.Flush()
	fmt.Fprint(w, "gesture\ttarget\tquality\tmean\tmedian\tfailed\twithout\tsaved\t\tworse\tborders\tpairs\t\n")
	for _, r := range rows {
		l, p, quality := r.Weights.Borders, r.Weights.Pairs, "read"
		if r.Quality != nil {
			quality = fmt.Sprint(*r.Quality)
		}
		fmt.Fprintf(w, "%s\t%.4g %%\t%s\t%.2f\t%g\t%d\t%.2f\t%.2f [%.2f, %.2f]\t%.0f %%\t%.0f %%\t%.2f %+.2f\t%.2f %+.2f\t\n", r.Gesture, 100*r.Target, quality,
			r.MeanActions, r.Median, r.Failed, r.Without, r.Saved.Mean, r.Saved.Low, r.Saved.High, 100*r.Saved.Mean/r.Without, 100*r.Worse, l.Bias, l.Slope, p.Bias, p.Slope)
	}
}
