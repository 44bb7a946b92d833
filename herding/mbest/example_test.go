package mbest_test

import (
	"context"
	"fmt"

	"collie/crf"
	"collie/herding/mbest"
)

// The best labellings of a triangle with an edge that repels. On such cycles bounds
// are not always tight: these are the best three, and the first is proved to be.
func ExampleBMMF() {
	m := &crf.Model{
		Nodes: 3, Labels: 3, Unary: []float64{1, 0, 0, 0, 0.6, 0, 0, 0, 0.1},
		Edges: []crf.Edge{{A: 0, B: 1, W: 0.75}, {A: 1, B: 2, W: 0.5}, {A: 0, B: 2, W: -0.25}},
	}
	for h, err := range (&mbest.BMMF{Model: m, Bounds: true}).Run(context.Background(), 3) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v %.2f %v\n", h.Labels, h.Energy, h.Optimal)
	}
	// Output:
	// [0 1 1] 2.10 true
	// [0 0 0] 2.00 false
	// [0 0 2] 1.85 false
}
