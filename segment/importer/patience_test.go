package importer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"collie/segment"
)

func TestInsist(t *testing.T) {
	busy, broken := segment.Errorf(segment.Busy, "later"), errors.New("broken")
	for name, c := range map[string]struct {
		errs  []error // of the calls in turn; the last one stays
		calls int
		want  error
		after time.Duration
	}{
		"at once":     {[]error{nil}, 1, nil, 0},
		"broken":      {[]error{broken}, 1, broken, 0},
		"busy twice":  {[]error{busy, busy, nil}, 3, nil, 750 * time.Millisecond},
		"then broken": {[]error{busy, broken}, 2, broken, 250 * time.Millisecond},
		"always busy": {[]error{busy}, len(waits) + 1, busy, 60750 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, calls := time.Now(), 0
				err := insist(t.Context(), func() error {
					calls++
					return c.errs[min(calls, len(c.errs))-1]
				})
				if !errors.Is(err, c.want) || calls != c.calls || time.Since(start) != c.after {
					t.Errorf("%v after %d calls and %v, want %v after %d and %v", err, calls, time.Since(start), c.want, c.calls, c.after)
				}
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := insist(ctx, func() error { return busy }); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}
