package accounts

import (
	"context"
	"time"
)

// Tries counts failed tries to sign in, for all servers that share a database. They
// survive a restart. Safe for concurrent use.
type Tries interface {
	// Try counts a try that is about to happen, which stops counting after span. If
	// most tries of the key count already, this one isn't counted, and wait is the
	// time until the next one is possible. Keys can have passwords in them, typed into
	// the wrong field, so only their hashes are stored.
	Try(ctx context.Context, key string, most int, span time.Duration) (until time.Time, wait time.Duration, err error)
	// Forgive uncounts the try of a key that counts until a given time, or all of the
	// key's tries with the zero time.
	Forgive(ctx context.Context, key string, until time.Time) error
}

// limit limits the tries per key to most within any span of the given length.
type limit struct {
	tries Tries
	most  int
	span  time.Duration
}

// try counts a try; too many are a *TriesError. Forgive takes it back.
func (l *limit) try(ctx context.Context, key string) (*try, error) {
	until, wait, err := l.tries.Try(ctx, key, l.most, l.span)
	if err == nil && wait > 0 {
		err = &TriesError{min(wait, l.span)} // tries at the same moment end a few milliseconds after each other
	}
	return &try{l.tries, key, until}, err
}

// try is a try that counts.
type try struct {
	tries Tries
	key   string
	until time.Time
}

// forgive uncounts the try, also for a caller who has left.
func (t *try) forgive(ctx context.Context) error {
	return t.tries.Forgive(context.WithoutCancel(ctx), t.key, t.until)
}

// forgiveAll uncounts all tries of the same key.
func (t *try) forgiveAll(ctx context.Context) error {
	return t.tries.Forgive(context.WithoutCancel(ctx), t.key, time.Time{})
}
