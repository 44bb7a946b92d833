package sample_test

import (
	"context"
	"fmt"

	"collie/crf"
	"collie/herding/sample"
)

// row is a row of six superpixels between two clicks, with a weaker edge in the middle.
func row() *crf.Model {
	return &crf.Model{
		Nodes: 6, Labels: 2, Fixed: []int16{0, -1, -1, -1, -1, 1}, Unary: make([]float64, 12),
		Edges: []crf.Edge{{A: 0, B: 1, W: 2}, {A: 1, B: 2, W: 2}, {A: 2, B: 3, W: 1}, {A: 3, B: 4, W: 2}, {A: 4, B: 5, W: 2}},
	}
}

// How often is a superpixel of class 1? Samples of the model answer any such
// question; the shares of the labels are only the simplest one.
func ExampleChain() {
	chain := &sample.Chain{Model: row(), Kernels: []sample.Kernel{sample.Sites, sample.Clusters}, Seed: 1}
	const samples = 2000
	ones := make([]float64, 6)
	for h, err := range chain.Run(context.Background(), samples) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for i, l := range h.Labels {
			ones[i] += float64(l) / samples
		}
	}
	fmt.Printf("%.1f\n", ones)
	// Output:
	// [0.0 0.2 0.3 0.7 0.8 1.0]
}

// The superpixels of either half share their noise, so that a half changes as a
// whole; noise per superpixel (Temperature) would scatter specks.
func ExamplePerturb() {
	source := &sample.Perturb{Model: row(), Levels: []sample.Level{{Weight: 0.7}, {Group: []int32{0, 0, 0, 1, 1, 1}, Weight: 0.7}}, Seed: 2}
	seen := map[string]bool{}
	for h, err := range source.Run(context.Background(), 20) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if key := fmt.Sprint(h.Labels); !seen[key] {
			seen[key] = true
			fmt.Printf("%v energy %.1f\n", h.Labels, h.Energy)
		}
	}
	// Output:
	// [0 0 0 1 1 1] energy 8.0
	// [0 0 0 0 0 1] energy 7.0
	// [0 1 1 1 1 1] energy 7.0
	// [0 1 1 0 0 1] energy 4.0
}
