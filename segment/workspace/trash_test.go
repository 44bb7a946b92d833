package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/sqlite"
	"collie/storage/workspacetest"
)

// pile is a workspace with its stores at hand.
type pile struct {
	*workspace.Workspace
	store *sqlite.Store
	blobs *blob.Store
}

func mustOpenPile(tb testing.TB, wrap func(*blob.Store) segment.Blobs) pile {
	tb.Helper()
	f := workspacetest.MustOpenFolder(tb, tb.TempDir())
	return pile{workspace.New(f.Store, wrap(f.Blobs), photo.NewGate(photo.Limits{})), f.Store, f.Blobs}
}

// count is how many blobs there are.
func (p pile) count(tb testing.TB) (n int) {
	tb.Helper()
	for _, err := range p.blobs.All(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		n++
	}
	return n
}

func TestSweep(t *testing.T) {
	ctx := access.With(t.Context(), access.Operator)
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return b })
	kept, gone := workspacetest.MustAnnotate(t, p.Workspace).Image(), workspacetest.MustAnnotate(t, p.Workspace).Image()
	empty, err := p.CreateProject(ctx, "Nothing", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	each := p.count(t) / 2
	for _, key := range []string{"original/upload-that-failed", "exports/of-somebody"} {
		if err := p.blobs.Put(ctx, key, func(io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.TrashImage(ctx, gone.ID); err != nil {
		t.Fatal(err)
	}
	sweep := func(after time.Duration, want workspace.Swept, blobs int) {
		t.Helper()
		got, err := p.Sweep(ctx, time.Now().Add(after))
		if err != nil || got != want || p.count(t) != blobs {
			t.Errorf("after %v: %+v, %v, %d blobs left; want %+v, %d", after, got, err, p.count(t), want, blobs)
		}
	}
	const day = 24 * time.Hour
	sweep(day-time.Minute, workspace.Swept{}, 2*each+2)
	sweep(day+time.Minute, workspace.Swept{Orphans: 1}, 2*each+1)
	sweep(segment.TrashDays*day-time.Hour, workspace.Swept{}, 2*each+1)
	sweep(segment.TrashDays*day+time.Hour, workspace.Swept{Images: 1}, each+1)
	log, err := p.store.EntriesBefore(ctx, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if e, want := log[0], fmt.Sprintf("1 image: %q %s", gone.Name, gone.ID); e.Action != audit.Erased || e.Detail != want {
		t.Errorf("the audit log says %s, %s; want %s", e.Action, e.Detail, want)
	}
	if err := p.TrashProject(ctx, empty.ID); err != nil {
		t.Fatal(err)
	}
	sweep(segment.TrashDays*day+time.Hour, workspace.Swept{Projects: 1}, each+1)
	if log, err = p.store.EntriesBefore(ctx, 0, 1); err != nil {
		t.Fatal(err)
	}
	if e, want := log[0], fmt.Sprintf("1 project: %q %s", empty.Name, empty.ID); e.Action != audit.Erased || e.Detail != want {
		t.Errorf("the audit log says %s, %s; want %s", e.Action, e.Detail, want)
	}
	if _, err := p.Restore(ctx, gone.ID); segment.KindOf(err) != segment.NotFound {
		t.Errorf("restoring what was erased: %v", err)
	}
	if _, err := p.Workspace.Image(ctx, kept.ID); err != nil {
		t.Error(err)
	}
	mustOpen(t, p.Workspace, kept.ID)
}

// last are blobs whose first removal is the last that happens.
type last struct {
	segment.Blobs
	stop func()
}

func (l *last) Remove(context.Context, string) error {
	l.stop()
	return context.Canceled
}

// What a sweep erases is in the audit log even if the server is killed at once.
func TestInterruptedSweepIsRecorded(t *testing.T) {
	ctx, stop := context.WithCancel(access.With(t.Context(), access.Operator))
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return &last{b, stop} })
	gone := workspacetest.MustAnnotate(t, p.Workspace).Image()
	if err := p.TrashImage(ctx, gone.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Sweep(ctx, time.Now().AddDate(0, 0, segment.TrashDays+1)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	log, err := p.store.EntriesBefore(t.Context(), 0, 1)
	if err != nil || log[0].Action != audit.Erased {
		t.Errorf("the audit log ends with %+v, %v", log, err)
	}
}

// breaking is a store of blobs that fails at the n-th.
type breaking struct {
	segment.Blobs
	left int
	err  error
}

func (b *breaking) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	if b.left--; b.left < 0 {
		return b.err
	}
	return b.Blobs.Put(ctx, key, write)
}

// An image that can't be stored leaves nothing behind, unless the store doesn't
// know whether it was stored.
func TestFailedUploadLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		err  error
		left int
	}{
		{segment.Errorf(segment.Full, "full"), 0},
		{context.Canceled, 0},
		{segment.Errorf(segment.Unavailable, "broken"), 3},
		{segment.Errorf(segment.Unavailable, "read-only").Unchanged(), 0},
	} {
		p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return &breaking{b, 3, c.err} })
		project, err := p.CreateProject(t.Context(), "Halves", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.AddImage(t.Context(), project.ID, "halves.png", workspacetest.Halves(t)); !errors.Is(err, c.err) {
			t.Errorf("error %v, want %v", err, c.err)
		}
		if n := p.count(t); n != c.left {
			t.Errorf("%v: %d blobs left, want %d", c.err, n, c.left)
		}
	}
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return b })
	if _, err := p.AddImage(t.Context(), "nope", "halves.png", workspacetest.Halves(t)); segment.KindOf(err) != segment.NotFound || p.count(t) != 0 {
		t.Errorf("an image of no project: %v", err)
	}
	if _, err := p.AddImage(t.Context(), "nope", "x", strings.NewReader("no image")); err == nil || p.count(t) != 0 {
		t.Errorf("no image: %v", err)
	}
}
