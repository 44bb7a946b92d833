package learn

import (
	"testing"

	"collie/segment/engine"
	"collie/segment/simulate"
)

// said gives an example scores that name classes according to to.
func said(e *Example, to [3]int) {
	g := &engine.Guess{Classes: []uint8{0, 1, 2}, Shares: make([]float64, 3*len(e.Labels))}
	for i, l := range e.Labels {
		for class := range 3 {
			g.Shares[3*i+class] = 0.05
		}
		g.Shares[3*i+to[l]] = 0.9
	}
	e.Imported = g
}

// Of all strengths the one that needs the fewest actions is chosen, the usual one
// unless another saves enough, and none before enough images have had scores.
func TestChooseImported(t *testing.T) {
	for name, to := range map[string][3]int{
		"right": {0, 1, 2}, "the ball is taken for grass, grass for sky": {0, 0, 1}, "each is taken for the next one": {1, 2, 0}, "all is sky": {0, 0, 0},
	} {
		examples := fields(t, 8)
		for i := range examples {
			said(&examples[i], to)
		}
		var attempts []attempt
		for i := range examples {
			e := &examples[i]
			graph, err := e.Graph()
			if err != nil {
				t.Fatal(err)
			}
			attempts = append(attempts, attempt{&simulate.Scene{Graph: graph}, truthOf(e.Features.Area, e.Labels, e.Imported.Classes), func(c Choice) *engine.Guess {
				g := *e.Imported
				c.weigh(&g)
				return &g
			}})
		}
		needs := func(c Choice) float64 {
			n, err := actions(t.Context(), attempts, c)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		got, err := chooseImported(t.Context(), examples)
		if err != nil {
			t.Fatal(err)
		}
		usual, least := needs(UsualImport), needs(UsualImport)
		for _, c := range importChoices {
			least = min(least, needs(c))
		}
		want := least
		if least >= worthwhile*usual {
			want = usual
		}
		if n := needs(got); n != want {
			t.Errorf("%s: %+v needs %v actions, the usual one %v, the best %v", name, got, n, usual, least)
		}
	}
	few := fields(t, 8)
	for i := range FewestExamples - 1 {
		said(&few[i], [3]int{0, 1, 2})
	}
	if got, err := chooseImported(t.Context(), few); got != Off || err != nil {
		t.Errorf("of too few images: %+v, %v", got, err)
	}
}
