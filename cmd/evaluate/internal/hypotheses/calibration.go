package hypotheses

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/evaluate/internal/scene"
	"collie/cmd/internal/progress"
	"collie/segment"
	"collie/segment/engine"
	"collie/segment/simulate"
)

// Calibration compares where hypotheses disagree with where they are wrong.
type Calibration struct {
	flags.Images
	results.Output
	Fit        string `type:"path" placeholder:"DIR" help:"Folder of other images, to fit the line that predicts how much is wrong from how much is in doubt."`
	After      []int  `default:"1,2,3,5,10,20" help:"Clicks of the simulated annotator after which the hypotheses are looked at."`
	Hypotheses int    `default:"20" help:"Hypotheses that are compared."`
	Regions    int    `default:"600" help:"Superpixels of an image."`
	Curves     string `type:"path" placeholder:"DIR" help:"Draw the figures into this folder, as SVG and PNG."`
}

func (c *Calibration) check() error {
	return cmp.Or(
		flags.AtLeast("--after", 1, c.After...), flags.Regions(c.Regions), c.CheckClasses(1),
		flags.Within("--hypotheses", 2, engine.MaxHypotheses, c.Hypotheses), // one alone is never in doubt
		c.Apart("--fit", c.Fit),
	)
}

// doubts collects what the hypotheses of some images say, and what is true.
type doubts struct {
	looks []doubt
	votes []vote // by how many hypotheses of c.Hypotheses have a class
}

// doubt is one look at an image: the shares of its area on which the hypotheses
// disagree, and on which what most of them say is wrong; and the mean IoU of the
// first hypothesis.
type doubt struct{ Disagree, Wrong, MeanIoU float64 }

// vote is the area to which so many hypotheses gave a class, and the part of it that
// has the class.
type vote struct{ Area, Right float64 }

// calibration is what is printed and stored.
type calibration struct {
	Images    int       `json:"images"`
	Looks     int       `json:"looks"`
	Disagree  float64   `json:"disagree"` // means over the looks
	Wrong     float64   `json:"wrong"`
	Error     float64   `json:"error"`      // mean of |wrong − disagree|
	Line      []float64 `json:"line"`       // wrong ≈ line[0] + line[1]·disagree; empty without --fit
	LineError float64   `json:"line_error"` // the same mean with it
	Areas     []bin     `json:"areas"`      // looks by how much is in doubt, as many in each
	Votes     []bin     `json:"votes"`      // by the share of hypotheses with a class
	Expected  float64   `json:"expected_calibration_error"`
	Done      []done    `json:"done"` // by how little is in doubt
}

// done is how many looks have no more in doubt, and how many of them are good
// enough: the mean IoU of the first hypothesis is at least goodEnough.
type done struct {
	UpTo  float64 `json:"up_to"`
	Share float64 `json:"share"`
	Good  float64 `json:"good"`
}

const goodEnough = 0.85

// doneAt are the shares of an image in doubt that Done looks at.
var doneAt = []float64{0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.15, 0.2, 1}

// bin is a mean of what was said, a mean of what was true, and how much fell in it.
type bin struct {
	Said  float64 `json:"said"`
	True  float64 `json:"true"`
	Share float64 `json:"share"`
}

// Run measures, prints and stores the figures.
func (c *Calibration) Run(t *progress.Terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := progress.ResultFolder("--curves", c.Curves); err != nil {
		return err
	}
	if _, err := simulate.Labelled(c.Data, c.Limit); err != nil {
		return err // before the other folder takes its time
	}
	var line []float64
	if c.Fit != "" {
		others, _, err := c.look(t, c.Fit)
		if err != nil {
			return err
		}
		line = lineThrough(others.looks)
	}
	seen, images, err := c.look(t, c.Data)
	if err != nil {
		return err
	}
	result := seen.calibration(images, line)
	c.print(t, result)
	if err := c.Write(map[string]any{"results": []calibration{result}}); err != nil || c.Curves == "" {
		return err
	}
	return result.draw(c.Curves)
}

// look has the simulated annotator work on the images of a folder.
func (c *Calibration) look(t *progress.Terminal, folder string) (*doubts, int, error) {
	list, err := simulate.Labelled(folder, c.Limit)
	if err != nil {
		return nil, 0, err
	}
	each := make([]doubts, len(list))
	err = scene.Each(t, list, c.Regions, c.Classes, func(i int, s *scene.Scene) error {
		each[i].votes = make([]vote, c.Hypotheses+1)
		return c.annotate(t.Ctx, s, &each[i])
	})
	if err != nil {
		return nil, 0, err
	}
	all := &doubts{votes: make([]vote, c.Hypotheses+1)}
	for _, d := range each {
		all.looks = append(all.looks, d.looks...)
		for n, v := range d.votes {
			all.votes[n].Area += v.Area
			all.votes[n].Right += v.Right
		}
	}
	if len(all.looks) == 0 {
		return nil, 0, fmt.Errorf("%s: no image has anything to click, because all of them are class 0 or void", folder)
	}
	return all, len(list), nil
}

// annotate clicks in the middle of the largest error of the first hypothesis, and
// notes what all of them say.
func (c *Calibration) annotate(ctx context.Context, s *scene.Scene, d *doubts) error {
	rest := segment.Rest{Mode: segment.RestClass}
	method := simulate.Method{Name: "herding-harmonic", Rest: rest}
	annotator := simulate.Annotator{Scene: &s.Scene, Majority: s.Majority}
	clicks := slices.Repeat([]uint8{segment.Void}, len(s.Majority))
	shown := make([]uint8, len(s.Majority)) // class 0, the rest
	for n := 1; n <= slices.Max(c.After); n++ {
		at := annotator.Next(shown)
		if at < 0 {
			return nil
		}
		clicks[at] = s.Majority[at]
		terms := s.Clicks(clicks)
		terms.Shown, terms.Last = shown, at
		count := 1
		if slices.Contains(c.After, n) {
			count = c.Hypotheses
		}
		hypotheses, err := method.Hypotheses(ctx, &s.Scene, terms, count)
		if err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		shown = hypotheses[0]
		if len(hypotheses) == c.Hypotheses { // fewer: all is the rest
			d.note(s.Truth, hypotheses, c.Hypotheses)
		}
	}
	return nil
}

// note compares hypotheses with the truth; void pixels count for nothing.
func (d *doubts) note(truth simulate.Truth, hypotheses [][]uint8, count int) {
	k := truth.Labels
	total, disagree, wrong := 0.0, 0.0, 0.0
	votes := make([]int, k)
	for i := range hypotheses[0] {
		clear(votes)
		for _, h := range hypotheses {
			votes[h[i]]++
		}
		area, most := 0.0, 0
		for class, n := range votes {
			area += truth.Area[i*k+class]
			if n > votes[most] {
				most = class
			}
		}
		total += area
		disagree += area * (1 - float64(votes[most])/float64(count))
		wrong += area - truth.Area[i*k+most]
		for class, n := range votes {
			if n > 0 {
				d.votes[n].Area += area
				d.votes[n].Right += truth.Area[i*k+class]
			}
		}
	}
	if total > 0 {
		d.looks = append(d.looks, doubt{disagree / total, wrong / total, simulate.MeanIoU(truth, hypotheses[0])})
	}
}

// lineThrough fits wrong = a + b·disagree by least squares.
func lineThrough(looks []doubt) []float64 {
	var n, x, y, xx, xy float64
	for _, l := range looks {
		n, x, y, xx, xy = n+1, x+l.Disagree, y+l.Wrong, xx+l.Disagree*l.Disagree, xy+l.Disagree*l.Wrong
	}
	slope := 0.0
	if spread := n*xx - x*x; spread > 0 {
		slope = (n*xy - x*y) / spread
	}
	return []float64{(y - slope*x) / n, slope}
}

// areaBins is the number of bins for looks.
const areaBins = 10

func (d *doubts) calibration(images int, line []float64) calibration {
	out := calibration{Images: images, Looks: len(d.looks), Line: line}
	n := float64(len(d.looks))
	for _, l := range d.looks {
		out.Disagree += l.Disagree / n
		out.Wrong += l.Wrong / n
		out.Error += math.Abs(l.Wrong-l.Disagree) / n
		if line != nil {
			out.LineError += math.Abs(l.Wrong-line[0]-line[1]*l.Disagree) / n
		}
	}
	slices.SortStableFunc(d.looks, func(a, b doubt) int { return cmp.Compare(a.Disagree, b.Disagree) })
	for i := range areaBins {
		part := d.looks[i*len(d.looks)/areaBins : (i+1)*len(d.looks)/areaBins]
		var b bin
		for _, l := range part {
			b.Said += l.Disagree / float64(len(part))
			b.True += l.Wrong / float64(len(part))
		}
		if len(part) > 0 {
			b.Share = float64(len(part)) / n
			out.Areas = append(out.Areas, b)
		}
	}
	for _, most := range doneAt {
		at := done{UpTo: most}
		for _, l := range d.looks {
			if l.Disagree <= most {
				at.Share++
				if l.MeanIoU >= goodEnough {
					at.Good++
				}
			}
		}
		at.Good /= max(at.Share, 1)
		at.Share /= max(n, 1)
		out.Done = append(out.Done, at)
	}
	total := 0.0
	for _, v := range d.votes {
		total += v.Area
	}
	for count, v := range d.votes {
		if v.Area == 0 {
			continue
		}
		b := bin{float64(count) / float64(len(d.votes)-1), v.Right / v.Area, v.Area / total}
		out.Votes = append(out.Votes, b)
		out.Expected += b.Share * math.Abs(b.Said-b.True)
	}
	return out
}

func (c *Calibration) print(t *progress.Terminal, r calibration) {
	fmt.Fprintf(t.Out, "%s at %s. On average the hypotheses disagree on %.1f %% of the image and most of them are wrong on %.1f %%; the two are %.1f points apart.\n",
		segment.Counted(r.Looks, "look"), segment.Counted(r.Images, "image"), 100*r.Disagree, 100*r.Wrong, 100*r.Error)
	if r.Line != nil {
		fmt.Fprintf(t.Out, "Fitted to %s, wrong = %.3f + %.3f · disagree, which is %.1f points off.\n", filepath.Base(c.Fit), r.Line[0], r.Line[1], 100*r.LineError)
	}
	fmt.Fprintf(t.Out, "A class that a share of the hypotheses gives a superpixel is right for another share of its area; the expected calibration error is %.1f points.\n", 100*r.Expected)
	w := t.Table()
	fmt.Fprintf(w, "disagree on up to\tof the looks\tmean IoU of the first at least %.0f %%\t\n", 100*goodEnough)
	for _, d := range r.Done {
		fmt.Fprintf(w, "%.0f %%\t%.0f %%\t%.0f %%\t\n", 100*d.UpTo, 100*d.Share, 100*d.Good)
	}
	w.Flush()
	fmt.Fprintln(t.Out, "\nLooks in the order of the share of the image on which the hypotheses disagree, equally many in each row:")
	fmt.Fprint(w, "disagree on\twrong on\t\n")
	for _, b := range r.Areas {
		fmt.Fprintf(w, "%.1f %%\t%.1f %%\t\n", 100*b.Said, 100*b.True)
	}
	w.Flush()
	fmt.Fprintln(t.Out, "\nClasses of superpixels by the share of the hypotheses that gives them, and where they are right:")
	fmt.Fprint(w, "of the hypotheses\tright\tof the area\t\n")
	for _, b := range r.Votes {
		fmt.Fprintf(w, "%.0f %%\t%.1f %%\t%.1f %%\t\n", 100*b.Said, 100*b.True, 100*b.Share)
	}
	w.Flush()
}

// draw writes both comparisons as SVG and PNG files.
func (r calibration) draw(dir string) error {
	area := &results.Diagram{X: "hypotheses disagree on (% of the image)", Y: "most of them are wrong on (% of the image)"}
	for _, b := range r.Areas {
		area.Add("measured", 100*b.Said, 100*b.True)
		area.Add("perfect", 100*b.Said, 100*b.Said)
		if r.Line != nil {
			area.Add("fitted to other images", 100*b.Said, 100*(r.Line[0]+r.Line[1]*b.Said))
		}
	}
	if err := area.Save(filepath.Join(dir, "calibration-area")); err != nil {
		return err
	}
	votes := &results.Diagram{X: "hypotheses with the class (%)", Y: "area that has the class (%)"}
	for _, b := range r.Votes {
		votes.Add("measured", 100*b.Said, 100*b.True)
		votes.Add("perfect", 100*b.Said, 100*b.Said)
	}
	return votes.Save(filepath.Join(dir, "calibration-votes"))
}
