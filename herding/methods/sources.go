package methods

import (
	"context"
	"fmt"
	"iter"

	"collie/herding"
	"collie/herding/sample"
)

// named says whose errors its source's are.
type named struct {
	name   string
	source herding.Source
}

// Run is herding.Source.Run.
func (s named) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return func(yield func(herding.Hypothesis, error) bool) {
		for h, err := range s.source.Run(ctx, count) {
			if err != nil {
				err = fmt.Errorf("%s: %w", s.name, err)
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

// best is the first hypothesis of a problem, alone.
type best struct{ problem *herding.Problem }

// Run streams one hypothesis, whatever the count.
func (b best) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return b.problem.Run(ctx, min(count, 1))
}

// alternating is Herding and noise on the hierarchy in turn.
type alternating struct {
	problem *herding.Problem
	noise   *sample.Perturb
}

// Run is herding.Source.Run.
func (a alternating) Run(ctx context.Context, count int) iter.Seq2[herding.Hypothesis, error] {
	return herding.Steps(ctx, count, func() (herding.Stepper, error) {
		sequence, err := herding.NewSequence(a.problem)
		if err != nil {
			return nil, err
		}
		noise, err := a.noise.Start()
		if err != nil {
			return nil, err
		}
		return herding.NewAlternate(sequence, noise), nil
	})
}
