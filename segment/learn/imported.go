package learn

import (
	"context"

	"collie/segment/engine"
	"collie/segment/simulate"
)

// UsualImport is how much imported scores count in a project that hasn't chosen.
var UsualImport = Choice{engine.ImportStrength, engine.ImportExponent, engine.ImportProof, engine.ImportPatience}

// importChoices are the alternatives to it.
var importChoices = []Choice{
	{1e-4, 1, strict, 0}, {1e-3, 1, strict, 0}, {3e-3, 0.5, strict, 0}, {3e-3, 0.5, engine.ImportProof, 0}, {3e-2, 0.5, lenient, 0}, {1e-1, 0.5, lenient, 0},
}

// chooseImported lets a simulated annotator work on the latest finished images
// with imported scores, and returns the strength that needs the fewest actions:
// the default unless another saves enough, or Off with too few such images. It
// never turns imported scores off, because a person asked for them.
func chooseImported(ctx context.Context, examples []Example) (Choice, error) {
	var attempts []attempt
	for i := len(examples) - 1; i >= 0 && len(attempts) < maxTrials; i-- {
		e := &examples[i]
		if e.Imported == nil {
			continue
		}
		graph, err := e.Graph()
		if err != nil {
			return Off, err
		}
		attempts = append(attempts, attempt{scene: &simulate.Scene{Graph: graph}, truth: truthOf(e.Features.Area, e.Labels, e.Imported.Classes), guess: func(c Choice) *engine.Guess {
			g := *e.Imported
			c.weigh(&g)
			return &g
		}})
	}
	if len(attempts) < FewestExamples {
		return Off, nil
	}
	best := UsualImport
	usual, err := actions(ctx, attempts, UsualImport)
	least := worthwhile * usual
	for _, c := range importChoices {
		if err != nil {
			break
		}
		var needed float64
		if needed, err = actions(ctx, attempts, c); err == nil && needed < least {
			best, least = c, needed
		}
	}
	return best, err
}
