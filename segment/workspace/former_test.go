package workspace_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/segment/annotation"
	"collie/storage/workspacetest"
)

// Locks, boxes and exclusions of a class that was deleted are those of its replacement:
// what takes away the replacement's takes them away, too, and after a restart.
func TestConstraintsOfAReplacedClass(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	classes := []segment.Class{{Name: "rest", Color: "#000000"}, {Name: "dog", Color: "#ff0000"}, {Name: "animal", Color: "#00ff00"}}
	p, err := w.CreateProject(t.Context(), "P", classes, nil)
	if err != nil {
		t.Fatal(err)
	}
	im, err := w.AddImage(t.Context(), p.ID, "x.png", workspacetest.Halves(t))
	if err != nil {
		t.Fatal(err)
	}
	a := mustOpen(t, w, im.ID)
	left, right := [2]float64{10, 40}, [2]float64{110, 40}
	box := func(id string, class int, x float64) segment.Event {
		return segment.Event{ID: id, Kind: segment.Outline, Class: class, Points: [][2]float64{{x, 5}, {x + 40, 70}}}
	}
	const rest, dog, animal = 0, 1, 2
	mustAppend(t, a, label("1", dog, left))
	mustAppend(t, a, segment.Event{ID: "2", Kind: segment.Exclude, Class: dog, Points: [][2]float64{right}})
	mustAppend(t, a, segment.Event{ID: "3", Kind: segment.Instance, Class: dog, Points: [][2]float64{left}, Instances: []int32{1}})
	mustAppend(t, a, segment.Event{ID: "4", Kind: segment.Lock, Class: dog})
	mustAppend(t, a, box("5", dog, 5))
	merged := segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: p.Classes[rest]}, {Class: p.Classes[animal]}}, Remap: map[uint8]uint8{dog: animal}}
	if _, err := w.EditProject(t.Context(), p.ID, merged); err != nil {
		t.Fatal(err)
	}
	before := a.State().Constraints
	if len(before.Boxes) != 1 || len(before.Excluded) == 0 || len(before.Objects) != 1 || !before.IsLocked(animal) {
		t.Fatalf("after the deletion %+v, want all of the replacement's", before)
	}

	mustAppend(t, a, label("6", animal, left, right))
	if got := a.State().Constraints; len(got.Excluded) > 0 || len(got.Objects) != 1 {
		t.Errorf("a label leaves the exclusions %v, and the objects %v of its own class", got.Excluded, got.Objects)
	}
	mustAppend(t, a, segment.Event{ID: "7", Kind: segment.Unlock, Class: animal})
	mustAppend(t, a, label("8", rest, left))
	mustAppend(t, a, box("9", animal, 60))
	if got := a.State().Constraints.Boxes; len(got) != 1 || got[0].Min[0] != 60 {
		t.Errorf("boxes %v, want the new one alone", got)
	}
	mustAppend(t, a, box("10", animal, 5))
	mustAppend(t, a, segment.Event{ID: "11", Kind: segment.Outline, Class: animal})
	after := a.State().Constraints
	if diff := cmp.Diff(segment.Constraints{}, after, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), im.ID)
	if diff := cmp.Diff(a.State(), again.State(), cmpopts.IgnoreFields(annotation.State{}, "Version", "Tables")); diff != "" {
		t.Errorf("after a restart:\n%s", diff)
	}
}
