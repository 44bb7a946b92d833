package herding

import (
	"context"
	"iter"
)

// Source streams labellings of a problem, the best one found first. Problem,
// LabelBias and the sources of the packages below herding are of this kind.
type Source interface {
	// Run streams up to count hypotheses, ranked from 0. It looks at the
	// context before each of them, yields its error once and stops, as it does
	// with an error of the problem's.
	Run(ctx context.Context, count int) iter.Seq2[Hypothesis, error]
}

// Choice judges a set of labellings of a problem.
type Choice interface {
	// Choose returns the labellings' indices from the best on, their weights,
	// which sum to 1, and a labelling made of all of them, or nil where a
	// choice makes none. There has to be at least one labelling.
	Choose(p *Problem, xs [][]uint8) (order []int, weights []float64, consensus []uint8, err error)
}

// Query ranks nodes by how much it helps to learn their labels.
type Query interface {
	// Rank returns nodes that are not clamped, the one to ask for first first.
	// At most limit nodes are tried (0 = as many as the query tries by itself).
	Rank(ctx context.Context, p *Problem, limit int) ([]Candidate, error)
}
