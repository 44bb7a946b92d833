package live

import (
	"cmp"
	"context"

	"collie/segment"
	"collie/web/panics"
)

// suppose sends this socket, and no other, the first hypothesis that there would
// be if a label were the next event. It is for the time between the press of a
// button and its release: nothing is stored, and a supposition that comes too
// late, or for which the server has no time, is not answered. A socket has one
// at a time, and that only until the next state.
func (c *socket) suppose(m *clientMessage) error {
	ctx, cancel := context.WithCancel(c.ctx)
	c.room.mu.Lock()
	c.outbox.suppose(cancel) // before it is looked at whether it is for the present state
	c.room.mu.Unlock()
	m.ID, m.Kind = cmp.Or(m.ID, "supposed"), string(segment.Label)
	event, expected, err := m.Event()
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
			c.room.mu.Lock()
			defer c.room.mu.Unlock()
			if ctx.Err() == nil { // nothing has taken its place
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

// SupposedRun is the run that suppositions are said to be of: none, for the
// numbers of runs start at 1.
const SupposedRun = 0
