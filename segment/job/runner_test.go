package job

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// table is a table of jobs in memory that several runners share.
type table struct {
	sync.Mutex
	jobs  map[string]*Job
	until map[string]time.Time
	ends  []string // id of each job that was ended, and its result
}

func newTable(ids ...string) *table {
	t := &table{jobs: map[string]*Job{}, until: map[string]time.Time{}}
	for _, id := range ids {
		t.jobs[id] = &Job{ID: id, Kind: "work", State: Waiting}
	}
	return t
}

func (t *table) Claim(_ context.Context, _ string, _ []string, lease time.Duration) (*Job, error) {
	t.Lock()
	defer t.Unlock()
	byID := func(a, b *Job) int { return cmp.Compare(a.ID, b.ID) }
	all := []*Job{}
	for _, j := range t.jobs {
		all = append(all, j)
	}
	slices.SortFunc(all, byID)
	for _, j := range all {
		if j.State == Waiting || j.State == Running && time.Now().After(t.until[j.ID]) {
			j.State = Running
			j.Attempt++
			t.until[j.ID] = time.Now().Add(lease)
			claimed := *j
			return &claimed, nil
		}
	}
	return nil, nil
}

func (t *table) held(j *Job) *Job {
	if mine := t.jobs[j.ID]; mine != nil && mine.Attempt == j.Attempt && mine.State == Running {
		return mine
	}
	return nil
}

func (t *table) Renew(_ context.Context, j *Job, lease time.Duration) error {
	t.Lock()
	defer t.Unlock()
	mine := t.held(j)
	if mine == nil {
		return ErrLost
	}
	mine.Done, mine.Total = j.Done, j.Total
	t.until[j.ID] = time.Now().Add(lease)
	return nil
}

func (t *table) End(_ context.Context, j *Job, result []byte) error {
	t.Lock()
	defer t.Unlock()
	mine := t.held(j)
	if mine == nil {
		return ErrLost
	}
	if mine.State = Waiting; result != nil {
		mine.State = Ended
		t.ends = append(t.ends, j.ID+" "+string(result))
	}
	return nil
}

// cutOff is a table that one server can't reach when it is cut off.
type cutOff struct {
	*table
	off sync.Mutex
	is  bool
}

var errCutOff = errors.New("no connection")

func (c *cutOff) gone() bool {
	c.off.Lock()
	defer c.off.Unlock()
	return c.is
}

func (c *cutOff) set(gone bool) {
	c.off.Lock()
	defer c.off.Unlock()
	c.is = gone
}

func (c *cutOff) Claim(ctx context.Context, node string, kinds []string, lease time.Duration) (*Job, error) {
	if c.gone() {
		return nil, errCutOff
	}
	return c.table.Claim(ctx, node, kinds, lease)
}

func (c *cutOff) Renew(ctx context.Context, j *Job, lease time.Duration) error {
	if c.gone() {
		return errCutOff
	}
	return c.table.Renew(ctx, j, lease)
}

// worker does jobs that take a while and notes what was undone.
type worker struct {
	sync.Mutex
	name   string
	takes  time.Duration
	undone []int
}

func (w *worker) start(work Work) *Runner { return w.startLogging(work, slog.DiscardHandler) }

func (w *worker) startLogging(work Work, log slog.Handler) *Runner {
	return Start(work, map[string]Kind{"work": {
		Do: func(ctx context.Context, _ Job, progress func(done, total int)) []byte {
			progress(1, 2)
			select {
			case <-time.After(w.takes):
				return []byte(w.name)
			case <-ctx.Done():
				return nil
			}
		},
		Undo: func(_ context.Context, j Job) {
			w.Lock()
			defer w.Unlock()
			w.undone = append(w.undone, j.Attempt)
		},
	}}, slog.New(log))
}

func (w *worker) has(t *testing.T, undone ...int) {
	t.Helper()
	w.Lock()
	defer w.Unlock()
	if diff := gocmp.Diff(undone, w.undone); diff != "" {
		t.Errorf("%s has undone (-want +got):\n%s", w.name, diff)
	}
}

func (t *table) has(tb *testing.T, ends ...string) {
	tb.Helper()
	t.Lock()
	defer t.Unlock()
	if diff := gocmp.Diff(ends, t.ends); diff != "" {
		tb.Errorf("ends (-want +got):\n%s", diff)
	}
}

// Jobs that take longer than a lease are done once, by whichever server is free.
func TestRunners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := newTable("1", "2")
		a, b := &worker{name: "a", takes: 10 * Lease}, &worker{name: "b", takes: 10*Lease + time.Second}
		first := a.start(jobs)
		time.Sleep(time.Second)
		second := b.start(jobs)
		time.Sleep(Lease)
		if done, total, here := first.Progress("1"); done != 1 || total != 2 || !here {
			t.Errorf("progress %d/%d, %v", done, total, here)
		}
		if _, _, here := second.Progress("1"); here {
			t.Error("both servers work on a job")
		}
		time.Sleep(30 * Lease)
		jobs.has(t, "1 a", "2 b")
		first.Close()
		second.Close()
		a.has(t)
		b.has(t)
	})
}

// A job whose server is cut off is done by another one, once, and what the first
// one has made is removed.
func TestTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := newTable("1")
		a, b := &worker{name: "a", takes: 10 * Lease}, &worker{name: "b", takes: 5 * Lease}
		cut := &cutOff{table: jobs}
		first := a.start(cut)
		time.Sleep(time.Second)
		second := b.start(jobs)
		cut.set(true)
		time.Sleep(20 * time.Second) // meanwhile another server begins
		if _, _, here := second.Progress("1"); !here {
			t.Error("nobody has taken the job over after 20 s")
		}
		time.Sleep(20 * Lease)
		jobs.has(t, "1 b")
		first.Close()
		second.Close()
		a.has(t, 1)
		b.has(t)
	})
}

// An outage of the database makes two lines in the log, whatever its length.
func TestOutageInLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder // is read when the runner has ended
		cut := &cutOff{table: newTable()}
		runner := (&worker{name: "a"}).startLogging(cut, slog.NewTextHandler(&log, nil))
		for range 2 {
			cut.set(true)
			time.Sleep(time.Minute)
			cut.set(false)
			time.Sleep(time.Minute)
		}
		runner.Close()
		if waits, again := strings.Count(log.String(), "level=WARN"), strings.Count(log.String(), "level=INFO"); waits != 2 || again != 2 {
			t.Errorf("two outages:\n%s", &log)
		}
	})
}

// Removed jobs stop, and at once on the server that does them.
func TestDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := newTable("1", "2")
		a := &worker{name: "a", takes: time.Hour}
		runner := a.start(jobs)
		time.Sleep(time.Second)
		remove := func(id string) {
			jobs.Lock()
			delete(jobs.jobs, id)
			jobs.Unlock()
		}
		remove("1")
		runner.Drop("1")
		a.has(t, 1)
		time.Sleep(time.Second)
		remove("2") // by another server
		time.Sleep(Lease)
		a.has(t, 1, 1)
		runner.Close()
		jobs.has(t)
	})
}

// A server that stops gives its job back.
func TestGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := newTable("1")
		a, b := &worker{name: "a", takes: time.Hour}, &worker{name: "b", takes: time.Second}
		runner := a.start(jobs)
		time.Sleep(time.Second)
		runner.Close()
		a.has(t, 1)
		runner = b.start(jobs)
		time.Sleep(2 * time.Second)
		jobs.has(t, "1 b")
		runner.Close()
	})
}
