package export_test

import (
	"context"
	"io"
	"testing"
	"time"

	"collie/segment/export"
	"collie/segment/schedule"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// asking is a workspace that says when an export asks for memory.
type asking struct {
	*workspace.Workspace
	asked chan struct{} // takes one
}

func (a asking) Pictures(ctx context.Context, n int64) (func(), error) {
	select {
	case a.asked <- struct{}{}:
	default:
	}
	return a.Workspace.Pictures(ctx, n)
}

// An upload has memory for its photograph when it waits for room to decode it. An
// export that waits for that memory leaves it the room.
func TestExportLetsUploadsGoOn(t *testing.T) {
	t.Parallel()
	w := workspacetest.MustOpenFolder(t, t.TempDir()).Workspace(workspace.Options{Schedule: schedule.Limits{Long: 1}})
	p, _ := twoImages(t, w)
	source := asking{w, make(chan struct{}, 1)}
	give, err := w.Pictures(t.Context(), w.PhotoLimits().Memory)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() {
		_, err := export.Write(export.AtPace(t.Context(), w.Long), io.Discard, source, p.ID, "voc", export.Options{}, nil)
		written <- err
	}()
	<-source.asked
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.Long(ctx, func() {}); err != nil {
		t.Errorf("beside an export that waits for memory: %v", err)
	}
	give()
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// greedy is a workspace whose exports take all memory for each image.
type greedy struct{ *workspace.Workspace }

func (g greedy) Pictures(ctx context.Context, _ int64) (func(), error) {
	return g.Workspace.Pictures(ctx, g.PhotoLimits().Memory)
}

// Lost superpixels are made again within an export that has all memory and all room.
func TestExportRemakesSuperpixels(t *testing.T) {
	t.Parallel()
	f := workspacetest.MustOpenFolder(t, t.TempDir())
	p, images := twoImages(t, f.Workspace())
	for _, im := range images {
		if err := f.Blobs.Remove(t.Context(), im.HierarchyKey()); err != nil {
			t.Fatal(err)
		}
	}
	w := f.Workspace(workspace.Options{Schedule: schedule.Limits{Long: 1}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	report, err := export.Write(export.AtPace(ctx, w.Long), io.Discard, greedy{w}, p.ID, "voc", export.Options{}, nil)
	if err != nil || report.Exported != len(images) {
		t.Errorf("%+v, %v", report, err)
	}
}
