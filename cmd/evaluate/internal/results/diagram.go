package results

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"collie/cmd/internal/progress"
)

// Diagram has lines of something over X: of the oracle's mean IoU where Y is empty.
type Diagram struct {
	X, Y  string
	names []string
	lines map[string]plotter.XYs
}

// Add adds a point to the line of a name.
func (d *Diagram) Add(name string, x, y float64) {
	if d.lines == nil {
		d.lines = map[string]plotter.XYs{}
	}
	if !slices.Contains(d.names, name) {
		d.names = append(d.names, name)
	}
	d.lines[name] = append(d.lines[name], plotter.XY{X: x, Y: y})
}

// Save writes the diagram to path.svg and path.png, unless it has no line of at
// least two points.
func (d *Diagram) Save(path string) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = d.X, cmp.Or(d.Y, "oracle mean IoU (%)")
	p.Add(plotter.NewGrid())
	some := false
	for i, name := range d.names {
		line := d.lines[name]
		slices.SortFunc(line, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		l, s, err := plotter.NewLinePoints(line)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		some = some || len(line) > 1
		l.Color, s.Color = plotutil.Color(i), plotutil.Color(i)
		l.Dashes, s.Shape = plotutil.Dashes(i), plotutil.Shape(i)
		p.Add(l, s)
		p.Legend.Add(name, l, s)
	}
	if !some {
		return nil
	}
	for _, ext := range []string{".svg", ".png"} {
		if err := savePlot(p, path+ext); err != nil {
			return fmt.Errorf("%s: %w", path+ext, err)
		}
	}
	return nil
}

// savePlot writes a plot with its legend on the right, where it hides no line.
func savePlot(p *plot.Plot, path string) error {
	canvas, err := draw.NewFormattedCanvas(24*vg.Centimeter, 14*vg.Centimeter, filepath.Ext(path)[1:])
	if err != nil {
		return err
	}
	page, lines, legend := draw.New(canvas), *p, p.Legend
	legend.Top, lines.Legend = true, plot.NewLegend()
	lines.Draw(draw.Crop(page, 0, -legend.Rectangle(page).Size().X-vg.Centimeter/2, 0, 0))
	legend.Draw(page)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	return progress.WriteResult(path, b.Bytes())
}
