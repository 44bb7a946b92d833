package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"collie/segment"
	"collie/segment/job"
	"collie/storage/row"
)

var _ job.Store = (*Store)(nil)

// Add lets a job wait.
func (s *Store) Add(ctx context.Context, j job.Job, most int) error {
	return s.writer.write(ctx, func(w *writer) error {
		var open, own int
		if err := w.row("SELECT count(*), count(*) FILTER (WHERE owner = ? AND owner <> '') FROM job WHERE kind = ? AND state <> 'ended'", j.Owner, j.Kind).Scan(&open, &own); err != nil {
			return err
		}
		if open >= most || own >= job.Share(most) {
			return row.TooManyJobs(most)
		}
		return createError("job", w.exec("INSERT INTO job (id, kind, arguments, owner, created) VALUES (?, ?, ?, ?, ?)", j.ID, j.Kind, j.Arguments, j.Owner, j.Created.UnixMilli()))
	})
}

// Job returns a job.
func (s *Store) Job(ctx context.Context, id string) (job.Job, error) {
	return row.ScanJob(s.reads.row(ctx, "SELECT "+row.JobColumns+" FROM job WHERE id = ?", id))
}

// Remove forgets a job.
func (s *Store) Remove(ctx context.Context, id string) error {
	return s.writer.write(ctx, func(w *writer) error { return w.changeOne("job", "DELETE FROM job WHERE id = ?", id) })
}

// Old lists jobs that ended long ago, or are not among the latest ones.
func (s *Store) Old(ctx context.Context, kind string, keep int, age time.Duration) ([]job.Job, error) {
	return all(ctx, s.reads, row.ScanJob, "listing old jobs", "SELECT "+row.JobColumns+` FROM job WHERE kind = ?1 AND state = 'ended' AND (lease_until <= ?3
		OR number NOT IN (SELECT number FROM (SELECT number, lease_until, owner, row_number() OVER (PARTITION BY owner ORDER BY lease_until DESC, number DESC) AS nth
			FROM job WHERE kind = ?1 AND state = 'ended') WHERE owner = '' OR nth <= ?4 ORDER BY lease_until DESC, number DESC LIMIT ?2)) ORDER BY number`,
		kind, keep, time.Now().Add(-age).UnixMilli(), job.Share(keep))
}

// Claim starts the next job.
func (s *Store) Claim(ctx context.Context, node string, kinds []string, lease time.Duration) (*job.Job, error) {
	list, err := json.Marshal(kinds)
	if err != nil {
		return nil, err
	}
	// No lease ends later than latest, though others may have begun theirs since now, unless
	// the clock has been set back.
	const next = `SELECT number FROM job WHERE kind IN (SELECT value FROM json_each(?1))
		AND (state = 'waiting' OR state = 'running' AND lease_until NOT BETWEEN ?2 AND ?3) ORDER BY number LIMIT 1`
	now := time.Now()
	latest := now.Add(2 * lease).UnixMilli()
	waiting, err := all(ctx, s.reads, row.Number[int64], "looking for a job", next, string(list), now.UnixMilli(), latest)
	if err != nil || len(waiting) == 0 { // mostly: nothing is written
		return nil, err
	}
	var j job.Job
	err = s.writer.write(ctx, func(w *writer) (err error) {
		j, err = row.ScanJob(w.row("UPDATE job SET state = 'running', attempt = attempt + 1, node = ?4, lease_until = ?5, done = 0, total = 0 WHERE number = ("+next+") RETURNING "+row.JobColumns,
			string(list), now.UnixMilli(), latest, node, now.Add(lease).UnixMilli()))
		return err
	})
	if segment.KindOf(err) == segment.NotFound { // somebody else was faster
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("starting a job: %w", err)
	}
	return &j, nil
}

// Renew prolongs the lease of a job.
func (s *Store) Renew(ctx context.Context, j *job.Job, lease time.Duration) error {
	return s.hold(ctx, j, "done = ?3, total = ?4, lease_until = ?5", j.Done, j.Total, time.Now().Add(lease).UnixMilli())
}

// End stores the result of a job, or lets it wait again.
func (s *Store) End(ctx context.Context, j *job.Job, result []byte) error {
	if result == nil {
		return s.hold(ctx, j, "state = 'waiting', done = 0, total = 0")
	}
	return s.hold(ctx, j, "state = 'ended', result = ?3, done = ?4, total = ?5, lease_until = ?6", result, j.Done, j.Total, time.Now().UnixMilli())
}

// hold changes a job that is still the caller's.
func (s *Store) hold(ctx context.Context, j *job.Job, set string, values ...any) error {
	err := s.writer.write(ctx, func(w *writer) error {
		return w.changeOne("job", "UPDATE job SET "+set+" WHERE id = ?1 AND attempt = ?2 AND state = 'running'", append([]any{j.ID, j.Attempt}, values...)...)
	})
	if segment.KindOf(err) == segment.NotFound {
		return job.ErrLost
	}
	return err
}
