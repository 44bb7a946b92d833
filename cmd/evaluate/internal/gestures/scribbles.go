package gestures

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/segment"
	"collie/segment/simulate"
)

// Scribbles measures what methods make of scribbles that people drew.
type Scribbles struct {
	results.Output
	Data       string   `required:"" type:"path" placeholder:"DIR" help:"Folder with images/, masks/ (0 background, 1 foreground, 255 void) and one or several folders scribbles*/ID.png or ID-anno.png (0 none, 1 foreground, 2 background)."`
	Limit      int      `placeholder:"N" help:"Use the first N images only."`
	Methods    []string `default:"random-walker,herding-harmonic" enum:"${clicked}" help:"${enum}."`
	Hypotheses int      `default:"20" help:"Length of the sequences."`
	Regions    int      `default:"600" help:"Superpixels of an image."`
}

// scribbled is one row of the table. Errors are shares of the pixels without
// a scribble that are not void.
type scribbled struct {
	Method       string  `json:"method"`
	Scribbles    string  `json:"scribbles"`
	Hypotheses   int     `json:"hypotheses"`
	Images       int     `json:"images"`
	ErrorRate    float64 `json:"error_rate"` // of the first hypothesis
	OracleError  float64 `json:"oracle_error_rate"`
	Bound        float64 `json:"superpixel_error_rate"` // of the best labelling of the superpixels
	Milliseconds float64 `json:"milliseconds"`          // until the first hypothesis, without superpixels and what the methods share

	each []*scribbling // per image, nil for one that is void
}

// scribbling is what a method makes of the scribbles of one image.
type scribbling struct{ first, oracle, bound, spent float64 }

// Classes of the masks.
const (
	backgroundClass = 0
	foregroundClass = 1
)

// Run measures, prints and stores the figures.
func (c *Scribbles) Run(t *progress.Terminal) error {
	if err := cmp.Or(flags.AtLeast("--hypotheses", 1, c.Hypotheses), flags.Regions(c.Regions)); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	folders, err := filepath.Glob(filepath.Join(c.Data, "scribbles*"))
	if err != nil {
		return err
	}
	if len(folders) == 0 {
		return fmt.Errorf("%s has no folder whose name begins with scribbles", c.Data)
	}
	var rows []*scribbled
	for _, folder := range folders {
		for _, method := range c.Methods {
			rows = append(rows, &scribbled{Method: method, Scribbles: filepath.Base(folder), Hypotheses: c.Hypotheses, each: make([]*scribbling, len(list))})
		}
	}
	err = scene.Each(t, list, c.Regions, foregroundClass+1, func(i int, s *scene.Scene) error {
		for _, r := range rows {
			if err := c.try(t, r, s, i, list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.sum(); r.Images == 0 {
			return scene.AllVoid(c.Data, len(list))
		}
	}
	fmt.Fprintf(t.Out, "Wrong pixels among those without a scribble, void ignored: of the first hypothesis, of the best of %d, and of the best labelling of the superpixels.\n", c.Hypotheses)
	w := t.Table()
	fmt.Fprint(w, "scribbles\tmethod\timages\terror\toracle error\tsuperpixels alone\tms to first\t\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.2f %%\t%.2f %%\t%.2f %%\t%.2f\t\n", r.Scribbles, r.Method, r.Images,
			100*r.ErrorRate, 100*r.OracleError, 100*r.Bound, r.Milliseconds)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return c.Write(map[string]any{"results": rows})
}

// sum takes the means over the images.
func (r *scribbled) sum() {
	r.each = slices.DeleteFunc(r.each, func(s *scribbling) bool { return s == nil })
	r.Images = len(r.each)
	n := float64(r.Images)
	for _, s := range r.each {
		r.ErrorRate += s.first / n
		r.OracleError += s.oracle / n
		r.Bound += s.bound / n
		r.Milliseconds += s.spent / n
	}
}

// try measures a method on one image.
func (c *Scribbles) try(t *progress.Terminal, r *scribbled, s *scene.Scene, i int, p simulate.Picture) error {
	scribble, path, err := scribble(p, r.Scribbles, s)
	if err != nil {
		return err
	}
	clicks := make([]uint8, s.Regions.N)
	counts := make([][3]int, s.Regions.N)
	for at, v := range scribble {
		if v > 2 {
			return fmt.Errorf("%s: pixel (%d, %d) is %d, want 0 to 2", path, at%s.Regions.Width, at/s.Regions.Width, v)
		}
		counts[s.Regions.Labels[at]][v]++
	}
	for i, n := range counts {
		switch {
		case n[1] == 0 && n[2] == 0:
			clicks[i] = segment.Void
		case n[1] >= n[2]:
			clicks[i] = foregroundClass
		default:
			clicks[i] = backgroundClass
		}
	}
	play := simulate.InPlay(clicks, 0)
	if len(play.Classes) == 0 {
		return fmt.Errorf("%s has no scribble", path)
	}
	method := simulate.Method{Name: r.Method}
	hypotheses, err := method.Hypotheses(t.Ctx, &s.Scene, play, c.Hypotheses)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	start := time.Now() // what the methods share is made now
	if _, err := method.Hypotheses(t.Ctx, &s.Scene, play, 1); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	made := &scribbling{oracle: 1, spent: time.Since(start).Seconds() * 1000}
	truth, err := simulate.ReadMask(p.Mask(), s.Size())
	if err != nil {
		return err
	}
	made.first = wrong(s, truth, scribble, hypotheses[0])
	made.bound = wrong(s, truth, scribble, s.Majority)
	for _, x := range hypotheses {
		made.oracle = min(made.oracle, wrong(s, truth, scribble, x))
	}
	r.each[i] = made
	return nil
}

// scribble reads the scribbles of a picture.
func scribble(p simulate.Picture, folder string, s *scene.Scene) (pix []uint8, path string, err error) {
	for _, name := range []string{p.ID + ".png", p.ID + "-anno.png"} {
		path = filepath.Join(p.Dir, folder, name)
		if _, err = os.Stat(path); err == nil {
			pix, err = simulate.ReadMask(path, s.Size())
			return pix, path, err
		}
	}
	return nil, path, fmt.Errorf("%s has no scribbles for image %s: want %s.png or %s-anno.png", filepath.Join(p.Dir, folder), p.ID, p.ID, p.ID)
}

// wrong is the share of the pixels without a scribble that are wrong in x.
func wrong(s *scene.Scene, truth, scribble, x []uint8) float64 {
	bad, all := 0, 0
	for at, class := range truth {
		if class == segment.Void || scribble[at] != 0 {
			continue
		}
		all++
		if x[s.Regions.Labels[at]] != class {
			bad++
		}
	}
	return float64(bad) / float64(max(all, 1))
}
