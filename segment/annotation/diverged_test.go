package annotation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/gauge"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// divergences counts accepted hypotheses that this server computes differently.
type divergences int

func (d *divergences) Took(gauge.Time, time.Duration) {}

func (d *divergences) Happened(what gauge.Happening) {
	if what == gauge.Diverged {
		*d++
	}
}

// A hypothesis that is out of date, because others have clicked or changed what
// labels mean, is not one that this server computes differently.
func TestOutOfDateIsNotDiverged(t *testing.T) {
	var counted divergences
	w := workspacetest.MustOpenFolder(t, t.TempDir()).Workspace(workspace.Options{Observer: &counted})
	a := workspacetest.MustAnnotate(t, w)
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("b", 1, [2]float64{110, 40}))
	accept := func(id string, made int, digest string) {
		t.Helper()
		_, err := a.AppendLast(t.Context(), made, segment.Event{ID: id, Kind: segment.Accept, Pick: &segment.Pick{Digest: digest}})
		var refused *segment.Error
		if !errors.As(err, &refused) || refused.Kind != segment.Conflict {
			t.Fatalf("%s: %v, want a conflict", id, err)
		}
		if !strings.Contains(refused.Detail, "has changed since it was shown") || strings.Contains(refused.Detail, digest) {
			t.Errorf("%s: people read %q", id, refused.Detail)
		}
	}
	seen, err := a.Sequence().At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, a, label("c", 0, [2]float64{100, 20}))
	accept("overtaken", 2, seen.Digest.String())
	if counted != 0 {
		t.Errorf("a hypothesis of the state before counts as diverged")
	}
	accept("other", 3, "0123456789abcdef")
	if counted != 1 {
		t.Errorf("%d diverged, want the one that the current state doesn't have", counted)
	}
	if seen, err = a.Sequence().At(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.EditProject(t.Context(), a.Image().ProjectID, segment.ProjectEdit{Rest: &segment.Rest{Mode: segment.RestUndecided}}); err != nil {
		t.Fatal(err)
	}
	accept("other-rest", 3, seen.Digest.String())
	if counted != 1 {
		t.Errorf("a hypothesis with the rest as it was before counts as diverged")
	}
}
