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

// Labellings are the labels of a stream's hypotheses.
func Labellings(from iter.Seq2[Hypothesis, error]) (out [][]uint8, err error) {
	for h, err := range from {
		if err != nil {
			return nil, err
		}
		out = append(out, h.Labels)
	}
	return out, nil
}

// Query ranks nodes by how much it helps to learn their labels.
type Query interface {
	// Rank returns nodes that are not clamped, the one to ask for first first.
	// At most limit nodes are tried (0 = as many as the query tries by itself).
	Rank(ctx context.Context, p *Problem, limit int) ([]Candidate, error)
}

// Stepper makes hypotheses one after the other, without end.
type Stepper interface{ Next() Hypothesis }

// Steps streams the first count hypotheses of a stepper, as Source.Run does.
func Steps(ctx context.Context, count int, start func() (Stepper, error)) iter.Seq2[Hypothesis, error] {
	return func(yield func(Hypothesis, error) bool) {
		s, err := start()
		if err != nil {
			yield(Hypothesis{}, err)
			return
		}
		for range count {
			if err := ctx.Err(); err != nil {
				yield(Hypothesis{}, err)
				return
			}
			if !yield(s.Next(), nil) {
				return
			}
		}
	}
}

// Alternate takes hypotheses from several steppers in turn. All have the same
// rank 0, the best labelling; it comes once, from the first of them.
type Alternate struct {
	of   []Stepper
	rank int
}

// NewAlternate returns the alternation of at least one stepper that has not
// made a step yet.
func NewAlternate(of ...Stepper) *Alternate { return &Alternate{of: of} }

// Next computes the next hypothesis.
func (a *Alternate) Next() Hypothesis {
	at := 0
	if a.rank > 0 {
		at = (a.rank - 1) % len(a.of)
		if a.rank-1 < len(a.of) && at > 0 {
			a.of[at].Next() // its rank 0
		}
	}
	h := a.of[at].Next()
	h.Rank = a.rank
	a.rank++
	return h
}
