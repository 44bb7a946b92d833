package annotation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/storage/workspacetest"
)

// mustSpare checks that events are refused and change nothing.
func mustSpare(t *testing.T, a *annotation.Annotation, events ...segment.Event) {
	t.Helper()
	before := a.State()
	for _, e := range events {
		e.ID = "refused"
		if _, err := a.Append(t.Context(), before.Seq, e); segment.KindOf(err) != segment.Invalid {
			t.Fatalf("%s over a part with a locked class: %v, want an Error of kind Invalid", e.Kind, err)
		}
	}
	if diff := cmp.Diff(before, a.State()); diff != "" {
		t.Errorf("refused events changed the state:\n%s", diff)
	}
}

// A superpixel that clicks have divided is not labelled or cleared as a whole while
// one of its parts has a locked class; other parts can still be clicked.
func TestLockedPartOfADividedSuperpixel(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	superpixels, _ := a.Superpixels()
	cells := a.Cells()
	number, parts := int32(-1), map[int][][2]float64{} // a point in each cell, by superpixel
	seen := map[int]bool{}
	for i := range cells.Area() {
		x, y := i%cells.Width, i/cells.Width
		if s, cell := superpixels.At(x, y), cells.At(x, y); !seen[cell] {
			seen[cell] = true
			parts[s] = append(parts[s], [2]float64{float64(x), float64(y)})
			if number < 0 && len(parts[s]) == 3 {
				number = int32(s)
			}
		}
	}
	first, second, third := parts[int(number)][:1], parts[int(number)][1:2], parts[int(number)][2:3]
	mustAppend(t, a, segment.Event{ID: "1", Kind: segment.Click, Class: 0, Points: first})
	mustAppend(t, a, segment.Event{ID: "2", Kind: segment.Click, Class: 1, Points: third})
	mustAppend(t, a, segment.Event{ID: "3", Kind: segment.Lock, Class: 1})
	mustSpare(t, a,
		segment.Event{Kind: segment.Label, Class: 0, Superpixels: []int32{number}},
		segment.Event{Kind: segment.Clear, Superpixels: []int32{number}},
		segment.Event{Kind: segment.Clear, Points: second},
	)
	mustAppend(t, a, segment.Event{ID: "4", Kind: segment.Click, Class: 0, Points: second})
	divided := a.State()
	for i, cell := range divided.Parts {
		if got, want := int(divided.Parent[cell]), len(divided.Labels)-len(divided.Parts)+i; got != want {
			t.Errorf("cell %d is part %d, but superpixel %d, not %d", cell, i, got, want)
		}
	}
	mustAppend(t, a, segment.Event{ID: "5", Kind: segment.Label, Class: 1, Superpixels: []int32{number}})
}

// Labels, clears and clicks take the repairs in a superpixel away, so they spare one
// in which pixels were repaired to a locked class.
func TestLockedRepair(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	at, width := [2]float64{9, 40}, int32(a.Cells().Width)
	mustAppend(t, a, segment.Event{ID: "1", Kind: segment.Pixels, Repairs: []segment.Repair{{Class: 1, Runs: []int32{40*width + 9, 1}}}})
	mustAppend(t, a, segment.Event{ID: "2", Kind: segment.Lock, Class: 1})
	mustSpare(t, a,
		label("", 0, at),
		segment.Event{Kind: segment.Clear, Points: [][2]float64{at}},
		segment.Event{Kind: segment.Click, Class: 0, Points: [][2]float64{at}},
	)
	mustAppend(t, a, label("3", 0, at, [2]float64{110, 40})) // a stroke that meets more
	pixels := a.Pixels()
	if under, beside := pixels[40*width+9], pixels[40*width+110]; under != 1 || beside != 0 {
		t.Errorf("after the stroke the repaired pixel has class %d and the other superpixel %d, want 1 and 0", under, beside)
	}
	mustAppend(t, a, label("4", 1, at))
}

// A stroke of pixels that was partly over a locked class has one number when it is
// sent again.
func TestRepeatedStrokeOverALockedClass(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	mustAppend(t, a, label("1", 0, [2]float64{10, 40}))
	mustAppend(t, a, segment.Event{ID: "2", Kind: segment.Lock, Class: 0})
	width := int32(a.Cells().Width)
	stroke := segment.Event{ID: "3", Kind: segment.Pixels, Repairs: []segment.Repair{{Class: 1, Runs: []int32{40 * width, width}}}}
	mustAppend(t, a, stroke)
	if again, err := a.Append(t.Context(), 2, stroke); again != 3 || err != nil {
		t.Errorf("the repeated stroke is number %d, %v; want 3", again, err)
	}
	stroke.Repairs[0].Runs = []int32{40*width + 20, width - 20}
	if _, err := a.Append(t.Context(), 3, stroke); segment.KindOf(err) != segment.Conflict {
		t.Errorf("another stroke with the same id: %v, want a Conflict", err)
	}
}
