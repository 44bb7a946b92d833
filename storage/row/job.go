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

// TooManyJobs is the error for one job too many.
func TooManyJobs(most int) error {
	return segment.Errorf(segment.Busy, "%d jobs of this kind are already waiting or running, which is the limit. Nothing was started; try again when one has finished.", most)
}
