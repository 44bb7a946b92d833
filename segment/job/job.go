// Package job is about work in the background that outlives a server: it waits in
// a table, one of the servers that share the table does it, and when that one dies
// another begins it again.
//
// A server holds a job by a lease, which it renews while it works. Leases only
// keep servers from doing the same work: each start of a job has a number, and only
// the latest one can end it.
package job

import (
	"context"
	"errors"
	"time"
)

// State is how far a job has come.
type State string

// States of a job. One that is cancelled is gone.
const (
	Waiting State = "waiting"
	Running State = "running"
	Ended   State = "ended" // its result says how
)

// Exported is the kind of the jobs that export a project, known here because a backup
// lacks what they have made.
const Exported = "export"

// Job is work to be done.
type Job struct {
	ID        string
	Kind      string
	Arguments []byte // what to do, in a form that depends on the kind
	Owner     string // id of the user who asked for it
	Created   time.Time

	State       State
	Done, Total int // progress, in a unit that depends on the kind
	Attempt     int // how often it was started
	Result      []byte
}

// Share is how many of so many places the jobs of one owner can have, so that nobody
// keeps all others out. Jobs without an owner can have all.
func Share(places int) int { return (places + 1) / 2 }

// Queue is what people do with jobs. Every write has reached the disk when its
// call returns. Unknown jobs are a segment.Error of kind NotFound. Safe for
// concurrent use.
type Queue interface {
	// Add lets a job wait. The error is Busy when that many of its kind, most, or
	// the Share of these of its owner's wait or run already.
	Add(ctx context.Context, j Job, most int) error
	Job(ctx context.Context, id string) (Job, error)
	// Remove forgets a job, whatever its state. A server that works on it learns
	// that when it next renews its lease.
	Remove(ctx context.Context, id string) error
	// Old lists ended jobs of a kind that ended more than age ago, or are not among
	// the keep latest ones, of which an owner has no more than the Share.
	Old(ctx context.Context, kind string, keep int, age time.Duration) ([]Job, error)
}

// Work is what a server does with jobs. ErrLost is the error for a job that was
// removed or that another server has taken over, which is then left as it is.
type Work interface {
	// Claim starts the next job of one of the kinds: one that waits or whose lease
	// has run out. It returns nil when there is nothing to do.
	Claim(ctx context.Context, node string, kinds []string, lease time.Duration) (*Job, error)
	// Renew prolongs the lease and notes the progress.
	Renew(ctx context.Context, j *Job, lease time.Duration) error
	// End stores the result. Without a result (nil) the job waits again.
	End(ctx context.Context, j *Job, result []byte) error
}

// Store is a table of jobs.
type Store interface {
	Queue
	Work
}

// ErrLost is the error for a job that isn't this server's any more.
var ErrLost = errors.New("the job was cancelled, or another server has taken it over")
