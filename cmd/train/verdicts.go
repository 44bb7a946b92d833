package main

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"collie/segment/affinity"
	"collie/segment/affinity/fit"
)

// verdicts are a model's predictions for rows that it had not seen.
type verdicts struct {
	logits []float64
	same   []bool
}

func (v *verdicts) add(r *affinity.Regression, parts []*fit.Rows) {
	for _, p := range parts {
		p.Logits(r, func(logit float64, same bool) {
			v.logits, v.same = append(v.logits, logit), append(v.same, same)
		})
	}
}

// share of the rows whose regions have the same class.
func (v *verdicts) share() float64 {
	same := 0
	for _, s := range v.same {
		if s {
			same++
		}
	}
	return float64(same) / float64(len(v.same))
}

// auc is the probability that a row of one class has a larger logit than a row of
// two; ties count half.
func (v *verdicts) auc() float64 {
	order := v.order()
	area, below, same := 0.0, 0.0, 0.0
	for start := 0; start < len(order); {
		end, one, two := start, 0.0, 0.0
		for ; end < len(order) && v.logits[order[end]] == v.logits[order[start]]; end++ {
			if v.same[order[end]] {
				one++
			} else {
				two++
			}
		}
		area += one * (below + two/2)
		below += two
		same += one
		start = end
	}
	return area / (same * below)
}

// order sorts the rows by logit.
func (v *verdicts) order() []int {
	order := make([]int, len(v.logits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(v.logits[i], v.logits[j]), cmp.Compare(i, j)) })
	return order
}

func probability(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }

// loss is the mean of -ln of the probability of the right answer.
func (v *verdicts) loss() float64 {
	sum := 0.0
	for i, logit := range v.logits {
		if !v.same[i] {
			logit = -logit
		}
		sum += math.Log1p(math.Exp(-logit))
	}
	return sum / float64(len(v.logits))
}

// calibration compares predicted probabilities with what happened, in groups of
// equal size.
func (v *verdicts) calibration() plotter.XYs {
	const groups = 20
	order := v.order()
	var out plotter.XYs
	for g := range groups {
		group := order[g*len(order)/groups : (g+1)*len(order)/groups]
		if len(group) == 0 {
			continue
		}
		said, was := 0.0, 0.0
		for _, i := range group {
			said += probability(v.logits[i])
			if v.same[i] {
				was++
			}
		}
		n := float64(len(group))
		out = append(out, plotter.XY{X: said / n, Y: was / n})
	}
	return out
}

// calibrationError is the mean distance of the two.
func (v *verdicts) calibrationError() float64 {
	points := v.calibration()
	sum := 0.0
	for _, p := range points {
		sum += math.Abs(p.X - p.Y)
	}
	return sum / float64(len(points))
}

// draw writes the calibration to dir/NAME.svg and .png.
func (v *verdicts) draw(dir, name string) error {
	p := plot.New()
	p.Title.Text = "Calibration: " + name
	p.X.Label.Text, p.Y.Label.Text = "predicted probability of one class", "share that is of one class"
	ideal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return err
	}
	ideal.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	line, points, err := plotter.NewLinePoints(v.calibration())
	if err != nil {
		return err
	}
	p.Add(plotter.NewGrid(), ideal, line, points)
	for _, ext := range []string{".svg", ".png"} {
		if err := p.Save(12*vg.Centimeter, 12*vg.Centimeter, filepath.Join(dir, name+ext)); err != nil {
			return err
		}
	}
	return nil
}
