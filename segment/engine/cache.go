package engine

import (
	"runtime"
	"sync"
	"weak"
)

// Cache bounds what the models of all images remember of clicks, which can be computed
// again: the similarities of clicked superpixels, and paths. When they take more than its
// room, the model that was used longest ago forgets its own, until only one has any. Safe
// for concurrent use.
type Cache struct {
	room int // bytes

	mu     sync.Mutex
	used   int // bytes
	time   int // counts uses
	models map[weak.Pointer[Model]]*cached
}

// cached is what a model remembers.
type cached struct {
	bytes int
	last  int // time of its last use
}

// NewCache returns an empty cache with room for so many bytes.
func NewCache(room int) *Cache { return &Cache{room: room, models: map[weak.Pointer[Model]]*cached{}} }

// most is how many similarities one model can remember, because each click asks for those of
// all clicks before it: with the paths behind them they take up to half of the room, so that
// thousands of clicks on thousands of superpixels are not all computed again for each
// hypothesis, and are enough for several hundred clicks on 600 in any case.
func (c *Cache) most() int {
	if c == nil {
		return leastMost
	}
	return min(max(c.room/24, leastMost), mostMost)
}

const leastMost, mostMost = 2_000_000, 32_000_000

// use counts what a model remembers when it was just used, and makes others forget what
// is too much.
func (c *Cache) use(m *Model, bytes int) {
	c.mu.Lock()
	key := weak.Make(m)
	known := c.models[key]
	if known == nil {
		known = new(cached)
		c.models[key] = known
		runtime.AddCleanup(m, c.gone, key)
	}
	c.time++
	known.last = c.time
	c.used += bytes - known.bytes
	known.bytes = bytes
	excess := c.excess()
	c.mu.Unlock()
	for _, m := range excess {
		m.forget()
	}
}

// excess takes out what there is no room for. The caller holds the lock.
func (c *Cache) excess() (out []*Model) {
	for c.used > c.room && len(c.models) > 1 {
		var oldest weak.Pointer[Model]
		for key, known := range c.models {
			if o, ok := c.models[oldest]; !ok || known.last < o.last {
				oldest = key
			}
		}
		c.take(oldest)
		if m := oldest.Value(); m != nil {
			out = append(out, m)
		}
	}
	return out
}

// gone takes out a model that nobody has any more.
func (c *Cache) gone(key weak.Pointer[Model]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(key)
}

// take takes out a model if it is known. The caller holds the lock.
func (c *Cache) take(key weak.Pointer[Model]) {
	if known := c.models[key]; known != nil {
		c.used -= known.bytes
		delete(c.models, key)
	}
}
