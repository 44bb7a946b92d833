package live

import (
	"cmp"
	"context"
	"errors"
	"time"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/web/panics"
)

// suppose sends only this socket the first hypothesis that would follow if a
// label were the next event, and computes the others. It covers the time between
// the press of a button and its release: nothing is stored, and a supposition that
// arrives too late, or that the server has no time for, is not answered. A socket
// has one at a time, until the next state.
func (c *socket) suppose(m *clientMessage) error {
	ctx, cancel := context.WithCancel(c.ctx)
	c.room.mu.Lock()
	c.outbox.suppose(cancel) // before checking that it is for the current state
	c.room.mu.Unlock()
	m.ID, m.Kind = cmp.Or(m.ID, "supposed"), string(segment.Label)
	event, expected, err := m.Event()
	if err != nil {
		return err
	}
	sequence, err := c.room.annotation.Suppose(c.ctx, expected, event)
	if segment.KindOf(err) == segment.Conflict || errors.Is(err, annotation.ErrLocked) {
		return nil // if the label follows, its refusal says why
	}
	if err != nil {
		return err
	}
	c.room.hub.running.Go(func() {
		defer cancel()
		err := panics.Guard(c.log, "supposition", func() error {
			h, err := sequence.Supposed(ctx)
			if err != nil {
				return err
			}
			frame, err := frameOf(SupposedRun, sequence.Seq(), h)
			if err != nil {
				return err
			}
			c.answer(ctx, frame)
			select {
			case <-time.After(answering):
			case <-ctx.Done():
				return nil
			}
			return sequence.Foresee(ctx, engine.DefaultHypotheses)
		})
		if err != nil && ctx.Err() == nil && segment.KindOf(err) != segment.Busy {
			c.log.Error("supposition failed", "image", c.room.id, "error", err)
		}
	})
	return nil
}

// answering is how long the answer to a supposition has the processors to itself, on
// its way to a page that may run on this machine.
const answering = 4 * time.Millisecond

// answer sends the answer to a supposition unless it has been replaced.
func (c *socket) answer(ctx context.Context, frame []byte) {
	c.room.mu.Lock()
	defer c.room.mu.Unlock()
	if ctx.Err() == nil {
		c.supposed = frame
		c.wake()
	}
}

// SupposedRun is the run number of answers to suppositions. Real runs count
// from 1.
const SupposedRun = 0
