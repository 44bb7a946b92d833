package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"collie/segment"
	"collie/segment/job"
	"collie/storage/row"
)

var _ job.Store = (*Store)(nil)

// Add lets a job wait.
func (s *Store) Add(ctx context.Context, j job.Job, most int) error {
	return createError("job", s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		// Two that are added at once must not both take the last place.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('collie jobs ' || current_schema(), 0))"); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `INSERT INTO job (id, kind, arguments, owner, created) SELECT $1, $2, $3, $4, $5
			WHERE (SELECT count(*) < $6 AND count(*) FILTER (WHERE owner = $4 AND owner <> '') < $7 FROM job WHERE kind = $2 AND state <> 'ended')`,
			j.ID, j.Kind, j.Arguments, j.Owner, j.Created.UnixMilli(), most, job.Share(most))
		if err == nil && tag.RowsAffected() == 0 {
			return row.TooManyJobs(most)
		}
		return err
	}))
}

// Job returns a job.
func (s *Store) Job(ctx context.Context, id string) (job.Job, error) {
	return one(ctx, s, row.ScanJob, "SELECT "+row.JobColumns+" FROM job WHERE id = $1", id)
}

// Remove forgets a job.
func (s *Store) Remove(ctx context.Context, id string) error {
	return s.change(ctx, "job", "DELETE FROM job WHERE id = $1", id)
}

// Old lists jobs that ended long ago, or are not among the latest ones.
func (s *Store) Old(ctx context.Context, kind string, keep int, age time.Duration) ([]job.Job, error) {
	return all(ctx, s, row.ScanJob, "listing old jobs", "SELECT "+row.JobColumns+` FROM job WHERE kind = $1 AND state = 'ended' AND (lease_until <= `+now+` - $3::bigint
		OR number NOT IN (SELECT number FROM (SELECT number, lease_until, owner, row_number() OVER (PARTITION BY owner ORDER BY lease_until DESC, number DESC) AS nth
			FROM job WHERE kind = $1 AND state = 'ended') AS latest WHERE owner = '' OR nth <= $4 ORDER BY lease_until DESC, number DESC LIMIT $2)) ORDER BY number`,
		kind, keep, age.Milliseconds(), job.Share(keep))
}

// Claim starts the next job.
func (s *Store) Claim(ctx context.Context, node string, kinds []string, lease time.Duration) (*job.Job, error) {
	var j job.Job
	err := s.with(ctx, func(ctx context.Context, c *pgx.Conn) (err error) {
		j, err = row.ScanJob(c.QueryRow(ctx, `UPDATE job SET state = 'running', attempt = attempt + 1, node = $2, lease_until = `+now+` + $3::bigint, done = 0, total = 0
			WHERE number = (SELECT number FROM job WHERE kind = ANY($1) AND (state = 'waiting' OR state = 'running' AND lease_until < `+now+`)
				ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING `+row.JobColumns, kinds, node, lease.Milliseconds()))
		return err
	})
	if segment.KindOf(err) == segment.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("starting a job: %w", trouble(err))
	}
	return &j, nil
}

// Renew prolongs the lease of a job.
func (s *Store) Renew(ctx context.Context, j *job.Job, lease time.Duration) error {
	return s.hold(ctx, j, "done = $3, total = $4, lease_until = "+now+" + $5::bigint", j.Done, j.Total, lease.Milliseconds())
}

// End stores the result of a job, or lets it wait again.
func (s *Store) End(ctx context.Context, j *job.Job, result []byte) error {
	if result == nil {
		return s.hold(ctx, j, "state = 'waiting', done = 0, total = 0")
	}
	return s.hold(ctx, j, "state = 'ended', result = $3, done = $4, total = $5, lease_until = "+now, result, j.Done, j.Total)
}

// hold changes a job that is still the caller's.
func (s *Store) hold(ctx context.Context, j *job.Job, set string, values ...any) error {
	err := s.change(ctx, "job", "UPDATE job SET "+set+" WHERE id = $1 AND attempt = $2 AND state = 'running'", append([]any{j.ID, j.Attempt}, values...)...)
	if segment.KindOf(err) == segment.NotFound {
		return job.ErrLost
	}
	return err
}
