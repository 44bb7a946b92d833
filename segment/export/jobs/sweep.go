package jobs

import (
	"context"
	"slices"
	"time"
)

// sweep removes jobs that ended more than keepFor ago, or before keepJobs
// others. A job never appears failed meanwhile: job is removed before result,
// and result before file.
func (j *Jobs) sweep(ctx context.Context) error {
	type old struct {
		id string
		at time.Time
	}
	byID := map[string]*old{}
	for blob, err := range j.blobs.All(ctx) {
		if err != nil {
			return err
		}
		id := idOf(blob.Key)
		if id == "" {
			continue
		}
		if byID[id] == nil {
			byID[id] = &old{id: id}
		}
		o := byID[id]
		if blob.Modified.After(o.at) {
			o.at = blob.Modified
		}
	}
	var jobs []*old
	j.mu.Lock()
	for id, o := range byID {
		if j.active[id] == nil {
			jobs = append(jobs, o)
		}
	}
	j.mu.Unlock()
	slices.SortFunc(jobs, func(a, b *old) int { return b.at.Compare(a.at) }) // newest first
	for i, o := range jobs {
		if i < keepJobs && j.now().Sub(o.at) < keepFor {
			continue
		}
		if err := j.remove(ctx, o.id); err != nil {
			return err
		}
	}
	return nil
}

// remove removes what is kept of a job that isn't running.
func (j *Jobs) remove(ctx context.Context, id string) error {
	for _, part := range []string{"job", "result", "file"} {
		if err := j.blobs.Remove(ctx, key(id, part)); err != nil {
			return err
		}
	}
	return nil
}
