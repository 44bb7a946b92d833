package gestures

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/segment"
	"collie/segment/assistant"
	"collie/segment/engine"
	"collie/segment/simulate"
	"collie/superpixels"
)

// Objects counts the clicks on one object by the field's protocol.
type Objects struct {
	results.Output
	Data       string   `required:"" type:"path" placeholder:"DIR" help:"Folder with images/ID.jpg, .png or .tif and masks/ID.png (0 rest, 1 object, 255 not counted)."`
	Limit      int      `placeholder:"N" help:"Use the first N images only, in the order of index.tsv or of their names."`
	Methods    []string `default:"random-walker,herding-harmonic" enum:"${clicked}" help:"${enum}."`
	Hypotheses int      `default:"20" help:"Hypotheses on offer."`
	Max        int      `default:"20" help:"Actions after which the person gives up."`
	Regions    int      `default:"600" help:"Superpixels of an image."`
	Box        bool     `help:"The first action is a box around the object, grown by 5 %."`
	Jitter     bool     `help:"Place clicks as people do: anywhere within half the depth of the error."`
	Largest    bool     `help:"Masks hold classes, as for voc: the object is the largest connected part of one class other than 0."`
}

// boxGrowth is how much larger a box is than the object, as a share.
const boxGrowth = 0.05

var (
	objectTargets = []int{80, 85, 90}
	objectActions = []int{1, 2, 3, 5, 10}
)

// marked is one row of the table.
type marked struct {
	Method     string                  `json:"method"`
	Hypotheses int                     `json:"hypotheses"`
	Images     int                     `json:"images"`
	Box        bool                    `json:"box"`
	Jitter     bool                    `json:"jitter"`
	NoC        map[string]numberClicks `json:"noc"`      // by target in per cent
	IoU        map[string]qualities    `json:"iou"`      // by number of actions
	Mean       []float64               `json:"mean_iou"` // of the first hypothesis after 1, 2, … actions
	Bound      float64                 `json:"bound"`    // mean IoU of the best labelling of the finest superpixels
	Seconds    float64                 `json:"seconds"`  // mean time of an answer, superpixels not counted

	courses []simulate.Course // per image
	spent   []time.Duration   // per image, of all answers
}

// numberClicks are mean actions to a target; a failure counts as --max.
type numberClicks struct {
	First       float64 `json:"first"`
	Picks       float64 `json:"picks"`
	Failed      int     `json:"failed"` // by the first hypothesis alone
	FailedPicks int     `json:"failed_picks"`
}

// qualities are mean IoUs.
type qualities struct {
	First  float64 `json:"first"`
	Best3  float64 `json:"best3"`
	Best20 float64 `json:"best20"` // of all on offer
}

// Run measures, prints and stores the figures.
func (c *Objects) Run(t *progress.Terminal) error {
	if err := cmp.Or(flags.AtLeast("--hypotheses", 1, c.Hypotheses), flags.AtLeast("--max", 1, c.Max), flags.Regions(c.Regions)); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	var rows []*marked
	for _, method := range c.Methods {
		rows = append(rows, &marked{
			Method: method, Hypotheses: c.Hypotheses, Images: len(list), Box: c.Box, Jitter: c.Jitter,
			courses: make([]simulate.Course, len(list)), spent: make([]time.Duration, len(list)),
		})
	}
	bounds := make([]float64, len(list))
	err = t.Each("", len(list), func(i int) error {
		s, err := openObject(list[i], c.Regions, c.Largest)
		if err != nil {
			return err
		}
		if bounds[i], err = s.bound(); err != nil {
			return err
		}
		for _, r := range rows {
			clock := &timed{Assistant: s.assistant(simulate.Method{Name: r.Method})}
			p := s.person(clock, c)
			if r.courses[i], err = p.Work(t.Ctx); err != nil {
				return fmt.Errorf("%s, %s: %w", list[i].ID, r.Method, err)
			}
			r.spent[i] = clock.spent
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range rows {
		r.Bound, _ = stats.MeanAndSpread(bounds)
		r.sum(c.Max)
	}
	c.print(t, rows)
	return c.Write(map[string]any{"results": rows})
}

// thing is a picture of one object, ready for the experiment.
type thing struct {
	simulate.Object
	id        string
	cells     *superpixels.Map
	adjacent  [][]int32
	scene     simulate.Scene // of the superpixels before the first click
	base      *superpixels.Cut
	graph     *superpixels.Graph // of the cells
	hierarchy *superpixels.Hierarchy
}

func openObject(p simulate.Picture, regions int, largest bool) (*thing, error) {
	img, mask, err := p.LoadLabelled()
	if err != nil {
		return nil, err
	}
	if largest {
		o := simulate.Largest(img.Rect.Size(), mask)
		if o == nil {
			return nil, fmt.Errorf("%s has no object: it has no class other than 0", p.Mask())
		}
		mask = o.Mask
	}
	object, err := simulate.NewObject(img.Rect.Size(), mask)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Mask(), err)
	}
	hierarchy, graph := superpixels.Divide(img, scene.FinestFactor*regions)
	cells := hierarchy.Runs().Map()
	cut := hierarchy.Cut(graph, regions, make([]uint8, cells.N), 0)
	rgb := scene.MeanRGB(img, hierarchy.Runs().Coarsen(cut.Parent, cut.N).Map())
	return &thing{
		Object: *object, id: p.ID, cells: cells, adjacent: simulate.Neighbours(graph), base: cut, graph: graph, hierarchy: hierarchy,
		scene: simulate.Scene{Graph: graph.Coarsen(cut.Parent, cut.N), RGB: rgb, Coarse: hierarchy.LevelOf(cut, engine.Regions(cut.N))},
	}, nil
}

// bound is the IoU of the best labelling of the cells, near enough: each has the
// class of most of its pixels.
func (s *thing) bound() (float64, error) {
	truth, err := simulate.Cover(s.cells, s.Mask, 2)
	if err != nil {
		return 0, err
	}
	return simulate.ObjectIoU(truth, simulate.Majority(truth)), nil
}

func (s *thing) assistant(m simulate.Method) simulate.Assistant {
	if m.Name == "herding-harmonic" {
		product := &assistant.Assistant{Hierarchy: s.hierarchy, Cells: s.graph, Parameters: engine.DefaultParameters}
		return simulate.NewSession(product, s.hierarchy.Runs(), s.base.N)
	}
	return &simulate.Clicked{Method: m, Scene: &s.scene, Cells: s.cells, Parent: s.base.Parent}
}

func (s *thing) person(a simulate.Assistant, c *Objects) *simulate.Person {
	box := -1.0
	if c.Box {
		box = boxGrowth
	}
	return &simulate.Person{
		Hand:  simulate.Hand{Object: &s.Object, Jitter: c.Jitter, Name: s.id},
		Cells: s.cells, Adjacent: s.adjacent, Assistant: a, Count: c.Hypotheses, Max: c.Max, Box: box,
	}
}

// timed measures how long the answers of an assistant take.
type timed struct {
	simulate.Assistant
	spent time.Duration
}

func (t *timed) Hypotheses(ctx context.Context, g simulate.Gestures, count int) ([][]uint8, error) {
	start := time.Now()
	defer func() { t.spent += time.Since(start) }()
	return t.Assistant.Hypotheses(ctx, g, count)
}

// sum turns courses into figures.
func (r *marked) sum(most int) {
	n := float64(len(r.courses))
	r.NoC, r.IoU, r.Mean = map[string]numberClicks{}, map[string]qualities{}, make([]float64, most)
	for _, target := range objectTargets {
		var noc numberClicks
		count := func(values []float64, failed *int) float64 {
			at := slices.IndexFunc(values, func(v float64) bool { return v >= float64(target)/100 })
			if at < 0 {
				*failed++
				return float64(most) / n
			}
			return float64(at+1) / n
		}
		for _, c := range r.courses {
			var first []float64
			for _, q := range c.IoU {
				first = append(first, q.First)
			}
			noc.First += count(first, &noc.Failed)
			noc.Picks += count(c.Picked, &noc.FailedPicks)
		}
		r.NoC[fmt.Sprint(target)] = noc
	}
	for a := range most {
		var q qualities
		for _, c := range r.courses {
			at := c.IoU[min(a, len(c.IoU)-1)] // when nothing is wrong it stays so
			q.First += at.First / n
			q.Best3 += at.Best3 / n
			q.Best20 += at.Best / n
		}
		r.Mean[a] = q.First
		if slices.Contains(objectActions, a+1) {
			r.IoU[fmt.Sprint(a+1)] = q
		}
	}
	answers := 0
	for i, c := range r.courses {
		answers += len(c.IoU)
		r.Seconds += r.spent[i].Seconds()
	}
	r.Seconds /= float64(answers)
}

func (c *Objects) print(t *progress.Terminal, rows []*marked) {
	what := "click"
	if c.Box {
		what = "action, the first of them a box"
	}
	fmt.Fprintf(t.Out, "One object in each image, %s, at most %d actions; the finest superpixels alone would give an IoU of %.3f. With picks, taking a hypothesis or a region of one is an action, too; failed without and with them; ms of an answer.\n", segment.Counted(rows[0].Images, "image"), c.Max, rows[0].Bound)
	w := t.Table()
	fmt.Fprintf(w, "actions to\t80 %%\tpicks\tfailed\t85 %%\tpicks\tfailed\t90 %%\tpicks\tfailed\tms\t\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t", r.Method)
		for _, target := range objectTargets {
			n := r.NoC[fmt.Sprint(target)]
			fmt.Fprintf(w, "%.2f\t%.2f\t%d, %d\t", n.First, n.Picks, n.Failed, n.FailedPicks)
		}
		fmt.Fprintf(w, "%.1f\t\n", 1000*r.Seconds)
	}
	w.Flush()
	fmt.Fprintf(t.Out, "\nMean IoU after each %s: first hypothesis, best of 3, best of %d.\n", what, c.Hypotheses)
	w = t.Table()
	defer w.Flush()
	fmt.Fprint(w, "actions\t")
	for _, a := range objectActions {
		if a <= c.Max {
			fmt.Fprintf(w, "%d\t", a)
		}
	}
	for _, r := range rows {
		fmt.Fprintf(w, "\n%s\t", r.Method)
		for _, a := range objectActions {
			if q, ok := r.IoU[fmt.Sprint(a)]; ok {
				fmt.Fprintf(w, "%.3f %.3f %.3f\t", q.First, q.Best3, q.Best20)
			}
		}
	}
	fmt.Fprintln(w)
}
