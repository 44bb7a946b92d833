package row

import (
	"collie/segment"
	"collie/segment/job"
)

// JobColumns are what ScanJob reads.
const JobColumns = "id, kind, arguments, owner, state, done, total, attempt, result, created"

// ScanJob reads a job.
func ScanJob(row Scanner) (j job.Job, err error) {
	var created int64
	if err := row.Scan(&j.ID, &j.Kind, &j.Arguments, &j.Owner, &j.State, &j.Done, &j.Total, &j.Attempt, &j.Result, &created); err != nil {
		return job.Job{}, ReadError("job", err)
	}
	j.Created = Moment(created)
	return j, nil
}

// TooManyJobs is the error for one job too many, of all or of its owner.
func TooManyJobs(most int) error {
	return segment.Errorf(segment.Busy, "Too many jobs of this kind are waiting or running: the limit is %d, and %d of one user. Nothing was started; try again when one has finished.", most, job.Share(most))
}
