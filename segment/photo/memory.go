package photo

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

const (
	bytesPerPixel   = 12        // taken while an image is decoded: up to 8 in the decoder, 4 as NRGBA
	maxWaiting      = 32        // files in the queue
	maxWaitingBytes = 256 << 20 // of all files in the queue together
)

// memory shares out the bytes that all photos together may take.
type memory struct {
	size int64
	free *semaphore.Weighted

	mu           sync.Mutex
	waiting      int
	waitingBytes int64
}

func newMemory(size int64) *memory {
	return &memory{size: size, free: semaphore.NewWeighted(size)}
}

// acquire takes weight bytes, waiting for them if need be. A file that waits
// holds held bytes; when too many wait already, the error is Busy at once.
func (m *memory) acquire(ctx context.Context, weight, held int64) error {
	if m.free.TryAcquire(weight) {
		return nil
	}
	m.mu.Lock()
	if m.waiting >= maxWaiting || m.waiting > 0 && m.waitingBytes+held > maxWaitingBytes {
		m.mu.Unlock()
		return refusef(Busy, "Too many images are being read at the moment. This one was not taken; try again in a few seconds.")
	}
	m.waiting++
	m.waitingBytes += held
	m.mu.Unlock()
	err := m.free.Acquire(ctx, weight)
	m.mu.Lock()
	m.waiting--
	m.waitingBytes -= held
	m.mu.Unlock()
	return err
}

func (m *memory) release(weight int64) { m.free.Release(weight) }
