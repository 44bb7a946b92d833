package learn

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/schedule"
	"collie/segment/simulate"
)

// Choice is the weight of a project's guesses, see engine.Guess.
type Choice struct {
	Strength float64 // 0: no guesses
	Exponent float64
	Proof    float64
	Patience float64
}

// Off is the choice not to guess.
var Off Choice

// choices are tried in turn. Strong ones suit only predictable projects, so they
// are tried only when there are maxTrials attempts to tell by.
var choices = []Choice{
	{1e-3, 1, strict, patience},
	{3e-3, 0.5, strict, patience},
	{1e-2, 0.5, strict, patience},
	{1e-2, 1, strict, patience},
	{3e-2, 0.5, strict, patience},
	{1e-1, 2, strict, patience},
}

// A strict guess yields to few contradictions, so that a wrong one costs
// little. A lenient one is for imported scores only.
const (
	strict  = 0.35
	lenient = 0.15

	// patience keeps a strict guess that is right here and there from coming back
	// again and again. 3 to 6 are about equally good.
	patience = 6

	alwaysTried = 4    // of choices
	worthwhile  = 0.97 // largest share of the actions that a choice can need

	worthwhileEarly = 0.9 // while there are few attempts

	tryActions = 40 // after which the simulated annotator gives up
)

var tryTargets = []float64{0.85, 0.9}

// attempt is a finished image with the prediction made before it was learned
// from.
type attempt struct {
	scene *simulate.Scene // of the default granularity
	truth simulate.Truth  // by superpixels
	guess func(Choice) *engine.Guess
}

// maxKept is the largest number of superpixels of an image whose evidence model
// is kept while choices are tried; it takes some megabytes.
const maxKept = 2000

// choose lets a simulated annotator work on the attempts with each choice and
// returns the one that needs the fewest actions, with the share of the actions that it
// saves, or Off if none saves enough.
func choose(ctx context.Context, attempts []attempt) (best Choice, saved float64, err error) {
	without, err := actions(ctx, attempts, Off)
	if err != nil {
		return Off, 0, err
	}
	least, tried := worthwhile*without, choices
	if len(attempts) < maxTrials {
		least, tried = worthwhileEarly*without, choices[:alwaysTried]
	}
	for _, c := range tried {
		needed, err := actions(ctx, attempts, c)
		if err != nil {
			return Off, 0, err
		}
		if needed < least {
			least, best, saved = needed, c, 1-needed/without
		}
	}
	return best, saved, nil
}

// actions adds up what the annotator does on all attempts.
func actions(ctx context.Context, attempts []attempt, c Choice) (float64, error) {
	sum := 0
	for i := range attempts {
		t := &attempts[i]
		if len(t.scene.Graph.Regions) > maxKept {
			t.scene = &simulate.Scene{Graph: t.scene.Graph}
		}
		t.scene.Guess = nil
		if c != Off {
			t.scene.Guess = t.guess(c)
		}
		n, err := toil(ctx, t.scene, t.truth)
		if err != nil {
			return 0, err
		}
		sum += n
		if err := schedule.Pause(ctx); err != nil {
			return 0, err
		}
	}
	return float64(sum), nil
}

// toil is how many actions the annotator needs on one image for all targets
// together, with the walker's single answer.
func toil(ctx context.Context, scene *simulate.Scene, truth simulate.Truth) (sum int, err error) {
	a := simulate.Annotator{
		Scene: scene, Truth: truth, Majority: simulate.Majority(truth),
		Method: simulate.Method{Name: "random-walker"}, Count: 1, Max: tryActions,
	}
	reached, err := a.Work(ctx, tryTargets)
	for _, n := range reached {
		if n < 0 {
			n = tryActions
		}
		sum += n
	}
	return sum, err
}

// truthOf returns a truth in which each superpixel has a single class, with
// room for all the classes that can be guessed.
func truthOf(areas []int32, labels, guessed []uint8) simulate.Truth {
	k := 1
	for _, l := range slices.Concat(labels, guessed) {
		if l != segment.Void {
			k = max(k, int(l)+1)
		}
	}
	t := simulate.Truth{Labels: k, Area: make([]float64, len(areas)*k)}
	for i, l := range labels {
		if l != segment.Void {
			t.Area[i*k+int(l)] = float64(areas[i])
		}
	}
	return t
}
