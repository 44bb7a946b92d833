package queue_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"collie/segment/queue"
)

func enter(t *testing.T, q *queue.Queue, weight, held int64) (leave func()) {
	t.Helper()
	leave, err := q.Enter(t.Context(), weight, held)
	if err != nil {
		t.Fatal(err)
	}
	return leave
}

// Waiting callers are served in order, one by one, and one too many is refused at
// once.
func TestQueueIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(1, 3, 0)
		leave := enter(t, q, 1, 0)
		var order []int
		for i := range 3 {
			go func() {
				leave := enter(t, q, 1, 0)
				order = append(order, i)
				leave()
			}()
			synctest.Wait()
		}
		if _, err := q.Enter(t.Context(), 1, 0); !errors.Is(err, queue.ErrFull) {
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
		q := queue.New(1, 1, 0)
		leave := enter(t, q, 1, 0)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := q.Enter(ctx, 1, 0); !errors.Is(err, context.Canceled) {
				t.Errorf("given up with %v", err)
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		p, err := q.Join(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.Leave() // without having waited
		p.Leave()
		if p, err = q.Join(1, 0); err != nil {
			t.Fatal(err)
		}
		leave()
		if err := p.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		p.Leave()
		if q.Len() != 0 {
			t.Errorf("%d are left", q.Len())
		}
	})
}

// What waiting callers hold is limited, too; one alone can hold more.
func TestHolding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New(10, 32, 1000)
		leave := enter(t, q, 7, 5000) // holds what it likes: it does not wait
		var all sync.WaitGroup
		for _, held := range []int64{900, 100} {
			all.Go(func() { enter(t, q, 5, held)() })
			synctest.Wait()
		}
		if _, err := q.Enter(t.Context(), 5, 1); !errors.Is(err, queue.ErrFull) {
			t.Errorf("more is held than there is room for: %v", err)
		}
		leave()
		all.Wait()
		leave = enter(t, q, 10, 0)
		all.Go(func() { enter(t, q, 1, 2000)() })
		synctest.Wait()
		leave()
		all.Wait()
	})
}

// The stock is never exceeded.
func TestStockIsNeverOverdrawn(t *testing.T) {
	q := queue.New(3, 1000, 0)
	var mu sync.Mutex
	taken, most := int64(0), int64(0)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			weight := int64(i%3 + 1)
			leave := enter(t, q, weight, 0)
			mu.Lock()
			taken += weight
			most = max(most, taken)
			mu.Unlock()
			mu.Lock()
			taken -= weight
			mu.Unlock()
			leave()
		})
	}
	all.Wait()
	if most > 3 || q.Len() != 0 {
		t.Errorf("%d of 3 were taken at once, %d are left", most, q.Len())
	}
}
