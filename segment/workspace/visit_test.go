package workspace_test

import (
	"testing"

	"collie/segment/annotation"
	"collie/segment/gauge"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// A visit sees an image in the same state as those who work on it, and leaves
// memory as it was.
func TestVisit(t *testing.T) {
	seen := &counter{}
	w := mustTune(t, workspace.Options{Observer: seen})
	p, err := w.CreateProject(t.Context(), "Halves", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	im, err := w.AddImage(t.Context(), p.ID, "halves.png", workspacetest.Halves(t))
	if err != nil {
		t.Fatal(err)
	}
	visit := func() *annotation.Annotation {
		a, err := w.Visit(t.Context(), im.ID)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	visit().Close()
	visit().Close()
	if seen.n[gauge.Miss] != 2 || seen.n[gauge.Hit] != 0 {
		t.Errorf("after two visits one after the other: %v, want 2 misses", seen.n)
	}
	guest := visit()
	worker := mustOpen(t, w, im.ID)
	if guest != worker {
		t.Error("a visitor and a worker have two annotations of one image")
	}
	guest.Close()
	visit().Close()
	if again := mustOpen(t, w, im.ID); again != worker {
		t.Error("a visit has taken an image away from those who work on it")
	}
	if seen.n[gauge.Miss] != 3 {
		t.Errorf("%v, want 3 misses", seen.n)
	}
}
