package diverse_test

import (
	"context"
	"fmt"

	"collie/crf"
	"collie/herding/diverse"
)

// The border between two clicks moves, and moves on until there is another.
func ExampleBoundary() {
	m := &crf.Model{
		Nodes: 6, Labels: 2, Fixed: []int16{0, -1, -1, -1, -1, 1},
		Unary: []float64{0, 0, 0.4, 0, 0.3, 0, 0, 0, 0, 0.2, 0, 0},
		Edges: []crf.Edge{{A: 0, B: 1, W: 0.5}, {A: 1, B: 2, W: 0.5}, {A: 2, B: 3, W: 0.1}, {A: 3, B: 4, W: 0.5}, {A: 4, B: 5, W: 0.5}},
	}
	for h, err := range (&diverse.Boundary{Model: m, Lambda: 0.5}).Run(context.Background(), 4) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(h.Labels)
	}
	// Output:
	// [0 0 0 1 1 1]
	// [0 0 0 0 1 1]
	// [0 0 0 1 1 1]
	// [0 0 1 0 0 1]
}
