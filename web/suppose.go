package web

import (
	"cmp"
	"context"

	"collie/segment"
)

// suppose sends this socket, and no other, the first hypothesis that there would
// be if a label were the next event. It is for the time between the press of a
// button and its release: nothing is stored, and a supposition that comes too
// late, or for which the server has no time, is not answered. A socket has one
// at a time.
func (c *socket) suppose(m *clientMessage) error {
	c.stopSupposing()
	m.ID, m.Kind = cmp.Or(m.ID, "supposed"), string(segment.Label)
	event, expected, err := m.event()
	if err != nil {
		return err
	}
	sequence, err := c.room.annotation.Suppose(c.ctx, expected, event)
	if segment.KindOf(err) == segment.Conflict {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.stopSupposing = cancel
	c.room.hub.running.Go(func() {
		defer cancel()
		err := guard(c.log, "supposition", func() error {
			h, err := sequence.At(ctx, 0)
			if err != nil {
				return err
			}
			frame, err := frameOf(supposedRun, sequence.Seq(), h)
			if err != nil {
				return err
			}
			c.room.mu.Lock()
			defer c.room.mu.Unlock()
			if ctx.Err() == nil { // no other one has been asked for since
				c.supposed = frame
				c.wake()
			}
			return nil
		})
		if err != nil && ctx.Err() == nil && segment.KindOf(err) != segment.Busy {
			c.log.Error("supposition failed", "image", c.room.id, "error", err)
		}
	})
	return nil
}

// supposedRun is the number of no run; those of runs start at 1.
const supposedRun = 0
