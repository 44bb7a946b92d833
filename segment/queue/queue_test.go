package queue_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"collie/segment/queue"
)

func enter(t *testing.T, q *queue.Queue) (leave func()) {
	t.Helper()
	leave, err := q.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return leave
}

// Waiting callers are served in order, one by one, and one too many is refused at
// once.
func TestQueueIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(1, 3)
		leave := enter(t, q)
		var order []int
		for i := range 3 {
			go func() {
				leave := enter(t, q)
				order = append(order, i)
				leave()
			}()
			synctest.Wait()
		}
		if _, err := q.Enter(t.Context()); !errors.Is(err, queue.ErrFull) {
			t.Errorf("a fourth waits: %v", err)
		}
		if q.Len() != 4 {
			t.Errorf("%d are in the queue, want 4", q.Len())
		}
		leave()
		leave() // does nothing
		synctest.Wait()
		if len(order) != 3 || order[0] != 0 || order[1] != 1 || order[2] != 2 {
			t.Errorf("order %v", order)
		}
		if q.Len() != 0 {
			t.Errorf("%d are left", q.Len())
		}
	})
}

// Giving up makes room.
func TestQueueIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(1, 1)
		leave := enter(t, q)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := q.Enter(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("given up with %v", err)
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		go func() { enter(t, q)() }()
		synctest.Wait()
		leave()
		synctest.Wait()
		if q.Len() != 0 {
			t.Errorf("%d are left", q.Len())
		}
	})
}

// No more places are taken than there are.
func TestPlacesAreNeverExceeded(t *testing.T) {
	q := queue.New(3, 1000)
	var taken, most atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			leave := enter(t, q)
			now := taken.Add(1)
			for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
			}
			runtime.Gosched()
			taken.Add(-1)
			leave()
		})
	}
	all.Wait()
	if most.Load() > 3 || q.Len() != 0 {
		t.Errorf("%d of 3 were taken at once, %d are left", most.Load(), q.Len())
	}
}
