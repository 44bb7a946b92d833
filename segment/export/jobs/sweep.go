package jobs

import (
	"context"
	"time"

	"collie/segment"
	"collie/segment/job"
)

// sweepEvery is how often old jobs are removed when no export begins.
const sweepEvery = time.Hour

// keep removes old jobs now and then until ctx ends.
func (j *Jobs) keep(ctx context.Context) {
	defer close(j.kept)
	again := time.NewTicker(sweepEvery)
	defer again.Stop()
	for {
		if err := j.sweepJobs(ctx); err != nil && ctx.Err() == nil {
			j.log.Warn("could not remove old exports", "error", err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// sweep removes old jobs and now and then files that belong to no job.
func (j *Jobs) sweep(ctx context.Context) error {
	if err := j.sweepJobs(ctx); err != nil {
		return err
	}
	j.mu.Lock()
	due := time.Since(j.swept) > keepFor
	if due {
		j.swept = time.Now()
	}
	j.mu.Unlock()
	if !due {
		return nil
	}
	return j.sweepFiles(ctx)
}

// sweepJobs removes jobs that ended more than keepFor ago, or before keepJobs others.
func (j *Jobs) sweepJobs(ctx context.Context) error {
	old, err := j.queue.Old(ctx, job.Exported, keepJobs, keepFor)
	if err != nil {
		return err
	}
	for _, o := range old {
		if err := j.queue.Remove(ctx, o.ID); err != nil && segment.KindOf(err) != segment.NotFound {
			return err
		}
		if err := j.removeFiles(ctx, o.ID, o.Attempt); err != nil {
			return err
		}
	}
	return nil
}

// sweepFiles removes old files without a job: a server died before it could remove
// them, or an earlier version of the program has left them.
func (j *Jobs) sweepFiles(ctx context.Context) error {
	for blob, err := range j.blobs.All(ctx) {
		if err != nil {
			return err
		}
		id := idOf(blob.Key)
		if id == "" || time.Since(blob.Modified) < keepFor {
			continue
		}
		if _, err := j.queue.Job(ctx, id); segment.KindOf(err) != segment.NotFound {
			if err != nil {
				return err
			}
			continue
		}
		if err := j.blobs.Remove(ctx, blob.Key); err != nil {
			return err
		}
	}
	return nil
}
