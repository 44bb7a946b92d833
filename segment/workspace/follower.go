package workspace

import (
	"context"
	"slices"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/gauge"
)

// FollowEvery is how often a server asks for what other processes have stored.
// It is the longest that a page waits for their work.
const FollowEvery = 2 * time.Second

// Hints say at once what other processes have stored. They can get lost, and come
// in any order.
type Hints interface {
	// Listen calls heard with all news, and missed when hints have been lost or concern
	// many images, until ctx ends. The calls must not wait.
	Listen(ctx context.Context, heard func(segment.News), missed func())
}

// Follow keeps the images that people have open up to date with what other
// processes store, for example an import on the command line, until stop is
// called. It asks the store now and then, and with hints (nil for none) also when
// there is one. Hints that are not about changed images go to others, which must not
// wait. Without Follow an image is brought up to date when somebody opens
// or changes it.
func (w *Workspace) Follow(ctx context.Context, every time.Duration, hints Hints, others func(segment.News)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	wake := make(chan struct{}, 1)
	var mu sync.Mutex
	pending := map[string]bool{} // images; "" stands for all
	note := func(imageID string) {
		mu.Lock()
		pending[imageID] = true
		mu.Unlock()
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	if hints != nil {
		heard := func(n segment.News) {
			switch n.About {
			case segment.ImageChanged:
				note(n.ID)
			case segment.ImageErased:
				w.open.erased(n.ID)
				others(n)
			default:
				others(n)
			}
		}
		running.Go(func() { hints.Listen(ctx, heard, func() { note("") }) })
	}
	running.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-wake:
				mu.Lock()
				heard := pending
				pending = map[string]bool{}
				mu.Unlock()
				w.follow(ctx, func(imageID string) bool { return heard[""] || heard[imageID] })
			case <-ticker.C:
				w.follow(ctx, func(string) bool { return true })
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// follow asks once for those open images that concern it. What can't be read now
// is asked for again the next time.
func (w *Workspace) follow(ctx context.Context, concerns func(imageID string) bool) {
	used := slices.DeleteFunc(w.open.ready(1), func(k *annotation.Keeper) bool { return !concerns(k.Annotation().Image().ID) })
	if len(used) == 0 {
		return
	}
	ids := make([]string, len(used))
	for i, k := range used {
		ids[i] = k.Annotation().Image().ID
	}
	heads, err := w.store.Heads(ctx, ids)
	if err != nil {
		return
	}
	for i, k := range used {
		head, ok := heads[ids[i]]
		if !ok {
			w.tellTrashed(ids[i])
			continue
		}
		w.background.Do(gauge.Panicked, ids[i], func() {
			if k.Annotation().Project().Revision != head.Revision {
				_ = k.Refresh(ctx)
			}
			_ = k.Reach(ctx, head)
		})
	}
}
