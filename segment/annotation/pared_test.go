package annotation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/storage/workspacetest"
)

// What an event's kind has no use for is not stored, so that it can't make the log
// larger than its limit, which undo and redo don't count towards. A repeat is still
// recognized.
func TestSuperfluousFieldsAreNotStored(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	mustAppend(t, a, label("a", 1, [2]float64{10, 40}))
	for _, e := range []segment.Event{
		{ID: "undo", Kind: segment.Undo},
		{ID: "redo", Kind: segment.Redo},
		{ID: "lock", Kind: segment.Lock, Class: 1},
		{ID: "unlock", Kind: segment.Unlock, Class: 1},
		{ID: "granularity", Kind: segment.Granularity, Regions: 4},
		{ID: "restore", Kind: segment.Restore, To: 1},
	} {
		want := e
		e.Points = slices.Repeat([][2]float64{{1, 1}}, 300)
		e.Superpixels = []int32{1, 2, 3}
		e.Instances, e.Cells, e.Pick = []int32{4}, []uint8{1}, &segment.Pick{Labels: []uint8{1}}
		mustAppend(t, a, e)
		seq := a.State().Seq
		events, err := a.Events(t.Context(), a.State())
		if err != nil {
			t.Fatal(err)
		}
		got := events[seq-1]
		want.Seq, want.Created = got.Seq, got.Created
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stored for the %s (-want +got):\n%s", e.Kind, diff)
		}
		repaired := e
		repaired.ID, repaired.Repairs = "repaired", []segment.Repair{{Class: 1, Runs: []int32{0, 5}}}
		if _, err := a.Append(t.Context(), seq, repaired); segment.KindOf(err) != segment.Invalid {
			t.Errorf("a %s with repairs: %v, want an Error of kind Invalid", e.Kind, err)
		}
		if again, err := a.Append(t.Context(), seq-1, e); again != seq || err != nil {
			t.Errorf("the repeated %s is number %d, %v; want %d", e.Kind, again, err, seq)
		}
	}
}

func TestPointsOfAnEventAreLimited(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	many := slices.Repeat([][2]float64{{1, 1}}, 200_001)
	for _, kind := range []segment.EventKind{segment.Label, segment.Clear, segment.Exclude, segment.Instance} {
		e := segment.Event{ID: "many", Kind: kind, Points: many}
		if kind == segment.Instance {
			e.Instances = []int32{1}
		}
		if _, err := a.Append(t.Context(), 0, e); segment.KindOf(err) != segment.Invalid {
			t.Errorf("%s with %d points: %v, want an Error of kind Invalid", kind, len(many), err)
		}
	}
	mustAppend(t, a, label("enough", 1, many[:200_000]...))
}
