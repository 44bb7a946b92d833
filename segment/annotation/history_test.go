package annotation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/storage/workspacetest"
)

// Every earlier labelling can be looked at, whatever was undone or restored
// since, and looking changes nothing.
func TestAnnotation_PixelsAfter(t *testing.T) {
	a := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, t.TempDir(), asIs))
	labellings := [][]uint8{a.Pixels()}
	for _, e := range []segment.Event{
		label("a", 0, [2]float64{10, 40}),
		label("b", 1, [2]float64{110, 40}),
		{ID: "c", Kind: segment.Pixels, Repairs: []segment.Repair{{Class: 1, Runs: []int32{5, 9}}, {Class: segment.Void, Runs: []int32{40, 2}}}},
		{ID: "d", Kind: segment.Undo},
		{ID: "e", Kind: segment.Granularity, Regions: 3},
		{ID: "f", Kind: segment.Restore, To: 1},
		{ID: "g", Kind: segment.Clear, Points: [][2]float64{{10, 40}}},
		{ID: "h", Kind: segment.Restore, To: 3},
	} {
		mustAppend(t, a, e)
		labellings = append(labellings, a.Pixels())
	}
	before := a.State()
	repairs := before.Repairs
	for seq, want := range labellings {
		got, err := a.PixelsAfter(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(want, got) {
			t.Errorf("the labelling after event %d is not what it was then", seq)
		}
	}
	if diff := cmp.Diff(before, a.State()); diff != "" {
		t.Errorf("looking back changed the state (-before +after):\n%s", diff)
	}
	if len(repairs) == 0 {
		t.Error("the test wants repairs in the last state")
	}
	for _, seq := range []int{-1, len(labellings)} {
		if _, err := a.PixelsAfter(t.Context(), seq); segment.KindOf(err) != segment.Invalid {
			t.Errorf("PixelsAfter(%d) = %v, want an invalid request", seq, err)
		}
	}
}
