package annotation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/storage/workspacetest"
)

// Labels of a locked class survive every gesture until it is unlocked, and a
// gesture that meets nothing else is refused.
func TestLockedClassIsNotPaintedOver(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), asIs)
	a := workspacetest.MustAnnotate(t, w)
	left, right := [2]float64{10, 40}, [2]float64{110, 40}
	mustAppend(t, a, label("a", 0, left))
	mustAppend(t, a, label("b", 1, right))
	mustAppend(t, a, segment.Event{ID: "lock", Kind: segment.Lock, Class: 0})
	before := a.State()
	under := func(p [2]float64) uint8 { return a.Pixels()[int(p[1])*a.Cells().Width+int(p[0])] }

	run := []int32{int32(40*a.Cells().Width + 5), 10} // around the left click
	for _, e := range []segment.Event{
		label("c", 1, left),
		{ID: "d", Kind: segment.Clear, Points: [][2]float64{left}},
		{ID: "e", Kind: segment.Pixels, Repairs: []segment.Repair{{Class: 1, Runs: []int32{run[0] + 5, 1}}}},
	} {
		if _, err := a.Append(t.Context(), before.Seq, e); segment.KindOf(err) != segment.Invalid {
			t.Errorf("%s over a locked class: %v, want an Error of kind Invalid", e.Kind, err)
		}
	}
	if diff := cmp.Diff(before, a.State()); diff != "" {
		t.Errorf("refused events changed the state:\n%s", diff)
	}

	// A stroke over both labels only what is not locked; repeated, it has one number.
	stroke := label("f", 1, left, right, [2]float64{100, 10})
	mustAppend(t, a, stroke)
	if again, err := a.Append(t.Context(), before.Seq, stroke); err != nil || again != before.Seq+1 {
		t.Errorf("the repeated stroke is number %d, %v", again, err)
	}
	if under(left) != 0 || under([2]float64{100, 10}) != 1 {
		t.Errorf("after the stroke: %d and %d, want 0 and 1", under(left), under([2]float64{100, 10}))
	}

	mustAppend(t, a, segment.Event{ID: "u", Kind: segment.Unlock, Class: 0})
	mustAppend(t, a, label("g", 1, left))
	if under(left) != 1 {
		t.Errorf("after the unlock the click gave class %d, want 1", under(left))
	}
}
