package herding_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/herding"
)

// counter makes hypotheses that say whose they are and how many came before.
type counter struct {
	label uint8
	made  uint8
}

func (c *counter) Next() herding.Hypothesis {
	c.made++
	return herding.Hypothesis{Rank: int(c.made) - 1, Labels: []uint8{c.label, c.made - 1}}
}

// Steppers take turns, and the first hypothesis, which all share, comes once.
func TestAlternate(t *testing.T) {
	a := herding.NewAlternate(&counter{label: 1}, &counter{label: 2}, &counter{label: 3})
	var got []string
	for rank := range 8 {
		h := a.Next()
		if h.Rank != rank {
			t.Errorf("rank %d, want %d", h.Rank, rank)
		}
		got = append(got, fmt.Sprint(h.Labels))
	}
	want := []string{"[1 0]", "[1 1]", "[2 1]", "[3 1]", "[1 2]", "[2 2]", "[3 2]", "[1 3]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stepper and rank of each hypothesis (-want +got):\n%s", diff)
	}
}
