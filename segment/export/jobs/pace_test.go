package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"

	"collie/segment/export"
	"collie/segment/export/jobs"
	"collie/storage/workspacetest"
)

// Every image of a job waits for its turn where jobs keep to a pace.
func TestJobsKeepToAPace(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := newProject(t, w)
	j := newJobs(t, w, mustOpenBlobs(t, t.TempDir()), newQueue(t))
	var pieces, running, most atomic.Int32
	j.KeepTo(func(ctx context.Context, piece func()) error {
		return w.Long(ctx, func() {
			pieces.Add(1)
			most.Store(max(most.Load(), running.Add(1)))
			piece()
			running.Add(-1)
		})
	})
	id, err := j.Start(t.Context(), p.ID, "voc", export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := ended(t, j, id); s.State != jobs.Done || int(pieces.Load()) != len(images) {
		t.Errorf("the job ended with %+v after %d pieces of %d images", s, pieces.Load(), len(images))
	}
	j.KeepTo(func(context.Context, func()) error { return context.DeadlineExceeded })
	if id, err = j.Start(t.Context(), p.ID, "voc", export.Options{}); err != nil {
		t.Fatal(err)
	}
	if s := ended(t, j, id); s.State != jobs.Failed {
		t.Errorf("a job whose pieces may not run ended with %+v", s)
	}
}
