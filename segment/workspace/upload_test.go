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
