package ask_test

import (
	"context"
	"fmt"

	"collie/crf"
	"collie/herding"
	"collie/herding/ask"
)

// Three superpixels beside a click: the first is certain, the other two hang
// together, so the answer at one of them tells most.
func ExamplePerturbed() {
	p := &herding.Problem{Model: &crf.Model{
		Nodes: 4, Labels: 2, Fixed: []int16{0, -1, -1, -1},
		Unary: []float64{0, 0, 9, 0, 0.1, 0, 0, 0},
		Edges: []crf.Edge{{A: 0, B: 1, W: 1}, {A: 2, B: 3, W: 2}},
	}}
	ranked, err := ask.Perturbed{}.Rank(context.Background(), p, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range ranked[:2] {
		fmt.Println(c.Node)
	}
	// Output:
	// 2
	// 3
}
