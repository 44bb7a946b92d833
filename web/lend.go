package web

import (
	"context"
	"errors"
	"time"

	"collie/segment"
	"collie/segment/ledger"
)

// Memory for answers that are kept until the client has taken them, however slowly.
const (
	answerMemory   = 128 << 20 // bytes
	answerShare    = answerMemory / 2
	answerWaiting  = 32              // waiting requests of one user
	answerPatience = 5 * time.Second // then a waiting request is refused, while there is time to answer it
	smallAnswer    = 64 << 10        // bytes that need no loan
)

// lend lends the memory that an answer takes until the client has it. A request that
// waits for it must not have made the answer yet.
func (s *Server) lend(ctx context.Context, size int64) (give func(), err error) {
	if size <= smallAnswer {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	give, err = s.kept.Take(waiting, min(size, answerMemory))
	if errors.Is(err, ledger.ErrBusy) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, segment.Errorf(segment.Busy, "Too many large answers are being sent right now; try again in a few seconds.")
	}
	return give, err
}
