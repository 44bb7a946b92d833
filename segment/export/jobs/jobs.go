// Package jobs makes exports in the background and keeps their files for a day,
// also across restarts of the program.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/export"
	"collie/segment/queue"
)

// Limits of background exports.
const (
	maxJobs  = 8              // waiting or running
	keepJobs = 20             // finished ones whose files are kept, the newest
	keepFor  = 24 * time.Hour // after this their files are removed
)

// State is the progress of a job.
type State string

// States of a job.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Status describes a job. It is available at any time, also after a restart of
// the program.
type Status struct {
	ID      string         `json:"id"`
	Project string         `json:"project"`
	Format  string         `json:"format"`
	Options export.Options `json:"options"`
	Created time.Time      `json:"created"`
	By      string         `json:"by,omitempty"` // id of the user who started it

	State       State          `json:"status" schema:"enum=waiting|running|done|failed"`
	ImagesDone  int            `json:"images_done"`
	ImagesTotal int            `json:"images_total"`
	Problem     string         `json:"problem,omitempty" doc:"why it failed"`
	Bytes       int64          `json:"bytes,omitempty" doc:"size of the archive"`
	Report      *export.Report `json:"report,omitempty" doc:"of a finished export: the archive's manifest.json without the list of files"`
}

// Jobs makes exports in the background, one after the other. It keeps blobs:
// export/ID/job says that a job was started, export/ID/file is its archive, and
// export/ID/result, written last, says how it ended. Each is complete or
// absent, whenever the program dies; a job without a result that is not running
// has failed. Safe for concurrent use.
type Jobs struct {
	source export.Source
	blobs  segment.Blobs
	log    *slog.Logger
	pace   export.Pace
	now    func() time.Time

	closing context.Context
	close   context.CancelFunc
	work    sync.WaitGroup
	line    *queue.Queue // of the jobs; one of them runs

	mu     sync.Mutex
	active map[string]*underway
}

// underway is a job that is waiting, running or being cancelled.
type underway struct {
	Status
	stop  context.CancelCauseFunc
	ended chan struct{} // closed when it is no longer running
}

// New returns jobs that read from source and keep their files in blobs. Close
// it.
func New(source export.Source, blobs segment.Blobs, log *slog.Logger) *Jobs {
	j := &Jobs{
		source: source, blobs: blobs, log: log, now: time.Now,
		line: queue.New(1, maxJobs-1, 0), active: map[string]*underway{},
	}
	j.closing, j.close = context.WithCancel(context.Background())
	return j
}

// KeepTo sets the pace of the jobs. Call it before the first one.
func (j *Jobs) KeepTo(p export.Pace) { j.pace = p }

// Close ends all jobs, which count as failed, and waits for them.
func (j *Jobs) Close() {
	j.close()
	j.work.Wait()
}

// Start begins an export and returns its id at once. Errors in the request are
// returned at once; with too many jobs waiting the error is Busy. The job
// outlives ctx and keeps its values, so it reads the project with the rights of
// the caller.
func (j *Jobs) Start(ctx context.Context, project, format string, o export.Options) (string, error) {
	if err := export.Check(ctx, j.source, project, format, o); err != nil {
		return "", err
	}
	by, _ := access.From(ctx)
	s := &underway{
		Status: Status{ID: segment.NewID(), Project: project, Format: format, Options: o, Created: j.now().UTC().Truncate(time.Millisecond), State: Waiting, By: by.User},
		ended:  make(chan struct{}),
	}
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	s.stop = stop
	place, err := j.line.Join(1, 0)
	if err != nil {
		return "", segment.Errorf(segment.Busy, "%d exports are already waiting, which is the limit. Try again when one has finished.", maxJobs)
	}
	j.mu.Lock()
	if j.closing.Err() != nil {
		j.mu.Unlock()
		place.Leave()
		return "", segment.Errorf(segment.Unavailable, "The server is stopping. Nothing was started.")
	}
	j.active[s.ID] = s
	j.work.Add(1)
	j.mu.Unlock()
	if err := j.put(ctx, &s.Status, "job"); err != nil {
		place.Leave()
		j.forget(s.ID)
		j.work.Done()
		return "", err
	}
	unhook := context.AfterFunc(j.closing, func() { stop(nil) })
	go func() {
		defer j.work.Done()
		defer close(s.ended)
		defer unhook()
		if place.Wait(work) == nil {
			defer place.Leave()
			j.run(work, &s.Status)
		}
		if stop(nil); !errors.Is(context.Cause(work), errCancelled) {
			j.forget(s.ID)
		}
	}()
	return s.ID, nil
}

// errCancelled is the cause of a cancelled job's end.
var errCancelled = errors.New("the export was cancelled")

// Cancel stops a waiting or running job, waits for it to end, and removes
// everything that is kept of it, or removes a finished job's file. Afterwards
// the job doesn't exist. Only the user who started a job and users who can
// manage the project can cancel it.
func (j *Jobs) Cancel(ctx context.Context, id string) error {
	status, err := j.Status(ctx, id)
	if err != nil {
		return err
	}
	if p, known := access.From(ctx); known && p.User != status.By && j.source.MayIn(ctx, status.Project, access.Manage) != nil {
		return noExport() // as if it did not exist
	}
	j.mu.Lock()
	s := j.active[id]
	j.mu.Unlock()
	if s != nil {
		s.stop(errCancelled)
		<-s.ended
		defer j.forget(id) // not earlier, or the job would appear failed
	}
	return j.remove(context.WithoutCancel(ctx), id)
}

func (j *Jobs) forget(id string) {
	j.mu.Lock()
	delete(j.active, id)
	j.mu.Unlock()
}

// run makes the file and records the result.
func (j *Jobs) run(ctx context.Context, s *Status) {
	j.set(func() { s.State = Running })
	if err := j.sweep(ctx); err != nil {
		j.log.Warn("could not remove old exports", "error", err)
	}
	var report *export.Report
	counter := &counting{}
	err := j.blobs.Put(ctx, key(s.ID, "file"), func(w io.Writer) error {
		counter.w = w
		var err error
		report, err = export.Write(export.AtPace(ctx, j.pace), counter, j.source, s.Project, s.Format, s.Options, func(done, total int) {
			j.set(func() { s.ImagesDone, s.ImagesTotal = done, total })
		})
		return err
	})
	if ctx.Err() != nil { // the program is stopping, which Status then reports, or the job was cancelled
		return
	}
	end := *s // the visible status doesn't change until the result is on disk
	if err == nil {
		short := *report
		short.Files = nil // there can be tens of thousands, and the archive has them
		end.State, end.Report, end.Bytes = Done, &short, counter.n
	} else {
		end.State, end.Problem = Failed, problem(err)
		j.log.Error("export failed", "export", s.ID, "project", s.Project, "format", s.Format, "error", err)
	}
	if err := j.put(ctx, &end, "result"); err != nil {
		j.log.Error("could not record the end of an export", "export", s.ID, "error", err)
	}
}

// problem is the text of an error for people.
func problem(err error) string {
	var domain *segment.Error
	if errors.As(err, &domain) {
		return domain.Detail
	}
	return "The export failed with an unexpected error; see the server's log. The project was not changed."
}

// set changes the status of a job under the lock.
func (j *Jobs) set(change func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change()
}

// idPattern matches the ids of jobs.
var idPattern = regexp.MustCompile(`^[a-z0-9]{26}$`)

// Status returns the status of a job. The error is NotFound if it was never
// started, was swept, or belongs to a project that the caller can't read.
func (j *Jobs) Status(ctx context.Context, id string) (Status, error) {
	s, err := j.status(ctx, id)
	if err != nil {
		return Status{}, err
	}
	if _, err := j.source.Project(ctx, s.Project); segment.KindOf(err) == segment.NotFound {
		return Status{}, noExport() // as if it did not exist
	} else if err != nil {
		return Status{}, err
	}
	return s, nil
}

func (j *Jobs) status(ctx context.Context, id string) (Status, error) {
	missing := noExport()
	if !idPattern.MatchString(id) {
		return Status{}, missing
	}
	j.mu.Lock()
	s, ok := j.active[id]
	if ok {
		defer j.mu.Unlock()
		return s.Status, nil
	}
	j.mu.Unlock()
	for _, part := range []string{"result", "job"} {
		s, err := j.get(ctx, id, part)
		switch {
		case segment.KindOf(err) == segment.NotFound:
			continue
		case err == nil && part == "job":
			s.State, s.Problem = Failed, "The server stopped or its disk failed during this export. Start it again."
		}
		return s, err
	}
	return Status{}, missing
}

// Open opens the archive of a finished job. The caller closes it.
func (j *Jobs) Open(ctx context.Context, id string) (Status, io.ReadSeekCloser, error) {
	s, err := j.Status(ctx, id)
	if err != nil {
		return Status{}, nil, err
	}
	if s.State != Done {
		return Status{}, nil, segment.Errorf(segment.NotFound, "This export has no file: it is %s.", s.State)
	}
	file, err := j.blobs.Open(ctx, key(id, "file"))
	return s, file, err
}

// noExport is the error for an export that doesn't exist or isn't visible to
// the caller.
func noExport() error {
	return segment.Errorf(segment.NotFound, "This export doesn't exist. Exported files are kept for %d hours.", keepFor/time.Hour)
}

func key(id, part string) string { return "export/" + id + "/" + part }

func (j *Jobs) put(ctx context.Context, s *Status, part string) error {
	j.mu.Lock()
	b, err := json.Marshal(s)
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return j.blobs.Put(ctx, key(s.ID, part), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

func (j *Jobs) get(ctx context.Context, id, part string) (Status, error) {
	blob, err := j.blobs.Open(ctx, key(id, part))
	if err != nil {
		return Status{}, err
	}
	defer blob.Close()
	var s Status
	if err := json.NewDecoder(blob).Decode(&s); err != nil {
		return Status{}, fmt.Errorf("reading %s: %w", key(id, part), err)
	}
	return s, nil
}

// counting counts the bytes written.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// idOf returns the job that a blob belongs to, or "".
func idOf(key string) string {
	rest, ok := strings.CutPrefix(key, "export/")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, "/")
	return id
}
