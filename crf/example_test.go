package crf_test

import (
	"fmt"

	"collie/crf"
)

// A chain of five nodes: both ends are clicked, and a weak edge lies between
// the third and the fourth node.
func ExampleSolver() {
	m := &crf.Model{
		Nodes: 5, Labels: 2,
		Unary: make([]float64, 5*2), // all missing
		Fixed: []int16{0, -1, -1, -1, 1},
		Edges: []crf.Edge{{A: 0, B: 1, W: 1}, {A: 1, B: 2, W: 1}, {A: 2, B: 3, W: 0.1}, {A: 3, B: 4, W: 1}},
	}
	if err := m.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	r := crf.NewSolver(m, crf.Options{}).Solve(nil)
	fmt.Println(r.Labels, r.Energy, r.Optimal)
	// Output: [0 0 0 1 1] 3 true
}
