package workspace

import (
	"context"
	"slices"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/gauge"
	"collie/segment/timeline"
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
	used := slices.DeleteFunc(w.open.ready(1), func(a *Annotation) bool { return !concerns(a.image.ID) })
	if len(used) == 0 {
		return
	}
	ids := make([]string, len(used))
	for i, a := range used {
		ids[i] = a.image.ID
	}
	heads, err := w.store.Heads(ctx, ids)
	if err != nil {
		return
	}
	for _, a := range used {
		head, ok := heads[a.image.ID]
		if !ok {
			continue
		}
		w.survive(func() {
			if a.Project().Revision != head.Revision {
				if changed, err := a.refresh(ctx); err == nil && changed {
					w.tell(a.image.ID)
				}
			}
			_ = a.reach(ctx, head)
		})
	}
}

// survive does what nobody waits for. A panic at one image ends only that.
func (w *Workspace) survive(work func()) {
	defer func() {
		if v := recover(); v != nil {
			w.observer.Happened(gauge.Panicked)
		}
	}()
	work()
}

// reachStore brings the image up to date with the store.
func (a *Annotation) reachStore(ctx context.Context) error {
	heads, err := a.store.Heads(ctx, []string{a.image.ID})
	if err != nil {
		return err
	}
	if head, ok := heads[a.image.ID]; ok {
		return a.reach(ctx, head)
	}
	return nil
}

// reach plays what others have stored when the image is behind what a reader has
// seen, whose Last can be unknown. O(their events), or O(all events) when they reach
// back further than the timeline does.
func (a *Annotation) reach(ctx context.Context, head segment.Head) error {
	a.mu.Lock()
	have, last := a.end()
	rewound := a.rewound
	a.mu.Unlock()
	switch {
	case have > head.Seq || have == head.Seq && head.Last != "" && head.Last != last:
		return a.rewind(ctx)
	case have == head.Seq:
		return nil
	}
	events, err := a.store.Events(ctx, a.image.ID, max(have-1, 0))
	if err != nil {
		return err
	}
	if have > 0 {
		if len(events) == 0 || events[0].ID != last {
			return a.rewind(ctx)
		}
		events = events[1:]
	}
	if _, err := a.refresh(ctx); err != nil { // they may have classes that are new, too
		return err
	}
	if len(events) > remembered || !a.extend(rewound, have, events) {
		if err := a.catchUp(ctx); err != nil {
			return err
		}
	}
	a.broadcast(a.image.ID)
	return nil
}

// end returns the number and the id of the last event. The caller holds the lock.
func (a *Annotation) end() (seq int, id string) {
	seq = a.timeline.Seq()
	if seq > 0 {
		id = a.timeline.Events(seq - 1)[0].ID
	}
	return seq, id
}

// rewind plays the log from the beginning if the last event is no longer in it: a
// standby that took over from a database can lack its last commits.
func (a *Annotation) rewind(ctx context.Context) error {
	a.mu.Lock() // so that no event is on its way
	have, last := a.end()
	stored, err := a.store.FindEvent(ctx, a.image.ID, last)
	a.mu.Unlock()
	if err != nil || have == 0 || stored != nil && stored.Seq == have {
		return err
	}
	events, err := a.store.Events(ctx, a.image.ID, 0)
	if err != nil {
		return err
	}
	whole := a.assistant.Timeline(a.cells, a.image.Regions)
	if err := play(ctx, whole, events); err != nil {
		return err
	}
	whole.Forget(remembered)
	if !a.exchange(last, whole) {
		return nil // others rewound it, or will soon
	}
	a.past.turn <- struct{}{}
	a.past.whole = nil
	<-a.past.turn
	a.turns.observer.Happened(gauge.Rewound)
	a.broadcast(a.image.ID)
	return nil
}

// exchange replaces the timeline by that of another log, unless it has moved on from
// the event with an id.
func (a *Annotation) exchange(from string, other *timeline.Timeline) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	have, last := a.end()
	if last != from {
		return false
	}
	a.rewound++
	a.skipped += max(0, have-other.Seq()) + 1
	a.timeline, a.sequence, a.supposed, a.repairs = other, nil, supposition{}, repairView{}
	return true
}

// extend plays stored events that follow number after in the log that was rewound so
// often; false means that it has been rewound since, or that an event needs more of the
// past than the timeline holds, or is of an unknown kind. It then has played those
// before.
func (a *Annotation) extend(rewound, after int, events []segment.Event) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rewound != rewound || a.timeline.Seq() < after {
		return false
	}
	for _, e := range events[min(a.timeline.Seq()-after, len(events)):] {
		if !a.timeline.Holds(e.Kind) || !e.Kind.Known() {
			return false
		}
		a.timeline.Apply(e)
		a.sequence = nil
	}
	a.timeline.Forget(remembered)
	return true
}
