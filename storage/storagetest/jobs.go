package storagetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/job"
)

// JobStore is a Store that also keeps jobs.
type JobStore interface {
	Store
	job.Store
}

// TestJobs checks the contract of job.Store.
func TestJobs(t *testing.T, open func(tb testing.TB, place string) JobStore) {
	ctx, place := t.Context(), t.TempDir()
	s := open(t, place)
	defer func() { closeStore(t, s) }()
	const lease = time.Hour
	kinds := []string{"paint", "sort"}
	add := func(kind string) job.Job {
		t.Helper()
		j := newJob(kind, "u")
		must(t, s.Add(ctx, j, 100))
		j.State = job.Waiting
		return j
	}
	is := func(want job.Job) {
		t.Helper()
		got, err := s.Job(ctx, want.ID)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("job (-want +got):\n%s", diff)
		}
	}
	claims := func(lease time.Duration, want *job.Job, kinds ...string) *job.Job {
		t.Helper()
		got, err := s.Claim(ctx, "node", kinds, lease)
		must(t, err)
		if want != nil {
			want.State = job.Running
			want.Attempt++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("claimed (-want +got):\n%s", diff)
		}
		return got
	}
	lost := func(err error) {
		t.Helper()
		if !errors.Is(err, job.ErrLost) {
			t.Errorf("error %v, want that the job is lost", err)
		}
	}
	claims(lease, nil, kinds...)

	// The oldest of the kinds asked for comes first, and only once.
	other, first, second := add("other"), add("paint"), add("sort")
	is(first)
	claims(lease, &first, kinds...)
	is(first)
	claims(lease, &second, kinds...)
	claims(lease, nil, kinds...)
	wantKind(t, segment.Conflict, s.Add(ctx, first, 100))

	// Progress and results survive, and an ended job stays as it is.
	first.Done, first.Total = 3, 7
	must(t, s.Renew(ctx, &first, lease))
	closeStore(t, s)
	s = open(t, place)
	is(first)
	first.Done = 7
	must(t, s.End(ctx, &first, []byte("good")))
	first.State, first.Result = job.Ended, []byte("good")
	is(first)
	lost(s.End(ctx, &first, []byte("other")))
	lost(s.Renew(ctx, &first, lease))
	is(first)
	claims(lease, nil, kinds...)

	// A job that is given back, or whose lease has run out, starts again; its
	// previous worker can't end it.
	must(t, s.End(ctx, &second, nil))
	late := second
	second.State = job.Waiting
	is(second)
	claims(-time.Second, &second, kinds...)
	lost(s.End(ctx, &late, []byte("late")))
	late = second
	claims(lease, &second, kinds...)
	lost(s.Renew(ctx, &late, lease))
	lost(s.End(ctx, &late, []byte("late")))
	lost(s.End(ctx, &late, nil))
	is(second)

	// A removed job is gone, even for the server that works on it.
	must(t, s.Remove(ctx, second.ID))
	wantKind(t, segment.NotFound, s.Remove(ctx, second.ID))
	_, err := s.Job(ctx, second.ID)
	wantKind(t, segment.NotFound, err)
	lost(s.Renew(ctx, &second, lease))
	lost(s.End(ctx, &second, []byte("late")))
	is(other)

	// Old are those that ended long ago or before others.
	third := add("paint")
	time.Sleep(2 * time.Millisecond) // ends later
	claims(lease, &third, "paint")
	must(t, s.End(ctx, &third, []byte("good")))
	for _, c := range []struct {
		keep int
		age  time.Duration
		want int
	}{{3, time.Hour, 0}, {1, time.Hour, 1}, {0, time.Hour, 2}, {3, -time.Hour, 2}} {
		old, err := s.Old(ctx, "paint", c.keep, c.age)
		must(t, err)
		if len(old) != c.want || c.want > 0 && old[0].ID != first.ID {
			t.Errorf("old beyond %d and %v: %+v, want %d", c.keep, c.age, old, c.want)
		}
	}

	testShares(t, s)
	testManyJobs(t, s)
}

// testManyJobs lets many ask at once: no more than the limit get in, and each is started once.
func testManyJobs(t *testing.T, s job.Store) {
	ctx := t.Context()
	const most, servers = 8, 6
	var wait sync.WaitGroup
	var mu sync.Mutex
	got, refused := map[string]int{}, 0
	for range 3 * most {
		wait.Go(func() {
			err := s.Add(ctx, newJob("many", ""), most)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case segment.KindOf(err) == segment.Busy:
				refused++
			case err != nil:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for n := range servers {
		wait.Go(func() {
			for {
				j, err := s.Claim(ctx, fmt.Sprint(n), []string{"many"}, time.Hour)
				if err != nil {
					t.Error(err)
					return
				}
				if j == nil {
					return
				}
				mu.Lock()
				got[j.ID]++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(got) != most || refused != 2*most {
		t.Errorf("%d jobs were started and %d refused, want %d and %d", len(got), refused, most, 2*most)
	}
	for id, n := range got {
		if n != 1 {
			t.Errorf("job %s was started %d times", id, n)
		}
	}
}

func newJob(kind, owner string) job.Job {
	return job.Job{ID: segment.NewID(), Kind: kind, Arguments: []byte{0, 1, 255}, Owner: owner, Created: moment()}
}

// testShares checks that one owner has no more than half of the places, and of the
// latest jobs no more than half count for one owner. Jobs without an owner have all.
func testShares(t *testing.T, s job.Store) {
	t.Helper()
	const most, keep = 4, 4
	ctx, kind := t.Context(), "share"
	add := func(owner string) error {
		return s.Add(ctx, newJob(kind, owner), most)
	}
	endAll := func() {
		t.Helper()
		for {
			j, err := s.Claim(ctx, "node", []string{kind}, time.Minute)
			must(t, err)
			if j == nil {
				return
			}
			must(t, s.End(ctx, j, []byte("good")))
			time.Sleep(2 * time.Millisecond) // the next one ends later
		}
	}
	keeps := func(want map[string]int) {
		t.Helper()
		all, err := s.Old(ctx, kind, 0, time.Hour)
		must(t, err)
		old, err := s.Old(ctx, kind, keep, time.Hour)
		must(t, err)
		kept := map[string]int{}
		for _, j := range all {
			if !slices.ContainsFunc(old, func(o job.Job) bool { return o.ID == j.ID }) {
				kept[j.Owner]++
			}
		}
		if !maps.Equal(kept, want) {
			t.Errorf("kept by owner: %v, want %v", kept, want)
		}
	}
	for range 4 { // the program itself, or whoever uses a server without login
		must(t, add(""))
	}
	wantKind(t, segment.Busy, add("modest")) // all places are taken
	endAll()
	keeps(map[string]int{"": 4})
	must(t, add("modest"))
	must(t, add("greedy"))
	must(t, add("greedy"))
	wantKind(t, segment.Busy, add("greedy"))
	must(t, add("modest"))
	endAll()
	for range 3 {
		must(t, add("greedy"))
		must(t, add("greedy"))
		endAll()
	}
	keeps(map[string]int{"greedy": 2, "modest": 2})
}
