package workspace_test

import (
	"testing"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// mustOpenWorkspace opens a workspace over a real database and real files in dir.
func mustOpenWorkspace(tb testing.TB, dir string, wrap func(segment.Store) segment.Store) *workspace.Workspace {
	tb.Helper()
	f := workspacetest.MustOpenFolder(tb, dir)
	return workspace.New(wrap(f.Store), f.Blobs, photo.NewGate(photo.Limits{}))
}

func asIs(s segment.Store) segment.Store { return s }

func mustOpen(tb testing.TB, w *workspace.Workspace, id string) *annotation.Annotation {
	tb.Helper()
	a, err := w.Open(tb.Context(), id)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(a.Close)
	return a
}

func label(id string, class int, at ...[2]float64) segment.Event {
	return segment.Event{ID: id, Kind: segment.Label, Class: class, Points: at}
}

func mustAppend(tb testing.TB, a *annotation.Annotation, e segment.Event) {
	tb.Helper()
	seq := a.State().Seq
	got, err := a.Append(tb.Context(), seq, e)
	if err != nil || got != seq+1 {
		tb.Fatalf("Append(%d, %s) = %d, %v", seq, e.ID, got, err)
	}
}
