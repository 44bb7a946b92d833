package workspace_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/workspacetest"
)

// together are blobs whose originals are stored when so many have come.
type together struct {
	segment.Blobs
	coming *sync.WaitGroup
}

func (b together) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	if strings.HasPrefix(key, "original/") {
		b.coming.Done()
		b.coming.Wait()
	}
	return b.Blobs.Put(ctx, key, write)
}

// Uploads that begin together don't pass the limit together, and nothing is kept of
// those that are refused.
func TestUploadsAtTheLimit(t *testing.T) {
	const n, limit = 4, 2
	var coming, done sync.WaitGroup
	coming.Add(n)
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return together{b, &coming} })
	p.LimitImages(limit)
	project, err := p.CreateProject(t.Context(), "Full", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := grain(t, 40, 30)
	errs := make([]error, n)
	for i := range n {
		done.Go(func() { _, errs[i] = p.AddImage(t.Context(), project.ID, "a.jpg", bytes.NewReader(file)) })
	}
	done.Wait()
	refused := 0
	for _, err := range errs {
		if segment.KindOf(err) == segment.TooLarge {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	images, err := p.ImagesAfter(t.Context(), project.ID, "", 1e6)
	if err != nil || len(images) != limit || refused != n-limit {
		t.Errorf("%d images, %d refused, %v", len(images), refused, err)
	}
	if blobs := p.count(t); blobs != limit*len(append(images[0].Keys(), images[0].FeaturesKey())) {
		t.Errorf("%d blobs of %d images", blobs, len(images))
	}
}

// overtaken are blobs that call meanwhile before they store an original.
type overtaken struct {
	segment.Blobs
	meanwhile func(ctx context.Context) error
}

func (b overtaken) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	if strings.HasPrefix(key, "original/") {
		if err := b.meanwhile(ctx); err != nil {
			return err
		}
	}
	return b.Blobs.Put(ctx, key, write)
}

// An upload ends with the right to: nothing is kept of a file that was on its way when
// the member's role was lowered or taken away.
func TestUploadAfterTheRole(t *testing.T) {
	for _, left := range []access.Role{access.Viewer, access.Nobody} {
		var p pile
		var project segment.Project
		p = mustOpenPile(t, func(b *blob.Store) segment.Blobs {
			return overtaken{b, func(ctx context.Context) error {
				_, err := p.store.SetMember(ctx, project.ID, "ann", left, "")
				return err
			}}
		})
		ann := accounts.User{ID: segment.NewID(), Name: "ann", Role: access.User, Created: segment.Now()}
		if err := p.store.CreateUser(t.Context(), ann); err != nil {
			t.Fatal(err)
		}
		var err error
		if project, err = p.CreateProject(t.Context(), "Hers", nil, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := p.store.SetMember(t.Context(), project.ID, "ann", access.Annotator, ""); err != nil {
			t.Fatal(err)
		}
		_, err = p.AddImage(access.With(t.Context(), ann.Principal()), project.ID, "a.png", workspacetest.Halves(t))
		if segment.KindOf(err) != segment.NotFound {
			t.Errorf("a %v has uploaded an image: %v", left, err)
		}
		if images, err := p.CountImages(t.Context(), project.ID); err != nil || images != 0 || p.count(t) != 0 {
			t.Errorf("a %v has left %d images, %d blobs, %v", left, images, p.count(t), err)
		}
	}
}

// The trash is no way past the limit; an image comes back once there is room.
func TestRestoreAtTheLimit(t *testing.T) {
	ctx := access.With(t.Context(), access.Operator)
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return b })
	p.LimitImages(1)
	first := workspacetest.MustAnnotate(t, p.Workspace).Image()
	if err := p.TrashImage(ctx, first.ID); err != nil {
		t.Fatal(err)
	}
	second, err := p.AddImage(ctx, first.ProjectID, "b.png", workspacetest.Halves(t))
	if err != nil {
		t.Fatal(err)
	}
	_, alone := p.Restore(ctx, first.ID)
	for _, err := range []error{alone, p.RestoreImages(ctx, first.ProjectID, []string{first.ID})} {
		if segment.KindOf(err) != segment.Conflict || !strings.Contains(err.Error(), "1 image, which is the limit") {
			t.Errorf("restored beside another: %v", err)
		}
	}
	if err := p.TrashImage(ctx, second.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Restore(ctx, first.ID); err != nil {
		t.Error(err)
	}
	images, err := p.ImagesAfter(ctx, first.ProjectID, "", 1e6)
	if err != nil || len(images) != 1 || images[0].ID != first.ID {
		t.Errorf("images %v, %v", images, err)
	}
	if err := p.TrashProject(ctx, first.ProjectID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Restore(ctx, first.ProjectID); err != nil {
		t.Errorf("a full project: %v", err)
	}
}

// BenchmarkUpload12MP is all that the server does with a photograph of 12
// megapixels, the store included.
func BenchmarkUpload12MP(b *testing.B) {
	file := grain(b, 4000, 3000)
	w := mustTune(b, workspace.Options{})
	p, err := w.CreateProject(b.Context(), "Large", nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.AddImage(b.Context(), p.ID, "large.jpg", bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
}
