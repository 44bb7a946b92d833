package annotation_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/segment/annotation"
	"collie/storage/workspacetest"
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
	here := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, func(s segment.Store) segment.Store {
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
	if diff := cmp.Diff(there.State(), here.State(), cmpopts.IgnoreFields(annotation.State{}, "Version", "Tables", "Rewound")); diff != "" {
		t.Errorf("state (-there +here):\n%s", diff)
	}
}

// One that is noticed while the past is read back for a restore is not undone by what has
// been read.
func TestFailoverWhileRecalling(t *testing.T) {
	t.Parallel()
	const events = 150
	dir := t.TempDir()
	store := &interruptedStore{}
	here := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, func(s segment.Store) segment.Store {
		store.Store = s
		return store
	}))
	long(t, here, 0, events)
	store.act = func() {
		mustLose(t, dir, here.Image().ID, 140)
		if _, err := here.Append(t.Context(), events, label("meanwhile", 1, [2]float64{10, 70})); segment.KindOf(err) != segment.Conflict {
			t.Errorf("meanwhile: %v, want a conflict", err)
		}
	}
	_, err := here.Append(t.Context(), events, segment.Event{ID: "back", Kind: segment.Restore, To: 10})
	if segment.KindOf(err) != segment.Conflict {
		t.Errorf("%v, want a conflict", err)
	}
	if got := here.State(); got.Seq != 140 || got.Rewound != 1 {
		t.Errorf("%d events after %d losses, want 140 after one", got.Seq, got.Rewound)
	}
}
