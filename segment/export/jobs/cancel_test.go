package jobs_test

import (
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/export/jobs"
	"collie/segment/job"
	"collie/storage/workspacetest"
)

// files lists the files under a folder.
func files(tb testing.TB, dir string) []string {
	tb.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// gone checks that a job can't be found, even after a restart, and has left
// nothing behind.
func gone(tb testing.TB, j *jobs.Jobs, blobs segment.Blobs, queue job.Store, source export.Source, id string) {
	tb.Helper()
	other := newJobs(tb, source, blobs, queue)
	defer other.Close()
	for what, j := range map[string]*jobs.Jobs{"at once": j, "at another server": other} {
		if s, err := j.Status(tb.Context(), id); segment.KindOf(err) != segment.NotFound {
			tb.Errorf("%s a job that was cancelled is %+v, %v", what, s, err)
		}
		if err := j.Cancel(tb.Context(), id); segment.KindOf(err) != segment.NotFound {
			tb.Errorf("%s it can be cancelled again: %v", what, err)
		}
	}
	for _, key := range exportKeys(tb, blobs) {
		if strings.Contains(key, id) {
			tb.Errorf("left: %s", key)
		}
	}
}

// Running, waiting, finished and interrupted jobs are cancelled; the others go on,
// and nothing that was being written is left.
func TestCancel(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	dir := t.TempDir()
	blobs := mustOpenBlobs(t, dir)
	before := files(t, dir)
	source, queue := &stuck{w, make(chan struct{})}, newQueue(t)
	j := newJobs(t, source, blobs, queue)
	start := func() string {
		t.Helper()
		id, err := j.Start(t.Context(), p.ID, "voc", export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	cancel := func(id string) {
		t.Helper()
		if err := j.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		gone(t, j, blobs, queue, source, id)
	}
	running := start()
	for s := (jobs.Status{}); s.ImagesTotal == 0; time.Sleep(time.Millisecond) {
		var err error
		if s, err = j.Status(t.Context(), running); err != nil {
			t.Fatal(err)
		}
	}
	waiting, next := start(), start()
	cancel(waiting)
	cancel(running)
	close(source.open)
	if s := ended(t, j, next); s.State != jobs.Done {
		t.Errorf("the job behind the cancelled ones: %+v", s)
	}
	cancel(next)
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("files before and after:\n%s", diff)
	}

	source.open = make(chan struct{})
	interrupted := start()
	j.Close()
	j = newJobs(t, source, blobs, queue)
	if s, err := j.Status(t.Context(), interrupted); err != nil || s.State == jobs.Done || s.State == jobs.Failed {
		t.Errorf("interrupted: %+v, %v", s, err)
	}
	cancel(interrupted)
	if err := j.Cancel(t.Context(), "nobody"); segment.KindOf(err) != segment.NotFound {
		t.Errorf("an unknown job: %v", err)
	}
}

// A job cancelled at the moment when its file reaches the disk leaves nothing either,
// and is never seen as failed.
func TestCancelAtTheEnd(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	blobs := &watched{Blobs: mustOpenBlobs(t, t.TempDir())}
	queue := newQueue(t)
	j := newJobs(t, w, blobs, queue)
	var cancelled sync.WaitGroup
	var once sync.Once
	blobs.at = func(key string) {
		id, _, _ := strings.Cut(strings.TrimPrefix(key, "export/"), "/")
		if s, err := j.Status(t.Context(), id); err == nil && s.State == jobs.Failed {
			t.Error("the job is found failed")
		}
		once.Do(func() {
			cancelled.Go(func() {
				if err := j.Cancel(t.Context(), id); err != nil {
					t.Error(err)
				}
			})
			removed := func() bool { _, err := queue.Job(t.Context(), id); return segment.KindOf(err) == segment.NotFound }
			for limit := time.Now().Add(2 * time.Minute); !removed() && time.Now().Before(limit); {
				time.Sleep(time.Millisecond)
			}
		})
	}
	id, err := j.Start(t.Context(), p.ID, "voc", export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(2 * time.Minute); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		if _, err := j.Status(t.Context(), id); segment.KindOf(err) == segment.NotFound {
			break
		}
	}
	cancelled.Wait()
	gone(t, j, blobs, queue, w, id)
}
