package importer

import (
	"context"
	"time"

	"collie/segment"
)

// waits are the pauses after which a server that has too much to do is asked
// again, about a minute in all.
var waits = []time.Duration{
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second, 30 * time.Second,
}

// insist does something again while the error is that the server is busy, until
// ctx ends or the waits do.
func insist(ctx context.Context, do func() error) error {
	err := do()
	for _, wait := range waits {
		if segment.KindOf(err) != segment.Busy {
			break
		}
		select {
		case <-time.After(wait):
			err = do()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
