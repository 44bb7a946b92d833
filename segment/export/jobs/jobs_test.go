package jobs_test

import (
	"bytes"
	"context"
	"image"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/export"
	"collie/segment/export/jobs"
	"collie/segment/job"
	"collie/segment/photo/phototest"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/sqlite"
	"collie/storage/workspacetest"
)

func mustOpenBlobs(tb testing.TB, dir string) *blob.Store {
	tb.Helper()
	blobs, err := blob.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := blobs.Close(); err != nil {
			tb.Error(err)
		}
	})
	return blobs
}

// newProject makes a project of three images with a click each.
func newProject(tb testing.TB, w *workspace.Workspace) (segment.Project, []segment.Image) {
	tb.Helper()
	p, err := w.CreateProject(tb.Context(), "Three", nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	file := phototest.MustPNG(tb, image.NewNRGBA(image.Rect(0, 0, 60, 40)))
	var images []segment.Image
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		im, err := w.AddImage(tb.Context(), p.ID, name, bytes.NewReader(file))
		if err != nil {
			tb.Fatal(err)
		}
		a, err := w.Open(tb.Context(), im.ID)
		if err != nil {
			tb.Fatal(err)
		}
		_, err = a.Append(tb.Context(), 0, segment.Event{ID: "click", Kind: segment.Label, Class: 1, Points: [][2]float64{{30, 20}}})
		if a.Close(); err != nil {
			tb.Fatal(err)
		}
		images = append(images, im.Image)
	}
	return p, images
}

// newQueue returns an empty table of jobs.
func newQueue(tb testing.TB) job.Store {
	tb.Helper()
	store, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "jobs.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	return store
}

func newJobs(tb testing.TB, source export.Source, blobs segment.Blobs, queue job.Store) *jobs.Jobs {
	tb.Helper()
	j := jobs.New(source, blobs, queue, slog.New(slog.DiscardHandler))
	tb.Cleanup(j.Close)
	return j
}

// ended waits for the end of a job.
func ended(tb testing.TB, j *jobs.Jobs, id string) jobs.Status {
	tb.Helper()
	for limit := time.Now().Add(2 * time.Minute); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		s, err := j.Status(tb.Context(), id)
		if err != nil {
			tb.Fatal(err)
		}
		if s.State == jobs.Done || s.State == jobs.Failed {
			return s
		}
	}
	tb.Fatal("the job does not end")
	return jobs.Status{}
}

func exportKeys(tb testing.TB, blobs segment.Blobs) []string {
	tb.Helper()
	var keys []string
	for b, err := range blobs.All(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		if strings.HasPrefix(b.Key, "export/") {
			keys = append(keys, b.Key)
		}
	}
	return keys
}

// After a restart a finished job is still finished and has its file.
func TestJobs(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	blobs := mustOpenBlobs(t, t.TempDir())
	queue := newQueue(t)
	j := newJobs(t, w, blobs, queue)
	id, err := j.Start(t.Context(), p.ID, "coco", export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	done := ended(t, j, id)
	if done.State != jobs.Done || done.Report == nil || done.ImagesDone != 3 || done.Problem != "" {
		t.Fatalf("%+v", done)
	}
	j.Close()

	again := newJobs(t, w, blobs, queue)
	status, file, err := again.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if diff := cmp.Diff(done, status); diff != "" {
		t.Errorf("status before and after a restart:\n%s", diff)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	var direct bytes.Buffer
	if _, err := export.Write(t.Context(), &direct, w, p.ID, "coco", export.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(content, direct.Bytes()) {
		t.Error("the job's file is not what Write writes")
	}
	for _, unknown := range []string{"", "x", "../../etc/passwd", strings.Repeat("a", 26)} {
		if _, err := again.Status(t.Context(), unknown); segment.KindOf(err) != segment.NotFound {
			t.Errorf("job %q: %v", unknown, err)
		}
	}
}

// stuck is a source whose images don't open until it is released or the caller
// gives up.
type stuck struct {
	*workspace.Workspace
	open chan struct{}
}

func (s *stuck) Visit(ctx context.Context, id string) (*annotation.Annotation, error) {
	select {
	case <-s.open:
		return s.Workspace.Visit(ctx, id)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A job that a stop interrupts leaves no file and goes on after the restart, at
// this server or at another one.
func TestInterruptedJob(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	blobs, queue := mustOpenBlobs(t, t.TempDir()), newQueue(t)
	source := &stuck{w, make(chan struct{})}
	j := newJobs(t, source, blobs, queue)
	id, err := j.Start(t.Context(), p.ID, "voc", export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for s := (jobs.Status{}); s.ImagesTotal == 0; time.Sleep(time.Millisecond) {
		if s, err = j.Status(t.Context(), id); err != nil || s.State == jobs.Done {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	if _, _, err := j.Open(t.Context(), id); segment.KindOf(err) != segment.NotFound {
		t.Errorf("the file of a job under way: %v", err)
	}
	j.Close()
	if _, err := j.Start(t.Context(), p.ID, "voc", export.Options{}); segment.KindOf(err) != segment.Unavailable {
		t.Errorf("a job after the end: %v", err)
	}
	if s, err := j.Status(t.Context(), id); err != nil || s.State != jobs.Waiting {
		t.Errorf("%+v, %v", s, err)
	}
	if keys := exportKeys(t, blobs); len(keys) > 0 {
		t.Errorf("left: %v", keys)
	}
	close(source.open)
	again := newJobs(t, source, blobs, queue)
	if s := ended(t, again, id); s.State != jobs.Done || s.ImagesDone != 3 {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"export/" + id + "/file-2"}, exportKeys(t, blobs)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// A job that stops the server again and again is given up.
func TestJobGivenUp(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	blobs, queue := mustOpenBlobs(t, t.TempDir()), newQueue(t)
	source := &stuck{w, make(chan struct{})}
	var id string
	for range 10 {
		j := newJobs(t, source, blobs, queue)
		if id == "" {
			var err error
			if id, err = j.Start(t.Context(), p.ID, "voc", export.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		for s := (jobs.Status{}); s.ImagesTotal == 0; time.Sleep(time.Millisecond) {
			var err error
			if s, err = j.Status(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		j.Close()
	}
	if s := ended(t, newJobs(t, source, blobs, queue), id); s.State != jobs.Failed || !strings.Contains(s.Problem, "stopped") {
		t.Errorf("%+v", s)
	}
}

// An export has its requester's rights even when another server makes it, also those
// of an admin's API token, which bounds the role.
func TestJobKeepsRights(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	queue := newQueue(t)
	source := &asked{Workspace: w}
	j := newJobs(t, source, mustOpenBlobs(t, t.TempDir()), queue)
	for _, scope := range []access.Scope{"", access.ReadOnly, access.Annotating, access.Unrestricted} {
		ann := access.Principal{User: "ann", Name: "Ann", Role: scope.Limit(access.Admin), Scope: scope}
		id, err := j.Start(access.With(t.Context(), ann), p.ID, "voc", export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s := ended(t, j, id); s.State != jobs.Done || s.By != "ann" {
			t.Errorf("scope %q: %+v", scope, s)
		}
		taken := source.taken()
		if len(taken) == 0 {
			t.Errorf("scope %q: no image was read", scope)
		}
		for _, by := range taken {
			if by != ann {
				t.Errorf("scope %q: an image was read for %+v", scope, by)
			}
		}
	}
}

// asked records on whose behalf images are read.
type asked struct {
	*workspace.Workspace
	sync.Mutex
	by []access.Principal
}

func (a *asked) Visit(ctx context.Context, id string) (*annotation.Annotation, error) {
	p, _ := access.From(ctx)
	a.Lock()
	a.by = append(a.by, p)
	a.Unlock()
	return a.Workspace.Visit(ctx, id)
}

// taken returns on whose behalf images have been read since it was asked last.
func (a *asked) taken() []access.Principal {
	a.Lock()
	defer a.Unlock()
	by := a.by
	a.by = nil
	return by
}

func TestTooManyJobs(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, _ := newProject(t, w)
	source := &stuck{w, make(chan struct{})}
	j := newJobs(t, source, mustOpenBlobs(t, t.TempDir()), newQueue(t))
	var ids []string
	for {
		id, err := j.Start(t.Context(), p.ID, "voc", export.Options{})
		if segment.KindOf(err) == segment.Busy {
			break
		}
		if err != nil || len(ids) > 100 {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	close(source.open)
	for _, id := range ids {
		if s := ended(t, j, id); s.State != jobs.Done {
			t.Errorf("%+v", s)
		}
	}
	if _, err := j.Start(t.Context(), p.ID, "voc", export.Options{}); err != nil {
		t.Errorf("when the others have ended: %v", err)
	}
}
