package answers

import (
	"context"
	"errors"
	"time"

	"collie/segment"
	"collie/segment/ledger"
)

// Memory is that for large answers, which are kept until the client has taken them,
// however slowly. Make it with NewMemory.
type Memory struct{ lent *ledger.Ledger }

const (
	memoryTotal = 128 << 20 // bytes
	memoryShare = memoryTotal / 2
	mostWaiting = 32              // waiting requests of one user
	patience    = 5 * time.Second // then a waiting request is refused, while there is time to answer it
	SmallAnswer = 64 << 10        // bytes that need no loan
)

// NewMemory returns memory with nothing lent.
func NewMemory() *Memory { return &Memory{ledger.New(memoryTotal, memoryShare, mostWaiting)} }

// Idle reports whether nothing is lent.
func (m *Memory) Idle() bool { return m.lent.Idle() }

// Lend lends the memory that an answer takes until the client has it. A request that
// waits for it must not have made the answer yet.
func (m *Memory) Lend(ctx context.Context, size int64) (give func(), err error) {
	return m.lend(ctx, size, patience)
}

func (m *Memory) lend(ctx context.Context, size int64, patience time.Duration) (give func(), err error) {
	if size <= SmallAnswer {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	give, err = m.lent.Take(waiting, min(size, memoryTotal))
	if errors.Is(err, ledger.ErrBusy) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, segment.Errorf(segment.Busy, "Too many large answers are being sent right now; try again in a few seconds.")
	}
	return give, err
}
