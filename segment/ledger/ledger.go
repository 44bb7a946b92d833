// Package ledger limits what all requests together can use: memory for
// decoding, or places among the files being received.
//
// Nobody holds memory of a ledger while waiting for a client: uploads are kept
// in a file until they are complete, and only then take memory for decoding. A
// user holds at most a share of the stock, so that there is always some for
// others.
package ledger

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"

	"collie/segment/access"
)

// Errors of Take.
var (
	ErrBusy    = errors.New("ledger: too many are waiting")      // trying again later helps
	ErrTooMuch = errors.New("ledger: more than there is in all") // trying again never helps
)

// collectFrom is the size of a loan in bytes from which garbage is collected
// first. The collector paces itself by the size of the heap, which such a loan
// exceeds in one step while the memory of earlier ones has not been freed.
const collectFrom = 32 << 20

// Ledger lends out a stock. Safe for concurrent use.
type Ledger struct {
	total, share int64
	waiting      int
	stock        *semaphore.Weighted

	mu    sync.Mutex
	users map[string]*account
}

// account is the loans that one user has and waits for.
type account struct {
	stock   *semaphore.Weighted // what is left of the user's share
	loans   int                 // given or waited for
	waiting int
}

// New returns a ledger with a stock of total. One user can hold up to share,
// and have up to waiting loans waiting.
func New(total, share int64, waiting int) *Ledger {
	return &Ledger{total: total, share: min(share, total), waiting: waiting, stock: semaphore.NewWeighted(total), users: map[string]*account{}}
}

// Take lends n to the user whom ctx names, waiting for it if needed; give ends
// the loan and must be called once. A loan larger than a user's share is given
// once the user holds nothing else. If too many of the user's loans are
// waiting, the error is ErrBusy at once.
func (l *Ledger) Take(ctx context.Context, n int64) (give func(), err error) {
	if n > l.total {
		return nil, ErrTooMuch
	}
	p, _ := access.From(ctx)
	user, own := l.enter(p.User), min(n, l.share)
	if err := l.wait(ctx, user, own, n); err != nil {
		l.leave(p.User)
		return nil, err
	}
	if n >= collectFrom {
		runtime.GC()
	}
	return sync.OnceFunc(func() {
		l.stock.Release(n)
		user.stock.Release(own)
		l.leave(p.User)
	}), nil
}

// wait takes own of the user's share and n of the stock.
func (l *Ledger) wait(ctx context.Context, user *account, own, n int64) error {
	if user.stock.TryAcquire(own) {
		if l.stock.TryAcquire(n) {
			return nil
		}
		user.stock.Release(own)
	}
	l.mu.Lock()
	if user.waiting >= l.waiting {
		l.mu.Unlock()
		return ErrBusy
	}
	user.waiting++
	l.mu.Unlock()
	err := user.stock.Acquire(ctx, own)
	if err == nil {
		if err = l.stock.Acquire(ctx, n); err != nil {
			user.stock.Release(own)
		}
	}
	l.mu.Lock()
	user.waiting--
	l.mu.Unlock()
	return err
}

// enter returns the account of a user.
func (l *Ledger) enter(name string) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.users[name]
	if a == nil {
		a = &account{stock: semaphore.NewWeighted(l.share)}
		l.users[name] = a
	}
	a.loans++
	return a
}

// leave removes a user without loans.
func (l *Ledger) leave(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.users[name]
	if a.loans--; a.loans == 0 {
		delete(l.users, name)
	}
}

// Waiting returns the number of waiting loans.
func (l *Ledger) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, a := range l.users {
		n += a.waiting
	}
	return n
}

// Idle reports whether everything has been given back.
func (l *Ledger) Idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.users) == 0
}
