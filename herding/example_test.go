package herding_test

import (
	"context"
	"fmt"

	"collie/crf"
	"collie/herding"
)

// A chain of seven superpixels whose ends are clicked; the border is most
// visible between the third and the fourth. The random walker's probabilities
// become unaries and moments, and the hypotheses move the border to where it
// is in doubt.
func ExamplePosterior() {
	conductances := []crf.Edge{{A: 0, B: 1, W: 1}, {A: 1, B: 2, W: 1}, {A: 2, B: 3, W: 0.3}, {A: 3, B: 4, W: 1}, {A: 4, B: 5, W: 1}, {A: 5, B: 6, W: 1}}
	clicks := []int16{0, -1, -1, -1, -1, -1, 1}
	walker, err := herding.NewHarmonic(len(clicks), conductances)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := walker.Solve(nil, 2, clicks, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	problem, err := herding.Posterior(p, 2, clicks, conductances, herding.PosteriorOptions{EtaUnary: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for h, err := range problem.Run(context.Background(), 4) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d %v %.2f\n", h.Rank, h.Labels, h.Energy)
	}
	// Output:
	// 0 [0 0 0 1 1 1 1] 3.75
	// 1 [0 0 0 0 1 1 1] 2.47
	// 2 [0 0 1 1 1 1 1] 1.90
	// 3 [0 0 0 0 0 1 1] 1.32
}

// DivMBest lowers the unary of each chosen label after every step.
func ExampleDivMBest() {
	m := &crf.Model{
		Nodes: 4, Labels: 2,
		Unary: make([]float64, 8),
		Fixed: []int16{0, -1, -1, 1},
		Edges: []crf.Edge{{A: 0, B: 1, W: 0.3}, {A: 1, B: 2, W: 0.1}, {A: 2, B: 3, W: 0.25}},
	}
	for h, err := range herding.DivMBest(m, 0.15).Run(context.Background(), 4) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(h.Labels)
	}
	// Output:
	// [0 0 1 1]
	// [0 0 1 1]
	// [0 0 0 1]
	// [0 1 1 1]
}

// Two of three hypotheses say that node 0 is 1; nodes 1 and 2 go together.
func ExampleNextClicks() {
	hypotheses := [][]uint8{{1, 0, 0}, {1, 1, 1}, {0, 0, 0}}
	area := []float64{1, 5, 5}
	for _, c := range herding.NextClicks(hypotheses, 2, area, 0) {
		fmt.Printf("node %d saves %.2f\n", c.Node, c.Gain)
	}
	// Output:
	// node 1 saves 3.33
	// node 2 saves 3.33
	// node 0 saves 0.33
}
