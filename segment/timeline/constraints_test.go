package timeline

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"collie/segment"
)

func TestConstraints(t *testing.T) {
	timeline := New(strip(4), 4, whole)
	corners := [][2]float64{{9, 1}, {2, 0}}
	type state = segment.Constraints
	box := segment.Box{Class: 1, Min: [2]float64{2, 0}, Max: [2]float64{9, 1}}
	for i, c := range []struct {
		event segment.Event
		want  state
	}{
		{segment.Event{Kind: segment.Outline, Class: 1, Points: corners}, state{Boxes: []segment.Box{box}}},
		{segment.Event{Kind: segment.Exclude, Class: 2, Superpixels: []int32{3, 0}}, state{Boxes: []segment.Box{box}, Excluded: excluded(0, 3)}},
		{segment.Event{Kind: segment.Lock, Class: 5}, state{Boxes: []segment.Box{box}, Excluded: excluded(0, 3), Locked: []uint8{5}}},
		{segment.Event{Kind: segment.Exclude, Class: 2, Superpixels: []int32{1, 0}}, state{Boxes: []segment.Box{box}, Excluded: excluded(0, 1, 3), Locked: []uint8{5}}},
		{segment.Event{Kind: segment.Undo}, state{Boxes: []segment.Box{box}, Excluded: excluded(0, 3), Locked: []uint8{5}}},
		{segment.Event{Kind: segment.Label, Class: 1, Superpixels: []int32{0}}, state{Boxes: []segment.Box{box}, Excluded: excluded(0, 3), Locked: []uint8{5}}},
		{segment.Event{Kind: segment.Label, Class: 2, Superpixels: []int32{0}}, state{Boxes: []segment.Box{box}, Excluded: excluded(3), Locked: []uint8{5}}},
		{segment.Event{Kind: segment.Undo}, state{Boxes: []segment.Box{box}, Excluded: excluded(0, 3), Locked: []uint8{5}}},
		{segment.Event{Kind: segment.Clear, Superpixels: []int32{3}}, state{Boxes: []segment.Box{box}, Excluded: excluded(0), Locked: []uint8{5}}},
		{segment.Event{Kind: segment.Outline, Class: 1}, state{Excluded: excluded(0), Locked: []uint8{5}}},
		{segment.Event{Kind: segment.Unlock, Class: 5}, state{Excluded: excluded(0)}},
		{segment.Event{Kind: segment.Instance, Class: 1, Points: [][2]float64{{0, 0}, {4, 0}}, Instances: []int32{7}}, state{Excluded: excluded(0), Objects: []segment.ObjectMark{{Cell: 0, Class: 1, Number: 7}, {Cell: 1, Class: 1, Number: 7}}}},
		{segment.Event{Kind: segment.Instance, Class: 1, Points: [][2]float64{{0, 0}}, Instances: []int32{0}}, state{Excluded: excluded(0), Objects: []segment.ObjectMark{{Cell: 1, Class: 1, Number: 7}}}},
		{segment.Event{Kind: segment.Label, Class: 1, Superpixels: []int32{1}}, state{Excluded: excluded(0), Objects: []segment.ObjectMark{{Cell: 1, Class: 1, Number: 7}}}},
		{segment.Event{Kind: segment.Label, Class: 0, Superpixels: []int32{1}}, state{Excluded: excluded(0)}},
		{segment.Event{Kind: segment.Label, Class: 2, Superpixels: []int32{0}}, state{}},
		{segment.Event{Kind: segment.Instance, Class: 0, Points: [][2]float64{{4, 0}}, Instances: []int32{7}}, state{Objects: []segment.ObjectMark{{Cell: 1, Class: 0, Number: 7}}}},
		{segment.Event{Kind: segment.Clear, Superpixels: []int32{1}}, state{}},
		{segment.Event{Kind: segment.Restore, To: 3}, state{Boxes: []segment.Box{box}, Excluded: excluded(0, 3), Locked: []uint8{5}}},
	} {
		c.event.ID = fmt.Sprint(i)
		timeline.Apply(c.event)
		if diff := cmp.Diff(c.want, *timeline.Constraints(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after event %d, %s (-want +got):\n%s", i+1, c.event.Kind, diff)
		}
	}
}

// Constraints of every state come back with undo and redo, and Retract leaves no
// trace of an event that could not be stored.
func TestConstraintsAgainstSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 4
		timeline := New(strip(n), n, whole)
		states := []segment.Constraints{{}}
		kinds := []segment.EventKind{segment.Outline, segment.Exclude, segment.Lock, segment.Unlock, segment.Label, segment.Clear, segment.Instance}
		apply := func(i int) {
			e := segment.Event{ID: fmt.Sprint(i), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Class: rapid.IntRange(0, 2).Draw(t, "class")}
			e.Superpixels = rapid.SliceOfN(rapid.Int32Range(0, n-1), 1, 3).Draw(t, "superpixels")
			if e.Kind == segment.Outline && rapid.Bool().Draw(t, "corners") {
				e.Points = [][2]float64{{0, 0}, {float64(rapid.IntRange(1, 12).Draw(t, "x")), 1}}
			}
			if e.Kind == segment.Instance {
				e.Points = [][2]float64{{float64(rapid.IntRange(0, 11).Draw(t, "x")), 0}}
				e.Instances = []int32{rapid.Int32Range(0, 3).Draw(t, "number")}
			}
			timeline.Apply(e)
		}
		same := func(want segment.Constraints, when string) {
			if diff := cmp.Diff(want, *timeline.Constraints(), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", when, diff)
			}
		}
		steps := rapid.IntRange(1, 12).Draw(t, "steps")
		for i := range steps {
			before, was := *timeline, *timeline.Constraints()
			apply(i)
			timeline.Retract(before)
			same(was, "after Retract")
			apply(i)
			states = append(states, *timeline.Constraints())
		}
		for i, want := range slices.Backward(states[:steps]) {
			timeline.Apply(segment.Event{ID: fmt.Sprint("undo", i), Kind: segment.Undo})
			same(want, "after undo")
		}
		for i, want := range states[1:] {
			timeline.Apply(segment.Event{ID: fmt.Sprint("redo", i), Kind: segment.Redo})
			same(want, "after redo")
		}
	})
}

func TestConstraintsAreChecked(t *testing.T) {
	timeline := New(strip(4), 4, whole)
	project := segment.Project{Classes: segment.DefaultClasses()}
	for _, e := range []segment.Event{
		{Kind: segment.Outline, Class: 2, Points: [][2]float64{{0, 0}, {5, 1}}},
		{Kind: segment.Outline, Class: 1, Points: [][2]float64{{0, 0}}},
		{Kind: segment.Outline, Class: 1, Points: [][2]float64{{0, 0}, {5, 1}, {6, 1}}},
		{Kind: segment.Outline, Class: 1, Points: [][2]float64{{0, 0}, {13, 1}}},
		{Kind: segment.Outline, Class: 1, Points: [][2]float64{{-1, 0}, {5, 1}}},
		{Kind: segment.Outline, Class: 1, Points: [][2]float64{{3, 0}, {3.5, 1}}},
		{Kind: segment.Click, Class: 1},
		{Kind: segment.Click, Class: 1, Points: make([][2]float64, maxClickPoints+1)},
		{Kind: segment.Click, Class: 1, Points: [][2]float64{{0, 1}}},
		{Kind: segment.Click, Class: 1, Points: [][2]float64{{-1, 0}}},
		{Kind: segment.Click, Class: 1, Points: [][2]float64{{3, -1}}},
		{Kind: segment.Exclude, Class: 1},
		{Kind: segment.Exclude, Class: 7, Superpixels: []int32{1}},
		{Kind: segment.Lock, Class: 2},
		{Kind: segment.Unlock, Class: -1},
		{Kind: segment.Instance, Class: 7, Points: [][2]float64{{0, 0}}, Instances: []int32{1}},
		{Kind: segment.Instance, Class: 1, Instances: []int32{1}},
		{Kind: segment.Instance, Class: 1, Points: [][2]float64{{12, 0}}, Instances: []int32{1}},
		{Kind: segment.Instance, Class: 1, Points: [][2]float64{{0, 0}}},
		{Kind: segment.Instance, Class: 1, Points: [][2]float64{{0, 0}}, Instances: []int32{1, 2}},
		{Kind: segment.Instance, Class: 1, Points: [][2]float64{{0, 0}}, Instances: []int32{-1}},
		{Kind: segment.Instance, Class: 1, Points: [][2]float64{{0, 0}}, Instances: []int32{segment.MaxObjects + 1}},
	} {
		e.ID = "x"
		if err := timeline.Check(&e, &project); segment.KindOf(err) != segment.Invalid {
			t.Errorf("%s %d %v: %v, want an Error of kind Invalid", e.Kind, e.Class, e.Points, err)
		}
	}
	for _, e := range []segment.Event{
		{Kind: segment.Outline, Class: 1},
		{Kind: segment.Outline, Class: 1, Points: [][2]float64{{12, 0}, {11, 1}}},
		{Kind: segment.Instance, Class: 1, Points: [][2]float64{{0, 0}, {11.9, 0.9}}, Instances: []int32{segment.MaxObjects}},
		{Kind: segment.Instance, Class: 1, Points: [][2]float64{{0, 0}}, Instances: []int32{0}},
		{Kind: segment.Click, Class: 1, Points: make([][2]float64, maxClickPoints)},
	} {
		e.ID = "x"
		if err := timeline.Check(&e, &project); err != nil {
			t.Errorf("%s %d %v: %v", e.Kind, e.Class, e.Points, err)
		}
	}
}

// excluded are exclusions of class 2.
func excluded(cells ...int32) (list []segment.Exclusion) {
	for _, c := range cells {
		list = append(list, segment.Exclusion{Cell: c, Class: 2})
	}
	return list
}
