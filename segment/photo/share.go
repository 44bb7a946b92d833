package photo

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// bytesPerPixel are taken while an image is decoded: up to 8 in the decoder, 4
// as NRGBA.
const bytesPerPixel = 12

// share deals out a stock, bytes or places, of which all files together have so
// much. Those that find too little wait in a short queue.
type share struct {
	free         *semaphore.Weighted
	queue        int   // files that may wait
	waitingBytes int64 // that these may hold

	mu      sync.Mutex
	waiting int
	held    int64
}

func newShare(size int64, queue int, waitingBytes int64) *share {
	return &share{free: semaphore.NewWeighted(size), queue: queue, waitingBytes: waitingBytes}
}

// acquire takes weight, waiting for it if need be. A file that waits holds held
// bytes; when too many wait already, the error is Busy at once.
func (s *share) acquire(ctx context.Context, weight, held int64) error {
	if s.free.TryAcquire(weight) {
		return nil
	}
	s.mu.Lock()
	if s.waiting >= s.queue || s.waiting > 0 && s.held+held > s.waitingBytes {
		s.mu.Unlock()
		return refusef(Busy, "Too many images are being read at the moment. This one was not taken; try again in a few seconds.")
	}
	s.waiting++
	s.held += held
	s.mu.Unlock()
	err := s.free.Acquire(ctx, weight)
	s.mu.Lock()
	s.waiting--
	s.held -= held
	s.mu.Unlock()
	return err
}

func (s *share) release(weight int64) { s.free.Release(weight) }
