package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"collie/cmd/internal/stats"
	"collie/segment"
	"collie/segment/simulate"
)

type scribblesCommand struct {
	output
	Data       string   `required:"" type:"path" placeholder:"DIR" help:"Folder with images/, masks/ (0 background, 1 foreground, 255 void) and one or several folders scribbles*/ID.png or ID-anno.png (0 none, 1 foreground, 2 background)."`
	Limit      int      `placeholder:"N" help:"Use the first N images only."`
	Methods    []string `default:"random-walker,herding-harmonic" enum:"map,divmbest,herding-paper,herding-harmonic,random-walker,label-bias" help:"${enum}."`
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

	first, oracle, bound, spent []float64 // per image
}

// Classes of the masks.
const (
	backgroundClass = 0
	foregroundClass = 1
)

// Run measures, prints and stores the figures.
func (c *scribblesCommand) Run(t *terminal) error {
	if err := cmp.Or(atLeast("--hypotheses", 1, c.Hypotheses), atLeast("--regions", 1, c.Regions)); err != nil {
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
			r := &scribbled{Method: method, Scribbles: filepath.Base(folder), Hypotheses: c.Hypotheses, Images: len(list)}
			for _, v := range []*[]float64{&r.first, &r.oracle, &r.bound, &r.spent} {
				*v = make([]float64, len(list))
			}
			rows = append(rows, r)
		}
	}
	err = t.Each("", len(list), func(i int) error {
		s, err := open(list[i], c.Regions, foregroundClass+1)
		if err != nil {
			return err
		}
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
	w := t.Table()
	fmt.Fprint(w, "scribbles\tmethod\timages\terror\toracle error\tsuperpixels alone\tms to first\t\n")
	for _, r := range rows {
		r.ErrorRate, _ = stats.MeanAndSpread(r.first)
		r.OracleError, _ = stats.MeanAndSpread(r.oracle)
		r.Bound, _ = stats.MeanAndSpread(r.bound)
		r.Milliseconds, _ = stats.MeanAndSpread(r.spent)
		fmt.Fprintf(w, "%s\t%s\t%d\t%.2f %%\t%.2f %%\t%.2f %%\t%.2f\t\n", r.Scribbles, r.Method, r.Images,
			100*r.ErrorRate, 100*r.OracleError, 100*r.Bound, r.Milliseconds)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return c.write(map[string]any{"results": rows})
}

// try measures a method on one image.
func (c *scribblesCommand) try(t *terminal, r *scribbled, s *scene, i int, p simulate.Picture) error {
	scribble, path, err := scribble(p, r.Scribbles, s)
	if err != nil {
		return err
	}
	clicks := make([]uint8, s.regions.N)
	counts := make([][3]int, s.regions.N)
	for at, v := range scribble {
		if v > 2 {
			return fmt.Errorf("%s: pixel (%d, %d) is %d, want 0 to 2", path, at%s.regions.Width, at/s.regions.Width, v)
		}
		counts[s.regions.Labels[at]][v]++
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
	r.spent[i] = time.Since(start).Seconds() * 1000
	truth, err := simulate.ReadMask(p.Mask(), s.size())
	if err != nil {
		return err
	}
	r.first[i] = wrong(s, truth, scribble, hypotheses[0])
	r.bound[i] = wrong(s, truth, scribble, s.majority)
	r.oracle[i] = 1
	for _, x := range hypotheses {
		r.oracle[i] = min(r.oracle[i], wrong(s, truth, scribble, x))
	}
	return nil
}

// scribble reads the scribbles of a picture.
func scribble(p simulate.Picture, folder string, s *scene) (pix []uint8, path string, err error) {
	for _, name := range []string{p.ID + ".png", p.ID + "-anno.png"} {
		path = filepath.Join(p.Dir, folder, name)
		if _, err = os.Stat(path); err == nil {
			pix, err = simulate.ReadMask(path, s.size())
			return pix, path, err
		}
	}
	return nil, path, fmt.Errorf("%s has no scribbles for image %s: want %s.png or %s-anno.png", filepath.Join(p.Dir, folder), p.ID, p.ID, p.ID)
}

// wrong is the share of the pixels without a scribble that are wrong in x.
func wrong(s *scene, truth, scribble, x []uint8) float64 {
	bad, all := 0, 0
	for at, class := range truth {
		if class == segment.Void || scribble[at] != 0 {
			continue
		}
		all++
		if x[s.regions.Labels[at]] != class {
			bad++
		}
	}
	return float64(bad) / float64(max(all, 1))
}
