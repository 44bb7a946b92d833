package cache

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"collie/segment"
)

// mustCache returns a cache in place, still empty, before a store that has display/x, of
// 1,000 bytes. Both are closed at the end of the test.
func mustCache(t *testing.T, place string) (c *Cache, b *behind) {
	t.Helper()
	b = mustBehind(t, t.TempDir())
	if err := put(t.Context(), b, "display/x", text("x", 1000)); err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), b, place, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), b.Store.Close()); err != nil {
			t.Error(err)
		}
	})
	return c, b
}

// A hundred readers of one file ask for it once.
func TestOneFetch(t *testing.T) {
	t.Parallel()
	c, b := mustCache(t, t.TempDir())
	var wait sync.WaitGroup
	for range 100 {
		wait.Go(func() {
			if got, err := read(t.Context(), c, "display/x"); err != nil || len(got) != 1000 {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	wait.Wait()
	if n := b.opened.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
}

// A reader who looks for a file just before somebody else has fetched it, and asks
// who fetches it just after, doesn't fetch it again.
func TestFetchedMeanwhile(t *testing.T) {
	t.Parallel()
	c, _ := mustCache(t, t.TempDir())
	if file := c.find(t.Context(), "display/x"); file != nil {
		t.Fatal("found before it was fetched")
	}
	if _, err := read(t.Context(), c, "display/x"); err != nil {
		t.Fatal(err)
	}
	if f, mine := c.begin("display/x"); f != nil || mine {
		t.Error("fetched twice")
	}
}

// A file that is forgotten while it is fetched is not kept.
func TestForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	c, b := mustCache(t, place)
	for _, forget := range []bool{true, false} {
		b.before = func(key string) {
			if forget {
				c.Forget(key)
			}
		}
		if _, err := read(t.Context(), c, "display/x"); err != nil {
			t.Fatal(err)
		}
		if names, _ := onDisk(t, place); (len(names) == 0) != forget {
			t.Errorf("forgotten: %v, the folder has %q", forget, names)
		}
	}
}

// When the reader who fetches a file leaves, one of those who wait for it fetches it
// for all of them.
func TestFetcherLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, b := mustCache(t, t.TempDir())
		fetching := make(chan struct{})
		b.before = func(string) { <-fetching }
		leaving, leave := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() { _, _ = read(leaving, c, "display/x") })
		synctest.Wait()
		for range 20 {
			wait.Go(func() {
				if got, err := read(t.Context(), c, "display/x"); err != nil || len(got) != 1000 {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		}
		synctest.Wait()
		leave()
		close(fetching)
		wait.Wait()
		if n := b.opened.Load(); n != 2 {
			t.Errorf("fetched %d times", n)
		}
	})
}

// Those who wait for a file wait once for a bucket that doesn't answer: it isn't asked
// again by each of them.
func TestFetchFromNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, b := mustCache(t, t.TempDir())
		waiting := make(chan struct{})
		b.away, b.before = true, func(string) { <-waiting }
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				if _, err := read(t.Context(), c, "display/x"); segment.KindOf(err) != segment.Unavailable {
					t.Errorf("%v, want Unavailable", err)
				}
			})
		}
		synctest.Wait()
		close(waiting)
		wait.Wait()
		if n := b.opened.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}
