// Package cache keeps files of images, which come from a bucket, in a folder of
// this machine.
//
// The folder is bounded, and what was used least recently leaves first. It can be
// lost or deleted at any time. Every file in it carries its SHA-256, which is
// checked whenever it is opened; a damaged file is fetched again.
package cache

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"sync"
	"time"

	"collie/segment"
	"collie/storage/blob"
)

const (
	// keepFor is how long a file stays, however often it is used: an erased image
	// has left every machine after that time, also where nobody said it was erased.
	keepFor = 24 * time.Hour
	// lookEvery is the time between two searches for files that have been kept so long.
	lookEvery = time.Hour
	// overhead is what a file takes beyond its content.
	overhead = 64
)

// Cache is a segment.Blobs that passes everything on to the one behind it, and
// keeps what it reads of the files of images. Other keys are not kept: their content
// can be replaced, or they are read once. Safe for concurrent use.
type Cache struct {
	segment.Blobs
	local *blob.Store
	room  int64
	now   func() time.Time
	stop  chan struct{}
	done  chan struct{}

	mu      sync.Mutex
	used    int64                    // bytes, with those of running fills
	oldest  time.Time                // no file has been in the folder since before
	order   *list.List               // of *entry, least recently used first
	entries map[string]*list.Element // by key
	fills   map[string]*fill
}

// entry is a file in the folder.
type entry struct {
	key   string
	bytes int64
	since time.Time
}

// fill is a file on its way into the folder.
type fill struct {
	done      chan struct{} // closed at its end
	failed    bool          // known to whoever fills it
	left      bool          // by a caller who no longer wanted it; set before done is closed
	away      error         // that the bucket couldn't be reached; set before done is closed
	forgotten bool          // meanwhile; under Cache.mu
}

// Open opens the cache in the folder dir, which is made if needed, of up to so many
// bytes, in front of behind. One process at a time can use the folder. Close it.
func Open(ctx context.Context, behind segment.Blobs, dir string, room int64) (*Cache, error) {
	return open(ctx, behind, dir, room, time.Now)
}

func open(ctx context.Context, behind segment.Blobs, dir string, room int64, now func() time.Time) (*Cache, error) {
	local, err := blob.OpenFast(dir)
	if err != nil {
		return nil, err
	}
	c := &Cache{
		Blobs: behind, local: local, room: room, now: now, stop: make(chan struct{}), done: make(chan struct{}),
		order: list.New(), entries: map[string]*list.Element{}, fills: map[string]*fill{},
	}
	var found []entry
	for info, err := range local.All(ctx) {
		if err != nil {
			return nil, errors.Join(err, local.Close())
		}
		if info.Modified.After(now()) { // the clock has been set back since
			info.Modified = time.Time{}
		}
		found = append(found, entry{info.Key, info.Bytes + overhead, info.Modified})
	}
	slices.SortFunc(found, func(a, b entry) int { return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.key, b.key)) })
	for _, e := range found {
		c.add(e)
	}
	c.mu.Lock()
	c.expire()
	c.shrink(0)
	c.mu.Unlock()
	go c.keep()
	return c, nil
}

// Close releases the folder; open blobs stay readable. It doesn't close what is
// behind the cache.
func (c *Cache) Close() error {
	close(c.stop)
	<-c.done
	return c.local.Close()
}

// keep removes old files now and then until the cache is closed.
func (c *Cache) keep() {
	defer close(c.done)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.mu.Lock()
			c.expire()
			c.mu.Unlock()
		case <-c.stop:
			return
		}
	}
}

// kinds are the folders of the keys of images' files, but for what another server
// can compute and replace.
var kinds = func() map[string]bool {
	kinds := map[string]bool{}
	for _, key := range new(segment.Image).Keys() {
		kinds[path.Dir(key)] = true
	}
	return kinds
}()

// Open returns the content of key, from the folder if it is there.
func (c *Cache) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if !kinds[path.Dir(key)] || segment.CheckKey(key) != nil {
		return c.Blobs.Open(ctx, key)
	}
	for {
		if file := c.find(ctx, key); file != nil {
			return file, nil
		}
		f, mine := c.begin(key)
		if mine {
			return c.fetch(ctx, key, f)
		}
		if f != nil {
			select {
			case <-f.done:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			if f.left {
				continue // the next one fetches it
			}
			if f.away != nil {
				return nil, f.away // whoever asked again would wait twice
			}
		}
		if file := c.find(ctx, key); file != nil {
			return file, nil
		}
		return c.Blobs.Open(ctx, key) // it could not be kept
	}
}

// find opens a file of the folder; nil without one that is whole and fresh.
func (c *Cache) find(ctx context.Context, key string) io.ReadSeekCloser {
	c.mu.Lock()
	at := c.entries[key]
	if at != nil && c.now().Sub(at.Value.(*entry).since) >= keepFor {
		c.drop(at)
		at = nil
	}
	if at != nil {
		c.order.MoveToBack(at)
	}
	c.mu.Unlock()
	if at == nil {
		return nil
	}
	file, err := c.local.Open(ctx, key)
	if err == nil {
		return file
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] == at {
		c.drop(at)
	}
	return nil
}

// begin says who fetches a key: the caller, or somebody else who does so already.
// It returns nil for a key that somebody has fetched since the caller looked for it.
func (c *Cache) begin(key string) (_ *fill, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] != nil {
		return nil, false
	}
	if f := c.fills[key]; f != nil {
		return f, false
	}
	f := &fill{done: make(chan struct{})}
	c.fills[key] = f
	return f, true
}

// fetch opens a file behind the cache and keeps a copy of it, unless that fails or
// the file was forgotten meanwhile.
func (c *Cache) fetch(ctx context.Context, key string, f *fill) (file io.ReadSeekCloser, err error) {
	var kept *entry // its bytes are reserved
	defer func() {
		f.left = ctx.Err() != nil && (f.failed || err != nil)
		if segment.KindOf(err) == segment.Unavailable {
			f.away = err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if kept != nil {
			c.used -= kept.bytes // add counts it
			if f.failed || f.forgotten || err != nil {
				_ = c.local.Remove(context.WithoutCancel(ctx), key)
			} else {
				c.add(*kept)
			}
		}
		delete(c.fills, key)
		close(f.done)
	}()
	file, err = c.Blobs.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if !c.reserve(size + overhead) {
		return file, nil
	}
	kept = &entry{key, size + overhead, c.now()}
	// On a full disk, for example, people do without the copy.
	f.failed = c.local.Put(ctx, key, func(w io.Writer) error { _, err := io.Copy(w, file); return err }) != nil
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// reserve makes room for a file, unless it is too large.
func (c *Cache) reserve(bytes int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire()
	c.shrink(bytes)
	if c.used+bytes > c.room {
		return false
	}
	c.used += bytes
	return true
}

// Remove deletes a blob, here and behind the cache.
func (c *Cache) Remove(ctx context.Context, key string) error {
	err := c.Blobs.Remove(ctx, key)
	c.Forget(key)
	return err
}

// Forget deletes copies in the folder, as when another machine has removed the blobs.
func (c *Cache) Forget(keys ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		if f := c.fills[key]; f != nil {
			f.forgotten = true
		}
		if at := c.entries[key]; at != nil {
			c.drop(at)
		}
	}
}

// add counts a file of the folder as used last; c.mu is held, or nobody else has c.
func (c *Cache) add(e entry) {
	c.entries[e.key] = c.order.PushBack(&e)
	c.oldest = earlier(c.oldest, e.since)
	c.used += e.bytes
}

// drop deletes a file of the folder. Where that fails it still counts, and is
// dropped again later. c.mu is held.
func (c *Cache) drop(at *list.Element) bool {
	e := at.Value.(*entry)
	if err := c.local.Remove(context.Background(), e.key); err != nil {
		return false
	}
	c.order.Remove(at)
	delete(c.entries, e.key)
	c.used -= e.bytes
	return true
}

// shrink drops what was used least recently until so many bytes fit; c.mu is held.
func (c *Cache) shrink(bytes int64) {
	if bytes > c.room {
		return
	}
	for at := c.order.Front(); at != nil && c.used+bytes > c.room; {
		next := at.Next()
		c.drop(at)
		at = next
	}
}

// expire drops what has been kept long enough; c.mu is held. Mostly no file is that
// old, and the files are not gone through.
func (c *Cache) expire() {
	now := c.now()
	if now.Sub(c.oldest) < keepFor {
		return
	}
	c.oldest = now
	for at := c.order.Front(); at != nil; {
		next, since := at.Next(), at.Value.(*entry).since
		if now.Sub(since) < keepFor || !c.drop(at) {
			c.oldest = earlier(c.oldest, since)
		}
		at = next
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
