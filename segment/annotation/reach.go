package annotation

import (
	"context"

	"collie/segment"
	"collie/segment/gauge"
	"collie/segment/timeline"
)

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
	if err := a.refresh(ctx); err != nil { // they may have classes that are new, too
		return err
	}
	if len(events) > remembered || !a.extend(rewound, have, events) {
		if err := a.catchUp(ctx); err != nil {
			return err
		}
	}
	a.changed(a.image.ID)
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
	a.past.drop()
	a.observer.Happened(gauge.Rewound)
	a.changed(a.image.ID)
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
