package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/export"
	"collie/segment/export/jobs"
	"collie/segment/job"
	"collie/segment/workspace"
	"collie/storage/disk"
	"collie/storage/workspacetest"
)

// broken is a source whose files cannot be read, or whose reader panics.
type broken struct {
	*workspace.Workspace
	panics bool
}

func (b *broken) Blob(context.Context, segment.Image, string) (io.ReadSeekCloser, error) {
	if b.panics {
		panic("no")
	}
	return nil, errors.New("the disk said something secret")
}

func TestFailedJob(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	for _, source := range []*broken{{w, false}, {w, true}} {
		blobs := mustOpenBlobs(t, t.TempDir())
		var log bytes.Buffer
		j := jobs.New(source, blobs, newQueue(t), slog.New(slog.NewTextHandler(&log, nil)))
		t.Cleanup(j.Close)
		id, err := j.Start(t.Context(), p.ID, "backup", export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := ended(t, j, id)
		if s.State != jobs.Failed || s.Problem == "" || strings.Contains(s.Problem, "secret") {
			t.Errorf("%+v", s)
		}
		if j.Close(); !strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("the log of a failure: %s", log.String())
		}
		for _, key := range exportKeys(t, blobs) {
			if strings.Contains(key, "/file") {
				t.Errorf("there is %s", key)
			}
		}
	}
}

// trashing is a source whose project goes to the trash when its first image is opened.
type trashing struct {
	*workspace.Workspace
	project string
	once    sync.Once
}

func (s *trashing) Visit(ctx context.Context, imageID string) (a *annotation.Annotation, err error) {
	s.once.Do(func() { err = s.TrashProject(ctx, s.project) })
	if err != nil {
		return nil, err
	}
	return s.Workspace.Visit(ctx, imageID)
}

// A project that goes to the trash during its export is no fault of the server. Whoever
// waits for the export reads where the project is, and then that the export needs it.
func TestExportOfTrashedProject(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	var log bytes.Buffer
	queue := newQueue(t)
	j := jobs.New(&trashing{Workspace: w, project: p.ID}, mustOpenBlobs(t, t.TempDir()), queue, slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(j.Close)
	id, err := j.Start(t.Context(), p.ID, "backup", export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); err == nil && time.Now().Before(end); time.Sleep(time.Millisecond) {
		_, err = j.Status(t.Context(), id)
	}
	if segment.KindOf(err) != segment.NotFound || !strings.Contains(err.Error(), "its project is in the trash") {
		t.Errorf("while the project is in the trash: %v", err)
	}
	// Restored earlier, the project would be there again for the export.
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if u, err := queue.Job(t.Context(), id); err != nil {
			t.Fatal(err)
		} else if u.State == job.Ended {
			break
		}
	}
	if _, err := w.Restore(access.With(t.Context(), access.Operator), p.ID); err != nil {
		t.Fatal(err)
	}
	if s := ended(t, j, id); s.State != jobs.Failed || !strings.Contains(s.Problem, "moved to the trash during the export") {
		t.Errorf("%+v", s)
	}
	if j.Close(); !strings.Contains(log.String(), "export failed") || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("the log: %s", log.String())
	}
}

// lost is a source whose files are lost.
type lost struct{ export.Source }

func (lost) Blob(context.Context, segment.Image, string) (io.ReadSeekCloser, error) {
	return nil, segment.Errorf(segment.Damaged, "A file of the image \"b.png\" can't be used.")
}

// A backup of nothing but images whose files are lost says what is wrong.
func TestExportOfLostFiles(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	j := newJobs(t, lost{w}, mustOpenBlobs(t, t.TempDir()), newQueue(t))
	id, err := j.Start(t.Context(), p.ID, "backup", export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := ended(t, j, id); s.State != jobs.Failed || !strings.Contains(s.Problem, "b.png") {
		t.Errorf("%+v", s)
	}
}

// away are files that can't be reached a number of times.
type away struct {
	segment.Blobs
	times atomic.Int32
}

func (a *away) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	if a.times.Add(-1) >= 0 {
		return segment.Errorf(segment.Unavailable, "The bucket can't be reached.")
	}
	return a.Blobs.Put(ctx, key, write)
}

// An export waits while its files can't be stored. Cancelled meanwhile, it ends at once.
func TestExportWaitsForFiles(t *testing.T) {
	t.Parallel()
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	blobs := &away{Blobs: mustOpenBlobs(t, t.TempDir())}
	blobs.times.Store(1)
	j := newJobs(t, w, blobs, newQueue(t))
	begin := func() (id string) {
		t.Helper()
		id, err := j.Start(t.Context(), p.ID, "voc", export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := begin()
	if s := ended(t, j, id); s.State != jobs.Done {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"export/" + id + "/file-2"}, exportKeys(t, blobs)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	blobs.times.Store(1000)
	id = begin()
	for blobs.times.Load() == 1000 {
		time.Sleep(time.Millisecond)
	}
	if err := j.Cancel(t.Context(), id); err != nil {
		t.Error(err)
	}
	if left := blobs.times.Load(); left != 999 {
		t.Errorf("tried %d times", 1000-left)
	}
}

// crowded are files on a disk without room.
type crowded struct{ segment.Blobs }

func (crowded) Put(context.Context, string, func(io.Writer) error) error {
	return disk.Full(syscall.ENOSPC)
}

// An export changes nothing, so what is said of one that finds no room isn't about a
// change.
func TestExportWithoutRoom(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	j := newJobs(t, w, crowded{mustOpenBlobs(t, t.TempDir())}, newQueue(t))
	id, err := j.Start(t.Context(), p.ID, "backup", export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := ended(t, j, id); s.State != jobs.Failed || !strings.Contains(s.Problem, "disk is full") || strings.Contains(s.Problem, "change") {
		t.Errorf("%+v", s)
	}
}
