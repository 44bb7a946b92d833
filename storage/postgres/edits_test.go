package postgres

import (
	"context"
	"sync"
	"testing"
	"time"

	"collie/segment"
)

// edits are events that clients append, each to an image of its own, while something
// goes wrong.
type edits struct {
	t      *testing.T
	store  *Store
	images []string
	// The database may have lost events: a client goes on from where it is.
	forgetful bool

	stopped chan struct{}
	wait    sync.WaitGroup

	mu    sync.Mutex
	deaf  bool       // acknowledgements don't count
	acked [][]string // ids of each image's events, in order
}

// mustMakeImages makes a project with images.
func mustMakeImages(t *testing.T, s *Store, n int) (ids []string) {
	t.Helper()
	p := segment.Project{ID: segment.NewID(), Name: "p", Classes: segment.DefaultClasses(), Created: time.Now()}
	if err := s.CreateProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for range n {
		im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: "im", Format: "png", Width: 10, Height: 10, Regions: 5, Bytes: 1, Created: time.Now()}
		if err := s.CreateImage(t.Context(), im, 0); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, im.ID)
	}
	return ids
}

// startEdits starts a client for each of some new images.
func startEdits(t *testing.T, s *Store, images int, forgetful bool) *edits {
	t.Helper()
	c := &edits{t: t, store: s, images: mustMakeImages(t, s, images), forgetful: forgetful, stopped: make(chan struct{}), acked: make([][]string, images)}
	for i := range c.images {
		c.wait.Go(func() { c.work(i) })
	}
	return c
}

// work appends events until the clients are stopped. One without an answer is sent
// again, as it was.
func (c *edits) work(i int) {
	e := segment.Event{ID: segment.NewID(), Kind: segment.Label, Superpixels: []int32{1}, Created: time.Now()}
	for seq := 0; ; {
		select {
		case <-c.stopped:
			return
		default:
		}
		err := c.store.Append(context.Background(), c.images[i], seq, e, segment.Progress{})
		switch {
		case err == nil:
			c.mu.Lock()
			if !c.deaf {
				c.acked[i] = append(c.acked[i], e.ID)
			}
			c.mu.Unlock()
			seq++
			e.ID = segment.NewID()
		case segment.KindOf(err) == segment.Conflict && c.forgetful:
			if now, err := c.store.Image(context.Background(), c.images[i]); err == nil {
				seq = now.Seq
			}
		case segment.KindOf(err) == segment.NotFound && c.forgetful:
			return
		case segment.KindOf(err) == segment.Unavailable:
			time.Sleep(20 * time.Millisecond)
		default:
			c.t.Errorf("Append: %v", err)
			return
		}
	}
}

// count says whether acknowledgements count from now on.
func (c *edits) count(counts bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deaf = !counts
}

// end stops the clients and returns how many events were acknowledged and which of
// them are lost. No log may have a gap, or an event twice.
func (c *edits) end() (acked int, lost []string) {
	c.t.Helper()
	close(c.stopped)
	c.wait.Wait()
	for i, id := range c.images {
		events, err := c.store.Events(c.t.Context(), id, 0)
		if err != nil && !c.forgetful {
			c.t.Fatal(err)
		}
		there := map[string]bool{}
		for k, e := range events {
			if e.Seq != k+1 || there[e.ID] {
				c.t.Errorf("place %d of the log has event %d, seen before: %v", k+1, e.Seq, there[e.ID])
			}
			there[e.ID] = true
		}
		for _, e := range c.acked[i] {
			if acked++; !there[e] {
				lost = append(lost, e)
			}
		}
	}
	return acked, lost
}
