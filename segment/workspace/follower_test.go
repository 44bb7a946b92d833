package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// Events stored by another process reach an open image, and its pages are
// notified.
func TestFollow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := mustOpenWorkspace(t, dir, asIs)
	told := make(chan string, 1)
	server.Watch(func(id string) { told <- id })
	here := workspacetest.MustAnnotate(t, server)
	id := here.Image().ID
	defer server.Follow(t.Context(), time.Millisecond, nil, nil)()
	wait := func(what string) {
		t.Helper()
		if got := <-told; got != id {
			t.Errorf("%s: told of image %s, want %s", what, got, id)
		}
	}

	other := mustOpenWorkspace(t, dir, asIs)
	there := mustOpen(t, other, id)
	mustAppend(t, there, label("a", 1, [2]float64{10, 10}))
	wait("a click")
	mustAppend(t, there, segment.Event{ID: "b", Kind: segment.Undo})
	wait("its undo")
	p := mustEdit(t, other, here.Project().ID, segment.ProjectEdit{Name: "renamed", Classes: []segment.ClassEdit{
		{Class: here.Project().Classes[0]}, {Class: here.Project().Classes[1]}, {Class: segment.Class{Name: "third"}, New: true},
	}})
	wait("a class")
	mustAppend(t, there, label("c", int(p.Classes[2].ID), [2]float64{10, 10}))
	wait("a click with it")
	if diff := cmp.Diff(there.State(), here.State()); diff != "" {
		t.Errorf("state (-there +here):\n%s", diff)
	}
	if diff := cmp.Diff(p, here.Project()); diff != "" {
		t.Errorf("project (-there +here):\n%s", diff)
	}
}

// Whoever finds first that another process has changed the classes notifies the pages,
// once, whatever it is doing.
func TestReadersAnnounceClasses(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*workspace.Workspace, *annotation.Annotation) error{
		"open": func(w *workspace.Workspace, a *annotation.Annotation) error {
			again, err := w.Open(t.Context(), a.Image().ID)
			if err == nil {
				again.Close()
			}
			return err
		},
		"label": func(_ *workspace.Workspace, a *annotation.Annotation) error {
			_, err := a.Append(t.Context(), 0, label("a", 1, [2]float64{10, 10}))
			return err
		},
		"preview": func(_ *workspace.Workspace, a *annotation.Annotation) error {
			_, err := a.Suppose(t.Context(), 0, label("a", 1, [2]float64{10, 10}))
			return err
		},
		"guess": func(_ *workspace.Workspace, a *annotation.Annotation) error { return a.GiveGuess(t.Context(), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			server, other := mustOpenWorkspace(t, dir, asIs), mustOpenWorkspace(t, dir, asIs)
			var told []string
			server.Watch(func(id string) { told = append(told, id) })
			here := workspacetest.MustAnnotate(t, server)
			p := mustEdit(t, other, here.Project().ID, without(here.Project(), 0, 1))
			for range 2 {
				if err := read(server, here); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(told, []string{here.Image().ID}) {
				t.Errorf("told of %v, want once %s", told, here.Image().ID)
			}
			if diff := cmp.Diff(p, here.Project()); diff != "" {
				t.Errorf("project (-there +here):\n%s", diff)
			}
		})
	}
}

// An image that another process moves to the trash, alone or with its project, is
// noticed where it is open.
func TestFollowTrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, other := mustOpenWorkspace(t, dir, asIs), mustOpenWorkspace(t, dir, asIs)
	trashed := make(chan string)
	server.WatchTrash(func(id string) { trashed <- id })
	alone, within := workspacetest.MustAnnotate(t, server).Image(), workspacetest.MustAnnotate(t, server).Image()
	h := &hints{listening: make(chan struct{})}
	defer server.Follow(t.Context(), time.Hour, h, nil)()
	<-h.listening
	ctx := access.With(t.Context(), access.Operator)
	if err := other.TrashImage(ctx, alone.ID); err != nil {
		t.Fatal(err)
	}
	h.heard(segment.News{ID: within.ID})
	h.heard(segment.News{ID: alone.ID})
	if got := <-trashed; got != alone.ID {
		t.Errorf("image %s is in the trash, want %s", got, alone.ID)
	}
	if _, err := other.Restore(ctx, alone.ID); err != nil {
		t.Fatal(err)
	}
	if err := other.TrashProject(ctx, within.ProjectID); err != nil {
		t.Fatal(err)
	}
	h.missed()
	if got := <-trashed; got != within.ID {
		t.Errorf("image %s is in the trash, want %s", got, within.ID)
	}
}

// hints are given by hand.
type hints struct {
	listening chan struct{}
	heard     func(segment.News)
	missed    func()
}

func (h *hints) Listen(ctx context.Context, heard func(segment.News), missed func()) {
	h.heard, h.missed = heard, missed
	close(h.listening)
	<-ctx.Done()
}

// A hint brings its image up to date at once, and no other.
func TestFollowHints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := mustOpenWorkspace(t, dir, asIs)
	told := make(chan string, 10)
	server.Watch(func(id string) { told <- id })
	first, second := workspacetest.MustAnnotate(t, server), workspacetest.MustAnnotate(t, server)
	var others []segment.News
	h := &hints{listening: make(chan struct{})}
	defer server.Follow(t.Context(), time.Hour, h, func(n segment.News) { others = append(others, n) })()
	<-h.listening
	other := mustOpenWorkspace(t, dir, asIs)
	for _, a := range []string{first.Image().ID, second.Image().ID} {
		mustAppend(t, mustOpen(t, other, a), label("a", 1, [2]float64{10, 10}))
	}
	h.heard(segment.News{ID: segment.NewID()}) // not open here
	h.heard(segment.News{ID: second.Image().ID})
	if got := <-told; got != second.Image().ID {
		t.Errorf("told of image %s, want %s", got, second.Image().ID)
	}
	if a, b := first.State().Seq, second.State().Seq; a != 0 || b != 1 {
		t.Errorf("the images are at %d and %d, want 0 and 1", a, b)
	}
	h.missed()
	if got := <-told; got != first.Image().ID {
		t.Errorf("told of image %s, want %s", got, first.Image().ID)
	}
	news := []segment.News{{About: segment.UserChanged, ID: "ann"}, {About: segment.ImageErased, ID: segment.NewID()}}
	for _, n := range news {
		h.heard(n)
	}
	if diff := cmp.Diff(news, others); diff != "" {
		t.Errorf("other news (-want +got):\n%s", diff)
	}
}

// An image that is in memory is brought up to date when somebody opens it.
func TestOpenReachesTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	first := workspacetest.MustAnnotate(t, w)
	there := mustOpen(t, mustOpenWorkspace(t, dir, asIs), first.Image().ID)
	mustAppend(t, there, label("a", 1, [2]float64{10, 10}))
	if got := first.State().Seq; got != 0 {
		t.Fatalf("the image is at %d without having been told; the test shows nothing", got)
	}
	again := mustOpen(t, w, first.Image().ID)
	if diff := cmp.Diff(there.State(), again.State()); diff != "" {
		t.Errorf("state (-there +here):\n%s", diff)
	}
}

// A page that sends an event again through another process, because it got no
// answer from the first, gets its number at once.
func TestSameEventThroughTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
	there := mustOpen(t, mustOpenWorkspace(t, dir, asIs), here.Image().ID)
	e := label("a", 1, [2]float64{10, 10})
	mustAppend(t, there, e)
	if seq, err := here.Append(t.Context(), 0, e); seq != 1 || err != nil {
		t.Errorf("Append of the same event = %d, %v, want 1", seq, err)
	}
}

// An event is checked against the stored log, not against what this process knows of
// it: one that was made for the newest state is taken, and a refusal names that state.
func TestExpectedOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here := workspacetest.MustAnnotate(t, mustOpenWorkspace(t, dir, asIs))
	there := mustOpen(t, mustOpenWorkspace(t, dir, asIs), here.Image().ID)
	for i, id := range []string{"a", "b"} {
		mustAppend(t, there, label(id, i, [2]float64{10, 10}))
	}
	_, err := here.Append(t.Context(), 1, label("late", 1, [2]float64{10, 10}))
	if refused := new(segment.Error); !errors.As(err, &refused) || refused.Kind != segment.Conflict || refused.Seq != 2 {
		t.Errorf("Append on top of state 1 of 2: %+v, want a Conflict with Seq 2", err)
	}
	mustAppend(t, there, label("c", 0, [2]float64{10, 10}))
	if seq, err := here.Append(t.Context(), 3, label("d", 1, [2]float64{10, 10})); seq != 4 || err != nil {
		t.Errorf("Append on top of the newest state = %d, %v, want 4", seq, err)
	}
}

// Two processes change the classes of a project at the same time; nothing that
// was confirmed is lost.
func TestEditsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	const each = 10
	dir := t.TempDir()
	here := mustOpenWorkspace(t, dir, asIs)
	there := mustOpenWorkspace(t, dir, asIs)
	p, err := here.CreateProject(t.Context(), "p", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for i, w := range []interface {
		Project(context.Context, string) (segment.Project, error)
		EditProject(context.Context, string, segment.ProjectEdit) (segment.Project, error)
	}{here, there} {
		wait.Go(func() {
			for n := range each {
				name := fmt.Sprintf("class %d of %d", n, i)
				for made := false; !made; {
					p, err := w.Project(t.Context(), p.ID)
					if err != nil {
						t.Error(err)
						return
					}
					edit := segment.ProjectEdit{Base: p.Classes}
					for _, c := range p.Classes {
						edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c})
					}
					edit.Classes = append(edit.Classes, segment.ClassEdit{Class: segment.Class{Name: name}, New: true})
					_, err = w.EditProject(t.Context(), p.ID, edit)
					if made = err == nil; !made && segment.KindOf(err) != segment.Conflict {
						t.Error(err)
						return
					}
				}
				mu.Lock()
				want[name] = true
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if p, err = here.Project(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Classes[2:] {
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("lost: %v", want)
	}
}
