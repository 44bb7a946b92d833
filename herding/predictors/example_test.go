package predictors_test

import (
	"context"
	"fmt"

	"collie/crf"
	"collie/herding"
	"collie/herding/predictors"
)

// row is a row of six superpixels between two clicks; the marginals of the
// regions, of three superpixels each, contradict what the unaries say of two.
func row() (p *herding.Problem, group []int32) {
	m := &crf.Model{
		Nodes: 6, Labels: 2, Fixed: []int16{0, -1, -1, -1, -1, 1},
		Unary: []float64{0, 0, 1, 0, 0, 1.2, 1.2, 0, 0, 1, 0, 0},
		Edges: []crf.Edge{{A: 0, B: 1, W: 0.2}, {A: 1, B: 2, W: 0.2}, {A: 2, B: 3, W: 0.1}, {A: 3, B: 4, W: 0.2}, {A: 4, B: 5, W: 0.2}},
	}
	marginals := []float64{1, 0, 0.9, 0.1, 0.6, 0.4, 0.4, 0.6, 0.1, 0.9, 0, 1}
	return &herding.Problem{Model: m, UnaryMoments: marginals}, []int32{0, 0, 0, 1, 1, 1}
}

// The problem's own labelling first, then that of each predictor.
func ExampleSource() {
	p, group := row()
	across := predictors.Weights{Unary: 1, Within: 1, Across: 30}
	regional := predictors.Weights{Unary: 0.2, Region: 1, Within: 1, Across: 1}
	source := &predictors.Source{Problem: p, Group: group, Predictors: []predictors.Weights{across, regional}}
	for h, err := range source.Run(context.Background(), 3) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(h.Labels)
	}
	// Output:
	// [0 0 1 0 1 1]
	// [0 0 1 1 1 1]
	// [0 0 0 1 1 1]
}

// One predictor learns from a labelled problem to trust the marginals of its
// regions: the objective before training and after each round, then the weights.
func ExampleLearn() {
	p, group := row()
	truth := []uint8{0, 0, 0, 1, 1, 1}
	examples := []predictors.Example{{Problem: p, Group: group, Truth: truth}}
	learned, objective, err := predictors.Learn(context.Background(), examples, 1, predictors.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n%+.2f\n", objective, learned)
	for h, err := range (&predictors.Source{Problem: p, Group: group, Predictors: learned}).Run(context.Background(), 2) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(h.Labels)
	}
	// Output:
	// [0.14 0.01 0.01]
	// [{+0.85 +1.19 +0.00 +1.03 +1.00}]
	// [0 0 1 0 1 1]
	// [0 0 0 1 1 1]
}
