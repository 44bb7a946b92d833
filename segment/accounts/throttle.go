package accounts

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// throttle limits the tries per key to most within any span of the given
// length. Safe for concurrent use.
type throttle struct {
	most int
	span time.Duration

	mu    sync.Mutex
	tries map[string][]time.Time // oldest first, at most most of them
	swept time.Time
}

func newThrottle(most int, span time.Duration) *throttle {
	return &throttle{most: most, span: span, tries: map[string][]time.Time{}}
}

// try counts a try that is about to happen. If there have been too many, it
// isn't counted, and wait is the time until the next one is possible.
func (t *throttle) try(key string) (at time.Time, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.sweep(now)
	recent := t.recent(key, now)
	if len(recent) >= t.most {
		return now, recent[0].Add(t.span).Sub(now)
	}
	t.tries[key] = append(recent, now)
	return now, 0
}

// forgive uncounts the try made at a given time.
func (t *throttle) forgive(key string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.tries[key], at); i >= 0 {
		t.tries[key] = slices.Delete(t.tries[key], i, i+1)
	}
}

// forget removes all tries of a key.
func (t *throttle) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tries, key)
}

// forgetAll removes all tries of keys with the prefix.
func (t *throttle) forgetAll(prefix string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.tries, func(key string, _ []time.Time) bool { return strings.HasPrefix(key, prefix) })
}

func (t *throttle) recent(key string, now time.Time) []time.Time {
	tries := t.tries[key]
	for len(tries) > 0 && now.Sub(tries[0]) >= t.span {
		tries = tries[1:]
	}
	return tries
}

// sweep removes, once per span, the keys whose tries have all expired.
func (t *throttle) sweep(now time.Time) {
	if now.Sub(t.swept) < t.span {
		return
	}
	t.swept = now
	for key := range t.tries {
		if len(t.recent(key, now)) == 0 {
			delete(t.tries, key)
		}
	}
}
