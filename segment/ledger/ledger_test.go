package ledger

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"collie/segment/access"
)

func as(ctx context.Context, user string) context.Context {
	return access.With(ctx, access.Principal{User: user, Role: access.Annotator})
}

// waitFor waits until the given number of loans wait.
func waitFor(l *Ledger, n int) {
	for l.Waiting() < n {
		time.Sleep(time.Millisecond)
	}
}

// A user with all of a share waits for it, while others get what is left.
func TestShares(t *testing.T) {
	l := New(100, 50, 2)
	ann, bob := as(t.Context(), "ann"), as(t.Context(), "bob")
	first, err := l.Take(ann, 50)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			give, err := l.Take(ann, 30)
			if err != nil {
				t.Error(err)
				return
			}
			give()
		})
	}
	waitFor(l, 2)
	if _, err := l.Take(ann, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("the third that waits: %v", err)
	}
	for range 2 { // others notice nothing
		give, err := l.Take(bob, 50)
		if err != nil {
			t.Fatal(err)
		}
		give()
	}
	first()
	first() // does nothing
	wait.Wait()
	if !l.Idle() {
		t.Error("not everything came back")
	}
}

// Where there is one to lend, users take turns, however many loans one of them waits for.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(1, 1, math.MaxInt)
		var order []string // only whoever has the loan adds to it
		done := make(chan struct{})
		give, err := l.Take(as(t.Context(), "ann"), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, user := range []string{"ann", "ann", "ann", "bob", "bob", "cleo"} {
			go func() {
				give, err := l.Take(as(t.Context(), user), 1)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, user)
				<-done
				give()
			}()
			synctest.Wait()
		}
		give()
		for range 6 {
			synctest.Wait() // for those who wait next
			done <- struct{}{}
		}
		synctest.Wait()
		if got := strings.Join(order, " "); got != "bob cleo ann bob ann ann" {
			t.Errorf("the order is %s", got)
		}
	})
}

// Loans larger than a share go only to users who hold nothing else; loans larger
// than the stock are never granted.
func TestGreatLoans(t *testing.T) {
	l := New(100, 50, 1)
	give, err := l.Take(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	give()
	if _, err := l.Take(t.Context(), 101); !errors.Is(err, ErrTooMuch) {
		t.Error(err)
	}
	if !l.Idle() {
		t.Error("not everything came back")
	}
}

// Giving up while waiting leaves nothing behind.
func TestLeaving(t *testing.T) {
	l := New(10, 10, 5)
	give, err := l.Take(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := l.Take(ctx, 1); done <- err }()
	waitFor(l, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	give()
	if !l.Idle() {
		t.Error("not everything came back")
	}
}

// However many users take and give, never more is lent than there is, and all
// of it comes back.
func TestNeverMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 50).Draw(t, "total")
		l := New(total, rapid.Int64Range(1, 50).Draw(t, "share"), 100)
		loans := rapid.SliceOfN(rapid.Int64Range(1, total), 1, 20).Draw(t, "loans")
		var lent, most atomic.Int64
		var wait sync.WaitGroup
		for i, n := range loans {
			wait.Go(func() {
				give, err := l.Take(as(context.Background(), string(rune('a'+i%3))), n)
				if err != nil {
					t.Errorf("%d: %v", n, err)
					return
				}
				now := lent.Add(n)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				runtime.Gosched() // so that others are at it, too
				lent.Add(-n)
				give()
			})
		}
		wait.Wait()
		if most.Load() > total || !l.Idle() {
			t.Errorf("%d of %d were lent; idle: %v", most.Load(), total, l.Idle())
		}
	})
}
