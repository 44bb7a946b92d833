package workspace_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// brokenStore panics at one image.
type brokenStore struct {
	segment.Store
	id atomic.Value // of the image
}

func (s *brokenStore) check(id string) {
	if id == s.id.Load() {
		panic("a bug")
	}
}

func (s *brokenStore) Events(ctx context.Context, id string, after int) ([]segment.Event, error) {
	s.check(id)
	return s.Store.Events(ctx, id, after)
}

func (s *brokenStore) Image(ctx context.Context, id string) (segment.Image, error) {
	s.check(id)
	return s.Store.Image(ctx, id)
}

func mustBreak(t *testing.T, dir string) (*workspace.Workspace, *brokenStore) {
	t.Helper()
	store := &brokenStore{}
	return mustOpenWorkspace(t, dir, func(s segment.Store) segment.Store {
		store.Store = s
		return store
	}), store
}

// A panic at one image ends neither the server nor what follows the others.
func TestFollowSurvivesABug(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, store := mustBreak(t, dir)
	broken, fine := workspacetest.MustAnnotate(t, server), workspacetest.MustAnnotate(t, server)
	told := make(chan string, 10)
	server.Watch(func(id string) { told <- id })
	store.id.Store(broken.Image().ID)
	elsewhere := mustOpenWorkspace(t, dir, asIs)
	for _, a := range []*annotation.Annotation{broken, fine} {
		mustAppend(t, mustOpen(t, elsewhere, a.Image().ID), label("a", 1, [2]float64{10, 10}))
	}
	defer server.Follow(t.Context(), time.Millisecond, nil, nil)()
	if got := <-told; got != fine.Image().ID || fine.State().Seq != 1 {
		t.Errorf("told of image %s, want %s; it has %d events, want 1", got, fine.Image().ID, fine.State().Seq)
	}
}

// Guessing goes on after a panic at an image, and ends.
func TestPrelabelSurvivesABug(t *testing.T) {
	t.Parallel()
	w, store := mustBreak(t, t.TempDir())
	defer w.Learner().Start(t.Context())()
	broken := workspacetest.MustAnnotate(t, w).Image()
	if _, err := w.AddImage(t.Context(), broken.ProjectID, "another.png", workspacetest.Halves(t)); err != nil {
		t.Fatal(err)
	}
	store.id.Store(broken.ID)
	if err := w.Learner().Prelabel(t.Context(), broken.ProjectID); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		l, err := w.Learner().Learning(t.Context(), broken.ProjectID)
		if err != nil || time.Now().After(end) {
			t.Fatalf("%+v, %v", l.Prelabelled, err)
		}
		if !l.Prelabelled.Running {
			if l.Prelabelled.Done != 2 {
				t.Errorf("%d of 2 images have had their turn", l.Prelabelled.Done)
			}
			return
		}
	}
}
