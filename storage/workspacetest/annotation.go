package workspacetest

import (
	"testing"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/workspace"
)

// MustOpenImage opens an image until the test ends.
func MustOpenImage(tb testing.TB, w *workspace.Workspace, id string) *annotation.Annotation {
	tb.Helper()
	a, err := w.Open(tb.Context(), id)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(a.Close)
	return a
}

// MustAppend adds an event to the last one of an image.
func MustAppend(tb testing.TB, a *annotation.Annotation, e segment.Event) {
	tb.Helper()
	seq := a.State().Seq
	got, err := a.Append(tb.Context(), seq, e)
	if err != nil || got != seq+1 {
		tb.Fatalf("Append(%d, %s) = %d, %v", seq, e.ID, got, err)
	}
}

// Label is an event that labels what is at some points.
func Label(id string, class int, at ...[2]float64) segment.Event {
	return segment.Event{ID: id, Kind: segment.Label, Class: class, Points: at}
}
