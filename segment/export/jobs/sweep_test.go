package jobs_test

import (
	"context"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/export/jobs"
	"collie/segment/job"
	"collie/storage/blob"
	"collie/storage/workspacetest"
)

// older shows files as if they had been written a while ago.
type older struct {
	*blob.Store
	age time.Duration
}

func (o *older) All(ctx context.Context) iter.Seq2[segment.BlobInfo, error] {
	return func(yield func(segment.BlobInfo, error) bool) {
		for b, err := range o.Store.All(ctx) {
			b.Modified = b.Modified.Add(-o.age)
			if !yield(b, err) {
				return
			}
		}
	}
}

// olderQueue shows jobs as if they had ended a while ago.
type olderQueue struct {
	job.Store
	age atomic.Int64
}

func (o *olderQueue) Old(ctx context.Context, kind string, keep int, age time.Duration) ([]job.Job, error) {
	return o.Store.Old(ctx, kind, keep, age-time.Duration(o.age.Load()))
}

// Jobs that ended long ago are removed with their files, and so are old files
// without a job.
func TestOldExportsAreSwept(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := newProject(t, w)
	blobs := &older{mustOpenBlobs(t, t.TempDir()), 25 * time.Hour}
	orphan := "export/" + segment.NewID() + "/result"
	for _, key := range []string{images[0].OriginalKey(), orphan} {
		if err := blobs.Put(t.Context(), key, func(io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	queue := &olderQueue{Store: newQueue(t)}
	j := newJobs(t, w, blobs, queue)
	run := func() string {
		id, err := j.Start(t.Context(), p.ID, "index-png", export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ended(t, j, id)
		return id
	}
	first, second := run(), run()
	if diff := cmp.Diff([]string{"export/" + first + "/file-1", "export/" + second + "/file-1"}, exportKeys(t, blobs), cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("recent exports (-want +got):\n%s", diff)
	}
	queue.age.Store(int64(25 * time.Hour))
	last := run()
	for _, id := range []string{first, second} {
		if _, err := j.Status(t.Context(), id); segment.KindOf(err) != segment.NotFound {
			t.Errorf("an old export: %v", err)
		}
	}
	if s, err := j.Status(t.Context(), last); err != nil || s.State != jobs.Done {
		t.Errorf("%+v, %v", s, err)
	}
	if diff := cmp.Diff([]string{"export/" + last + "/file-1"}, exportKeys(t, blobs)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if _, err := blobs.Open(t.Context(), images[0].OriginalKey()); err != nil {
		t.Errorf("a file that is no export: %v", err)
	}
}

// Old exports go without another one, also those of a server that has been off: they
// may hold what has been erased since.
func TestOldExportsGoByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := workspacetest.MustOpen(t)
		p, _ := newProject(t, w)
		blobs, queue := mustOpenBlobs(t, t.TempDir()), &olderQueue{Store: newQueue(t)}
		for name, wait := range map[string]func(*jobs.Jobs) *jobs.Jobs{
			"after a day":     func(j *jobs.Jobs) *jobs.Jobs { time.Sleep(time.Hour); return j },
			"after a restart": func(j *jobs.Jobs) *jobs.Jobs { j.Close(); return newJobs(t, w, blobs, queue) },
		} {
			queue.age.Store(0)
			j := newJobs(t, w, blobs, queue)
			id, err := j.Start(t.Context(), p.ID, "index-png", export.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ended(t, j, id)
			queue.age.Store(int64(25 * time.Hour))
			j = wait(j)
			time.Sleep(time.Second)
			if left := exportKeys(t, blobs); len(left) > 0 {
				t.Errorf("%s there is %v", name, left)
			}
			j.Close()
		}
	})
}

// watched calls at with the key of each blob before it comes, and before and
// after it goes.
type watched struct {
	segment.Blobs
	at func(key string)
}

func (w *watched) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	w.at(key)
	return w.Blobs.Put(ctx, key, write)
}

func (w *watched) Remove(ctx context.Context, key string) error {
	w.at(key)
	defer w.at(key)
	return w.Blobs.Remove(ctx, key)
}

// An export is not done before its file is on the disk, and one that is being swept
// is gone before its file goes.
func TestStatusFollowsTheDisk(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	blobs := &watched{Blobs: mustOpenBlobs(t, t.TempDir())}
	queue := &olderQueue{Store: newQueue(t)}
	queue.age.Store(int64(25 * time.Hour))
	j := newJobs(t, w, blobs, queue)
	var mu sync.Mutex
	told := map[string][]string{} // of each job, the part that comes or goes and the state
	blobs.at = func(key string) {
		id, part, _ := strings.Cut(strings.TrimPrefix(key, "export/"), "/")
		s, err := j.Status(t.Context(), id)
		state := string(s.State)
		if segment.KindOf(err) == segment.NotFound {
			state = "gone"
		} else if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		told[id] = append(told[id], part+" "+state)
	}
	var ids []string
	for range 2 {
		id, err := j.Start(t.Context(), p.ID, "index-png", export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ended(t, j, id)
		ids = append(ids, id)
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(map[string][]string{ids[0]: {"file-1 running", "file-1 gone", "file-1 gone"}, ids[1]: {"file-1 running"}}, told); diff != "" {
		t.Errorf("what was told (-want +got):\n%s", diff)
	}
}
