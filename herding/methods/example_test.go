package methods_test

import (
	"context"
	"fmt"

	"collie/crf"
	"collie/herding"
	"collie/herding/diverse"
	"collie/herding/methods"
)

// chain is a row of six superpixels between two clicks.
func chain() *herding.Problem {
	m := &crf.Model{
		Nodes: 6, Labels: 2, Fixed: []int16{0, -1, -1, -1, -1, 1},
		Unary: []float64{0, 0, 0.4, 0, 0.2, 0, 0, 0, 0, 0.2, 0, 0},
		Edges: []crf.Edge{{A: 0, B: 1, W: 0.5}, {A: 1, B: 2, W: 0.5}, {A: 2, B: 3, W: 0.1}, {A: 3, B: 4, W: 0.5}, {A: 4, B: 5, W: 0.5}},
	}
	return &herding.Problem{Model: m}
}

// The joint labellings of two classes are nested and exact, by falling energy.
func ExampleNew() {
	source, err := methods.New("joint", chain(), methods.Options{Strength: 0.2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for h, err := range source.Run(context.Background(), 3) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v %.1f\n", h.Labels, h.Energy)
	}
	_, err = methods.New("modes", chain(), methods.Options{Depth: 4})
	fmt.Println(err)
	// Output:
	// [0 0 0 1 1 1] 2.8
	// [0 0 0 1 1 1] 2.8
	// [0 0 0 0 0 1] 2.2
	// modes: herding: out of range: depth 4, want 0 to 3
}

// What if superpixel 3 were of class 0? And superpixel 4 with it?
func ExampleNew_region() {
	p := chain()
	best := crf.NewSolver(p.Model, crf.Options{}).Solve(nil)
	alternatives, err := diverse.NewAlternatives(p.Model, crf.Options{}, best.Labels, []int32{3, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	for a, ok := alternatives.Next(); ok; a, ok = alternatives.Next() {
		fmt.Printf("class %d: %v changes %v, energy %+.1f\n", a.Label, a.Labels, a.Changed, a.Gain)
	}
	// Output:
	// class 0: [0 0 0 0 0 1] changes [3 4], energy -0.6
}
