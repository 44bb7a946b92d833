package herding_test

import (
	"context"
	"fmt"

	"collie/crf"
	"collie/herding"
)

// A classifier is sure of the ends of a chain of five superpixels and not of
// the middle; the last one was clicked, whatever the classifier says.
func ExampleSemantic() {
	scores := []float64{
		0.9, 0.1,
		0.6, 0.3,
		0.5, 0.45,
		0.4, 0.5,
		0.8, 0.2,
	}
	unary, err := herding.SemanticUnaries(scores, 2, herding.SigmoidOffset, herding.SigmoidSlope)
	if err != nil {
		fmt.Println(err)
		return
	}
	problem, err := herding.Semantic(&crf.Model{
		Nodes: 5, Labels: 2,
		Unary: unary,
		Fixed: []int16{-1, -1, -1, -1, 1},
		Edges: []crf.Edge{
			{A: 0, B: 1, W: herding.SemanticEdge(0.02)},
			{A: 1, B: 2, W: herding.SemanticEdge(0.05)},
			{A: 2, B: 3, W: herding.SemanticEdge(0.3)},
			{A: 3, B: 4, W: herding.SemanticEdge(0.01)},
		},
	}, herding.SimilarityBeforeWeight)
	if err != nil {
		fmt.Println(err)
		return
	}
	for h, err := range problem.Run(context.Background(), 4) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(h.Labels)
	}
	// Output:
	// [0 0 0 1 1]
	// [0 0 1 1 1]
	// [0 0 0 1 1]
	// [0 0 1 0 1]
}
