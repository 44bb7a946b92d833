package jobs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/job"
)

// Open opens the archive of a finished job. The caller closes it.
func (j *Jobs) Open(ctx context.Context, id string) (Status, io.ReadSeekCloser, error) {
	s, err := j.Status(ctx, id)
	if err != nil {
		return Status{}, nil, err
	}
	if s.State != Done {
		return Status{}, nil, segment.Errorf(segment.NotFound, "This export has no file: it is %s.", s.State)
	}
	u, err := j.queue.Job(ctx, id)
	if segment.KindOf(err) == segment.NotFound {
		return Status{}, nil, noExport()
	}
	if err != nil {
		return Status{}, nil, err
	}
	file, err := j.blobs.Open(ctx, fileKey(id, u.Attempt))
	if segment.KindOf(err) == segment.NotFound {
		err = noExport() // removed in between
	}
	return s, file, err
}

// write makes the archive.
func (j *Jobs) write(ctx context.Context, u job.Job, a arguments, progress func(done, total int)) (*export.Report, int64, error) {
	j.mu.Lock()
	pace := j.pace
	j.mu.Unlock()
	var report *export.Report
	counter := &counting{}
	err := j.blobs.Put(ctx, fileKey(u.ID, u.Attempt), func(w io.Writer) (err error) {
		counter.w, counter.n = w, 0
		report, err = export.Write(export.AtPace(ctx, pace), counter, j.source, a.Project, a.Format, a.Options, progress)
		return err
	})
	return report, counter.n, err
}

// removeFiles removes the archives of a job's attempts.
func (j *Jobs) removeFiles(ctx context.Context, id string, attempts int) error {
	for n := 1; n <= attempts; n++ {
		if err := j.blobs.Remove(ctx, fileKey(id, n)); err != nil {
			return err
		}
	}
	return nil
}

// fileKey is the key of the archive that an attempt makes.
func fileKey(id string, attempt int) string {
	return fmt.Sprintf("export/%s/file-%d", id, attempt)
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
