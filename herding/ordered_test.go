package herding

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Whatever the order of elimination, the probabilities are the same up to
// rounding.
func TestOrderOfElimination(t *testing.T) {
	s := newScene(120, 3, 0.05, 4)
	plain, err := NewHarmonic(s.n, s.conductances)
	if err != nil {
		t.Fatal(err)
	}
	want, err := plain.Solve(nil, s.k, s.clicks, nil)
	if err != nil {
		t.Fatal(err)
	}
	order := make([]int32, s.n)
	for i, j := range rand.New(rand.NewPCG(1, 2)).Perm(s.n) {
		order[i] = int32(j)
	}
	for name, order := range map[string][]int32{"its own": plain.Order(), "random": order} {
		h, err := NewHarmonicIn(order, s.conductances)
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.Solve(nil, s.k, s.clicks, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range got {
			if math.Abs(p-want[i]) > 1e-9 || name == "its own" && p != want[i] {
				t.Fatalf("%s order: entry %d is %v, want %v", name, i, p, want[i])
			}
		}
	}
	order[3] = order[4]
	for _, bad := range [][]int32{order, {0, 1, 3}, {0, -1, 2}} {
		if _, err := NewHarmonicIn(bad, nil); !errors.Is(err, ErrRange) {
			t.Errorf("order %v…: %v, want ErrRange", bad[:3], err)
		}
	}
}
