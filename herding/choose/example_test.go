package choose_test

import (
	"fmt"

	"collie/crf"
	"collie/herding"
	"collie/herding/choose"
)

// Two of three labellings agree on most of the area, so one of them is marked.
func ExampleEMBR() {
	p := &herding.Problem{
		Model: &crf.Model{Nodes: 4, Labels: 2, Unary: []float64{0, 1, 0, 0, 0, 0, 1, 0}},
		Area:  []float64{1, 2, 3, 4},
	}
	xs := [][]uint8{{1, 1, 1, 1}, {1, 0, 0, 0}, {1, 1, 0, 0}}
	order, _, err := choose.EMBR{}.Choose(p, xs)
	fmt.Println(order, err)
	fmt.Println(choose.AreaRanges(xs, 2, p.Shares(), 0)[1])
	// Output:
	// [2 1 0] <nil>
	// {0.1 1}
}
