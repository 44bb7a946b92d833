package workspace_test

import (
	"context"
	"testing"
	"time"

	"collie/segment"
	"collie/storage/workspacetest"
)

// heldStore is a store in which appending waits until it is released.
type heldStore struct {
	segment.Store
	appending, free chan struct{}
	updated         chan struct{} // a project has been stored
}

func (s *heldStore) Append(ctx context.Context, id string, expected int, e segment.Event, p segment.Progress, more ...segment.Event) error {
	s.appending <- struct{}{}
	<-s.free
	return s.Store.Append(ctx, id, expected, e, p, more...)
}

func (s *heldStore) UpdateProject(ctx context.Context, p segment.Project) error {
	defer func() { s.updated <- struct{}{} }()
	return s.Store.UpdateProject(ctx, p)
}

// While an image is busy, a change of its classes waits for it, but edits of other
// projects don't wait with that.
func TestEditsDoNotWaitForImagesOfOthers(t *testing.T) {
	held := &heldStore{appending: make(chan struct{}), free: make(chan struct{}), updated: make(chan struct{}, 2)}
	w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store {
		held.Store = s
		return held
	})
	a := workspacetest.MustAnnotate(t, w)
	other, err := w.CreateProject(t.Context(), "Other", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	done := make(chan error, 2)
	go func() {
		_, err := a.Append(ctx, 0, label("a", 1, [2]float64{10, 40}))
		done <- err
	}()
	<-held.appending
	go func() {
		edit := segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 1}}, {Class: segment.Class{ID: 0}}}}
		_, err := w.EditProject(ctx, a.Image().ProjectID, edit)
		done <- err
	}()
	<-held.updated
	edited := make(chan error, 1)
	go func() {
		_, err := w.EditProject(ctx, other.ID, segment.ProjectEdit{Name: "New"})
		edited <- err
	}()
	select {
	case err := <-edited:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("an edit of another project waits for an image")
	}
	close(held.free)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := a.Project().Classes[0].ID; got != 1 {
		t.Errorf("the image has not heard of the new order: class %d comes first", got)
	}
}
