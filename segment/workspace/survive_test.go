package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/workspace"
)

// interruptedStore calls act once, after the next reading of events.
type interruptedStore struct {
	segment.Store
	act func()
}

func (s *interruptedStore) Events(ctx context.Context, id string, after int) ([]segment.Event, error) {
	events, err := s.Store.Events(ctx, id, after)
	if act := s.act; act != nil {
		s.act = nil
		act()
	}
	return events, err
}

// A failover between reading the events of another server and playing them, which
// somebody else notices meanwhile, leaves the image as the database says.
func TestFailoverWhileFollowing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := &interruptedStore{}
	here := mustAnnotate(t, mustOpenWorkspace(t, dir, func(s segment.Store) segment.Store {
		store.Store = s
		return store
	}))
	id := here.Image().ID
	for i := range 5 {
		mustAppend(t, here, label(fmt.Sprint(i), 1, [2]float64{float64(10 + 20*i), 10}))
	}
	other := mustOpen(t, mustOpenWorkspace(t, dir, asIs), id)
	mustAppend(t, other, label("other", 1, [2]float64{10, 70}))
	conflict := func(what string, err error) {
		t.Helper()
		var is *segment.Error
		if !errors.As(err, &is) || is.Kind != segment.Conflict || is.Seq != 3 {
			t.Errorf("%s: %v, want a conflict with event 3", what, err)
		}
	}
	store.act = func() {
		mustLose(t, dir, id, 3)
		_, err := here.Append(t.Context(), 5, label("meanwhile", 1, [2]float64{10, 70}))
		conflict("meanwhile", err)
	}
	_, err := here.Append(t.Context(), 6, label("late", 1, [2]float64{10, 70}))
	conflict("late", err)
	there := mustOpen(t, mustOpenWorkspace(t, dir, asIs), id)
	if diff := cmp.Diff(there.State(), here.State(), cmpopts.IgnoreFields(annotation.State{}, "Version", "Rewound")); diff != "" {
		t.Errorf("state (-there +here):\n%s", diff)
	}
}

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
	broken, fine := mustAnnotate(t, server), mustAnnotate(t, server)
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
	defer w.StartLearning(t.Context())()
	broken := mustAnnotate(t, w).Image()
	if _, err := w.AddImage(t.Context(), broken.ProjectID, "another.png", twoHalves(t)); err != nil {
		t.Fatal(err)
	}
	store.id.Store(broken.ID)
	if err := w.Prelabel(t.Context(), broken.ProjectID); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		l, err := w.Learning(t.Context(), broken.ProjectID)
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
