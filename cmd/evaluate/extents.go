package main

import (
	"cmp"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"collie/segment"
	"collie/segment/assistant"
	"collie/segment/engine"
	"collie/segment/simulate"
	"collie/superpixels"
)

type extentsCommand struct {
	output
	Data    string  `required:"" type:"path" placeholder:"DIR" help:"Folder with images/ID.jpg or .png and masks/ID.png of classes; the object of an image is the largest connected part of a class."`
	Limit   int     `placeholder:"N" help:"Use the first N images only."`
	Regions int     `default:"600" help:"Superpixels of an image."`
	Folds   int     `default:"4" help:"Parts of the cross-validation."`
	Ridge   float64 `default:"0.03" help:"Penalty on the weights of standardized features."`
}

// choice is what a first click can mean in one image, and how good each meaning is.
type choice struct {
	model   *engine.Model
	extents []engine.Extent
	iou     []float64
}

// Run measures and prints.
func (c *extentsCommand) Run(t *terminal) error {
	if err := cmp.Or(atLeast("--folds", 2, c.Folds), atLeast("--regions", 1, c.Regions), positive("--ridge", c.Ridge)); err != nil {
		return err
	}
	list, err := simulate.Labelled(c.Data, c.Limit)
	if err != nil {
		return err
	}
	all := make([]choice, len(list))
	err = t.Each("", len(list), func(i int) (err error) {
		all[i], err = c.open(list[i])
		return err
	})
	if err != nil {
		return err
	}
	objects := 0.0
	for _, x := range all {
		if len(x.extents) > 0 {
			objects++
		}
	}
	if objects == 0 {
		return fmt.Errorf("--data %s: no image has an object, which is a part of a class other than 0", c.Data)
	}
	rows := map[string]qualities{"weights of the program": {}, "fitted to the other folds": {}}
	for fold := range c.Folds {
		var train, test []choice
		for i, x := range all {
			if i%c.Folds == fold {
				test = append(test, x)
			} else {
				train = append(train, x)
			}
		}
		for name, weights := range map[string]engine.Features{"weights of the program": engine.ExtentWeights, "fitted to the other folds": c.fit(train)} {
			q := rows[name]
			for _, x := range test {
				q.add(x, weights, objects)
			}
			rows[name] = q
		}
	}
	w := t.Table()
	fmt.Fprintf(w, "IoU after one click, %.0f objects\tfirst\tbest of 3\tbest of 20\t\n", objects)
	for _, name := range []string{"weights of the program", "fitted to the other folds"} {
		q := rows[name]
		fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\t\n", name, q.First, q.Best3, q.Best20)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	weights := c.fit(all)
	fmt.Fprintf(t.Out, "Fitted to all: %.4f\n", weights)
	return c.write(map[string]any{"objects": objects, "results": rows, "weights": weights})
}

// open makes the first click on the object of an image.
func (c *extentsCommand) open(p simulate.Picture) (x choice, err error) {
	img, err := p.Load()
	if err != nil {
		return x, err
	}
	mask, err := simulate.ReadMask(p.Mask(), img.Rect.Size())
	if err != nil {
		return x, err
	}
	object := simulate.Largest(img.Rect.Size(), mask)
	if object == nil {
		return x, nil
	}
	hierarchy, graph := superpixels.Divide(img, finestFactor*c.Regions)
	a := &assistant.Assistant{Hierarchy: hierarchy, Cells: graph, Parameters: engine.DefaultParameters}
	cells := hierarchy.Runs()
	timeline := a.Timeline(cells, c.Regions)
	hand := simulate.Hand{Object: object}
	at, ok := hand.Next(make([]uint8, len(object.Mask)))
	if !ok {
		return x, nil
	}
	timeline.Apply(segment.Event{ID: "first", Kind: segment.Click, Class: simulate.Thing, Points: [][2]float64{{float64(at.X), float64(at.Y)}}})
	cut := timeline.Cut()
	x.model = a.Model(cut, nil)
	table := (&segment.Project{Classes: []segment.Class{{ID: simulate.Rest}, {ID: simulate.Thing}}}).Resolve()
	x.extents, err = x.model.Extents(a.Evidence(timeline, x.model, table, segment.Rest{Mode: segment.RestClass, Class: simulate.Rest}))
	if err != nil {
		return x, err
	}
	truth, err := simulate.Cover(cells.Coarsen(cut.Parent, cut.N).Map(), object.Mask, 2)
	if err != nil {
		return x, err
	}
	for _, e := range x.extents {
		labels := make([]uint8, cut.N)
		for i, in := range e.Mask {
			if in {
				labels[i] = simulate.Thing
			}
		}
		x.iou = append(x.iou, simulate.ObjectIoU(truth, labels))
	}
	return x, nil
}

// add adds how good the first extents are that weights choose, to a mean over objects.
func (q *qualities) add(x choice, weights engine.Features, objects float64) {
	if len(x.extents) == 0 {
		return
	}
	var first, best3, best20 float64
	for rank, i := range x.model.Rank(x.extents, weights) {
		if rank == 0 {
			first = x.iou[i]
		}
		if rank < 3 {
			best3 = max(best3, x.iou[i])
		}
		if rank < 20 {
			best20 = max(best20, x.iou[i])
		}
	}
	q.First, q.Best3, q.Best20 = q.First+first/objects, q.Best3+best3/objects, q.Best20+best20/objects
}

// fit returns the weights of a linear score of the IoU, by ridge regression on
// standardized features in which each image counts the same.
func (c *extentsCommand) fit(choices []choice) (weights engine.Features) {
	const n = len(weights)
	var total float64
	var mean, spread [n]float64
	each := func(visit func(f *engine.Features, iou, share float64)) {
		for _, x := range choices {
			for i := range x.extents {
				visit(&x.extents[i].Features, x.iou[i], 1/float64(len(x.extents)))
			}
		}
	}
	level := 0.0
	each(func(f *engine.Features, iou, share float64) {
		total += share
		level += share * iou
		for j, v := range f {
			mean[j] += share * v
			spread[j] += share * v * v
		}
	})
	level /= total
	for j := range n {
		mean[j] /= total
		spread[j] = max(1e-12, spread[j]/total-mean[j]*mean[j])
	}
	square, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	each(func(f *engine.Features, iou, share float64) {
		for j := range n {
			z := (f[j] - mean[j]) * share / total
			right.SetVec(j, right.AtVec(j)+z*(iou-level))
			for k := range j + 1 {
				square.SetSym(j, k, square.At(j, k)+z*(f[k]-mean[k]))
			}
		}
	})
	for j := range n {
		square.SetSym(j, j, square.At(j, j)+c.Ridge*spread[j])
	}
	var solution mat.VecDense
	var factor mat.Cholesky
	if !factor.Factorize(square) {
		return weights
	}
	if err := factor.SolveVecTo(&solution, right); err != nil {
		return weights
	}
	for j := range n {
		weights[j] = solution.AtVec(j)
	}
	return weights
}
