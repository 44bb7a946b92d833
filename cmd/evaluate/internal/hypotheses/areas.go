package hypotheses

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/stats"
	"collie/herding/choose"
	"collie/segment"
	"collie/segment/simulate"
)

// Areas checks the ranges of a class's area against the truth.
type Areas struct {
	flags.Images
	results.Output
	Methods    []string  `default:"herding,strip,hierarchy,gibbs,clusters" placeholder:"NAME" help:"What makes the lists: ${methods}."`
	Observed   []float64 `default:"0.02,0.1" help:"Shares of the superpixels that are clicked."`
	Hypotheses int       `default:"20" help:"Labellings of a list."`
	Regions    int       `default:"600" help:"Superpixels of an image."`
	Wider      float64   `default:"${wider}" help:"Widening of a range at either end, in widths; the product's is ${wider}."`
}

// pixel is the share of an image that counts for nothing.
const pixel = 1e-4

// areasRow says how often the area of a class is within the range that a list
// gives.
type areasRow struct {
	Method   string  `json:"method"`
	Observed float64 `json:"observed"`
	Ranges   int     `json:"ranges"`
	Inside   float64 `json:"inside"` // share of the ranges that the true area is in
	Width    float64 `json:"width"`  // mean, as a share of the image
	// Wider is the widening with which 8 of 10 ranges would hold the true area, in
	// widths at either end.
	Wider float64 `json:"wider"`

	mu sync.Mutex
	// Of each range, in the order in which images come to their ends: its width, and how
	// many of them the true area is outside of the range as it is.
	widths, beyond []float64
}

func (c *Areas) check() error {
	return cmp.Or(
		flags.AtLeast("--hypotheses", 2, c.Hypotheses), flags.Regions(c.Regions), c.CheckClasses(2),
		flags.Within("--wider", 0, 100, c.Wider), flags.Shares("--observed", c.Observed...), flags.Known(c.Methods...),
	)
}

// Run measures, prints and stores the figures.
func (c *Areas) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	var rows []*areasRow
	for _, share := range c.Observed {
		for _, name := range c.Methods {
			rows = append(rows, &areasRow{Method: name, Observed: share})
		}
	}
	err = scene.Each(t, list, c.Regions, c.Classes, func(_ int, s *scene.Scene) error {
		for _, r := range rows {
			if err := c.count(t, s, r); err != nil {
				return fmt.Errorf("%s: %w", s.ID, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range rows {
		r.finish()
	}
	if !slices.ContainsFunc(rows, func(r *areasRow) bool { return r.Ranges > 0 }) {
		return c.OneClass("--data", c.Data)
	}
	fmt.Fprintf(t.Out, "How often the area of a class in play is within the range of the middle 80 %% of %d labellings, widened at either end by %g widths, over %s, void ignored; the mean width of the ranges, in per cent of the image; and the widening with which 8 of 10 would hold it.\n", c.Hypotheses, c.Wider, segment.Counted(len(list), "image"))
	w := t.Table()
	fmt.Fprint(w, "clicked\tmethod\tranges\tinside\twidth\tneeds wider by\t\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%.4g %%\t%s\t%d\t%.0f %%\t%.1f %%\t%.2f\t\n", 100*r.Observed, r.Method, r.Ranges, 100*r.Inside, 100*r.Width, r.Wider)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return c.Write(map[string]any{"results": rows})
}

// finish turns what was counted into figures, which don't depend on its order.
func (r *areasRow) finish() {
	r.Ranges = len(r.widths)
	r.Inside /= float64(max(r.Ranges, 1))
	slices.Sort(r.widths)
	r.Width, _ = stats.MeanAndSpread(r.widths)
	if slices.Sort(r.beyond); len(r.beyond) > 0 {
		// JSON has no infinity: -1 if no widening would do.
		if r.Wider = r.beyond[len(r.beyond)*8/10]; math.IsInf(r.Wider, 1) {
			r.Wider = -1
		}
	}
}

// count adds the ranges of one image.
func (c *Areas) count(t *progress.Terminal, s *scene.Scene, r *areasRow) error {
	at, err := s.Pose(r.Observed, 0)
	if at.Problem == nil || err != nil {
		return err
	}
	xs, err := labellingsOf(t, r.Method, at.Problem, s, c.Hypotheses)
	if err != nil {
		return err
	}
	k := len(at.Clicks.Classes)
	seen, truth := make([]float64, len(s.Majority)), make([]float64, k)
	whole := 0.0
	for i := range seen {
		for class, v := range s.Truth.Area[i*s.Truth.Labels : (i+1)*s.Truth.Labels] {
			seen[i] += v
			whole += v
			if l := slices.Index(at.Clicks.Classes, uint8(class)); l >= 0 {
				truth[l] += v
			}
		}
	}
	for i := range seen {
		seen[i] /= whole
	}
	ranges := choose.AreaRanges(xs, k, seen, c.Wider)
	narrow := choose.AreaRanges(xs, k, seen, 0)
	r.mu.Lock()
	defer r.mu.Unlock()
	for l, area := range truth {
		r.widths = append(r.widths, ranges[l].High-ranges[l].Low)
		// A pixel more or less is no mistake.
		v := area / whole
		if v >= ranges[l].Low-pixel && v <= ranges[l].High+pixel {
			r.Inside++
		}
		off := max(narrow[l].Low-v, v-narrow[l].High)
		switch width := narrow[l].High - narrow[l].Low; {
		case off <= pixel:
			r.beyond = append(r.beyond, 0)
		case width == 0:
			r.beyond = append(r.beyond, math.Inf(1)) // no widening helps
		default:
			r.beyond = append(r.beyond, off/width)
		}
	}
	return nil
}
