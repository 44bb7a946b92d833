package storagetest

import (
	"sync"
	"testing"
	"time"

	"collie/segment/accounts"
)

// TriesStore is a Store that also counts tries.
type TriesStore interface {
	Store
	accounts.Tries
}

// TestTries checks the contract of accounts.Tries; rows counts what is stored.
func TestTries(t *testing.T, open func(tb testing.TB, place string) TriesStore, rows func(s TriesStore) int) {
	const most = 4
	ctx, place := t.Context(), t.TempDir()
	s := open(t, place)
	try := func(s TriesStore, key string, span time.Duration) (time.Time, bool) {
		t.Helper()
		until, wait, err := s.Try(ctx, key, most, span)
		must(t, err)
		if wait < 0 || wait > time.Hour+time.Minute { // others may be counted between the clock and the database
			t.Errorf("the next try of %s is possible in %v", key, wait)
		}
		return until, wait == 0
	}
	counts := func(key string, want int) {
		t.Helper()
		var made []time.Time
		for {
			until, ok := try(s, key, time.Hour)
			if !ok {
				break
			}
			made = append(made, until)
		}
		for _, until := range made {
			must(t, s.Forgive(ctx, key, until))
		}
		if have := most - len(made); have != want {
			t.Errorf("%d tries of %s count, want %d", have, key, want)
		}
	}
	counts("ann", 0)

	// Another server counts with this one, and both at once count no more than most.
	other := open(t, place)
	var wait sync.WaitGroup
	var mu sync.Mutex
	var got []time.Time
	for n := range 3 * most {
		wait.Go(func() {
			if until, ok := try([]TriesStore{s, other}[n%2], "ann", time.Hour); ok {
				mu.Lock()
				got = append(got, until)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(got) != most {
		t.Fatalf("%d tries were let through, want %d", len(got), most)
	}
	counts("bob", 0)

	// One is taken back, once; a restart takes back none.
	for range 2 {
		must(t, other.Forgive(ctx, "ann", got[0]))
	}
	must(t, s.Forgive(ctx, "bob", got[1]))
	counts("ann", most-1)
	closeStore(t, other)
	closeStore(t, s)
	s = open(t, place)
	defer func() { closeStore(t, s) }()
	counts("ann", most-1)
	must(t, s.Forgive(ctx, "ann", time.Time{}))
	counts("ann", 0)
	must(t, s.Forgive(ctx, "nobody", time.Time{}))

	// Those that have expired neither count nor stay. A lower limit than before holds
	// until as many have expired as it takes.
	for range most {
		try(s, "short", time.Millisecond)
		time.Sleep(5 * time.Millisecond)
	}
	counts("short", 0)
	// Those of a clock that has been set back since would count for years.
	for range most {
		try(s, "early", 1000*time.Hour)
	}
	counts("early", 0)
	for range most {
		try(s, "long", time.Hour)
	}
	if _, wait, err := s.Try(ctx, "long", 1, time.Hour); err != nil || wait < 59*time.Minute {
		t.Errorf("with a lower limit the wait is %v, %v", wait, err)
	}
	if n := rows(s); n != most {
		t.Errorf("%d tries are stored, want those %d that count", n, most)
	}
}
