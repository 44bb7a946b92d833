// Package jobs makes exports in the background and keeps their files for a day,
// also across restarts of the program.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/export"
	"collie/segment/job"
)

// Limits of background exports.
const (
	maxJobs  = 8              // waiting or running; job.Share of them of one user
	keepJobs = 20             // finished ones whose files are kept, the newest; job.Share of them of one user
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
	Report      *export.Report `json:"report,omitempty" doc:"of a finished export"`
}

// Jobs makes exports in the background, each server one after the other. What is
// to be done and how it ended is in a table of jobs; the archive is the blob
// export/ID/file-ATTEMPT, so that a server that wrongly takes a job for its own
// spoils nothing. An export whose server stops is begun again. Safe for concurrent
// use.
type Jobs struct {
	source export.Source
	blobs  segment.Blobs
	queue  job.Store
	log    *slog.Logger
	runner *job.Runner
	stop   context.CancelFunc
	kept   chan struct{} // closed when keep has ended

	mu     sync.Mutex
	pace   export.Pace
	closed bool
	swept  time.Time // when blobs without a job were last looked for
}

// attempts is how often an export is begun, also after restarts: one that stops its
// server each time must come to an end.
const attempts = 10

// An export during which the bucket or the database is away is begun again after
// awayPause, then after twice that, and so on until the last of awayAttempts: a minute
// in all.
const (
	awayAttempts = 6
	awayPause    = 2 * time.Second
)

// arguments are what the table holds of an export that is to be made.
type arguments struct {
	Project string         `json:"project"`
	Format  string         `json:"format"`
	Options export.Options `json:"options"`
	For     *principal     `json:"for,omitempty"` // nil: the program itself
}

// principal is an access.Principal as it is stored. What they can do in the project
// is looked up when the export is made.
type principal struct {
	User  string       `json:"user"`
	Name  string       `json:"name"`
	Admin bool         `json:"admin,omitempty"` // with what Scope leaves of that
	Scope access.Scope `json:"scope,omitempty"` // of the API token
}

// New returns jobs that read from source and keep their files in blobs, and begins
// with those that wait in the queue. Close it.
func New(source export.Source, blobs segment.Blobs, queue job.Store, log *slog.Logger) *Jobs {
	ctx, stop := context.WithCancel(context.Background())
	j := &Jobs{source: source, blobs: blobs, queue: queue, log: log, stop: stop, kept: make(chan struct{})}
	j.runner = job.Start(queue, map[string]job.Kind{job.Exported: {Do: j.run, Undo: func(ctx context.Context, u job.Job) {
		if err := j.blobs.Remove(ctx, fileKey(u.ID, u.Attempt)); err != nil {
			j.log.Error("could not remove an export that was stopped", "export", u.ID, "error", err)
		}
	}}}, log)
	go j.keep(ctx)
	return j
}

// KeepTo sets the pace of the jobs that begin from now on.
func (j *Jobs) KeepTo(p export.Pace) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pace = p
}

// Close stops the export under way, which goes on at another server or after the
// restart, and waits for its end.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.runner.Close()
	j.stop()
	<-j.kept
}

// Start begins an export and returns its id at once. Errors in the request are
// returned at once; with too many jobs waiting the error is Busy. The job reads the
// project with the rights of the caller.
func (j *Jobs) Start(ctx context.Context, project, format string, o export.Options) (string, error) {
	if err := export.Check(ctx, j.source, project, format, o); err != nil {
		return "", err
	}
	j.mu.Lock()
	closed := j.closed
	j.mu.Unlock()
	if closed {
		return "", segment.Errorf(segment.Unavailable, "The server is stopping. Nothing was started.")
	}
	a := arguments{Project: project, Format: format, Options: o}
	by, known := access.From(ctx)
	if known {
		a.For = &principal{by.User, by.Name, by.Role == by.Scope.Limit(access.Admin), by.Scope}
	}
	b, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	added := job.Job{ID: segment.NewID(), Kind: job.Exported, Arguments: b, Owner: by.User, Created: segment.Now()}
	err = j.queue.Add(ctx, added, maxJobs)
	if segment.KindOf(err) == segment.Busy {
		return "", segment.Errorf(segment.Busy, "Too many exports are already waiting: the limit is %d, and %d of one user. Try again when one has finished.", maxJobs, job.Share(maxJobs))
	}
	if err != nil {
		return "", err
	}
	j.runner.Wake()
	return added.ID, nil
}

// with returns a context with the rights of whoever asked for an export.
func (a *arguments) with(ctx context.Context) context.Context {
	if a.For == nil {
		return ctx
	}
	p := access.Principal{User: a.For.User, Name: a.For.Name, Role: access.User, Scope: a.For.Scope}
	if a.For.Admin {
		p.Role = p.Scope.Limit(access.Admin)
	}
	return access.With(ctx, p)
}

// Cancel stops a waiting or running job, or removes a finished one, with everything
// that is kept of it. Afterwards the job doesn't exist; one that another server
// makes stops when that server notices. Only the user who started a job and users
// who can manage the project can cancel it.
func (j *Jobs) Cancel(ctx context.Context, id string) error {
	status, err := j.Status(ctx, id)
	if err != nil {
		return err
	}
	if p, known := access.From(ctx); known && p.User != status.By && j.source.MayIn(ctx, status.Project, access.Manage) != nil {
		return segment.Errorf(segment.NotFound, "Only whoever started this export and owners of its project can remove it. Nothing was changed.").Because(segment.ErrRole)
	}
	old, err := j.queue.Job(ctx, id)
	if err == nil {
		err = j.queue.Remove(ctx, id)
	}
	if segment.KindOf(err) == segment.NotFound {
		return noExport()
	}
	if err != nil {
		return err
	}
	j.runner.Drop(id)
	return j.removeFiles(context.WithoutCancel(ctx), id, old.Attempt)
}

// run makes the file and returns the result.
func (j *Jobs) run(ctx context.Context, u job.Job, progress func(done, total int)) []byte {
	end, a, err := status(u)
	if err == nil && u.Attempt > attempts {
		err = segment.Errorf(segment.Unavailable, "The server stopped or its disk failed during this export, %d times. Start it again.", attempts)
	}
	if err == nil {
		if err := j.sweep(ctx); err != nil {
			j.log.Warn("could not remove old exports", "error", err)
		}
		end.Report, end.Bytes, err = j.write(a.with(ctx), u, a, progress)
	}
	if ctx.Err() != nil {
		return nil
	}
	if segment.KindOf(err) == segment.Unavailable && u.Attempt < awayAttempts {
		j.log.Warn("an export is begun again soon", "export", u.ID, "attempt", u.Attempt, "error", err)
		select {
		case <-time.After(awayPause << (u.Attempt - 1)):
		case <-ctx.Done():
		}
		return nil
	}
	if err == nil {
		end.State = Done
		err = j.removeFiles(ctx, u.ID, u.Attempt-1)
	}
	if err != nil {
		end.State, end.Problem, end.Report, end.Bytes = Failed, problem(err), nil, 0
		j.log.Log(ctx, severity(err), "export failed", "export", u.ID, "project", a.Project, "format", a.Format, "error", err)
	}
	b, err := json.Marshal(end)
	if err != nil {
		j.log.Error("could not record the end of an export", "export", u.ID, "error", err)
		return nil
	}
	return b
}

// severity tells faults of the server from what people do meanwhile, such as moving the
// project to the trash.
func severity(err error) slog.Level {
	switch segment.KindOf(err) {
	case 0, segment.Unavailable, segment.Full, segment.Damaged:
		return slog.LevelError
	}
	return slog.LevelInfo
}

// problem is the text of an error for people.
func problem(err error) string {
	var domain *segment.Error
	if errors.As(err, &domain) {
		return domain.Detail
	}
	return "The export failed with an unexpected error; see the server's log. The project was not changed."
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
	if !idPattern.MatchString(id) {
		return Status{}, noExport()
	}
	u, err := j.queue.Job(ctx, id)
	if segment.KindOf(err) == segment.NotFound || err == nil && u.Kind != job.Exported {
		return Status{}, noExport()
	}
	if err != nil {
		return Status{}, err
	}
	s, _, err := status(u)
	if err != nil || u.State == job.Ended {
		return s, err
	}
	s.ImagesDone, s.ImagesTotal = u.Done, u.Total
	if done, total, here := j.runner.Progress(id); here {
		s.ImagesDone, s.ImagesTotal = done, total
	}
	return s, nil
}

// status returns the status of a job as the table has it, and what is to be done.
func status(u job.Job) (s Status, a arguments, err error) {
	if err := json.Unmarshal(u.Arguments, &a); err != nil {
		return s, a, fmt.Errorf("reading export %s: %w", u.ID, err)
	}
	s = Status{ID: u.ID, Project: a.Project, Format: a.Format, Options: a.Options, Created: u.Created, By: u.Owner, State: State(u.State)}
	if u.State == job.Ended {
		if err := json.Unmarshal(u.Result, &s); err != nil {
			return s, a, fmt.Errorf("reading the result of export %s: %w", u.ID, err)
		}
		s.ImagesDone, s.ImagesTotal = u.Done, u.Total
		if s.Report != nil && s.Report.Exported == 0 { // of a release whose reports listed all images and didn't count them
			s.Report.Exported, s.Report.Omitted = len(s.Report.Images), len(s.Report.Skipped)
		}
	}
	return s, a, nil
}

// noExport is the error for an export that doesn't exist or isn't visible to
// the caller.
func noExport() error {
	return segment.Errorf(segment.NotFound, "This export doesn't exist, its project is in the trash, or you are not a member of that. The server keeps the %d newest exported files, %d of one user, for up to %d hours.", keepJobs, job.Share(keepJobs), keepFor/time.Hour)
}
