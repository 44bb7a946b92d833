package workspace

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/timeline"
)

// PixelsAfter returns the labelling as it was after event number seq, 0 for the
// beginning, like Pixels; classes are the present ones. The slice is the
// caller's. It plays the events that led there again.
func (a *Annotation) PixelsAfter(ctx context.Context, seq int) ([]uint8, error) {
	if err := a.guard.may(ctx, access.Read); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq < 0 || seq > a.timeline.Seq() {
		return nil, segment.Errorf(segment.Invalid, "There is no event %d: this image has %d.", seq, a.timeline.Seq())
	}
	if err := a.recall(ctx); err != nil {
		return nil, err
	}
	was := a.timeline.After(seq)
	return timeline.Spread(a.cells, a.table.Through(was.Cells()), was.Repairs(a.table)), nil
}

// Events returns the first seq events, of at most as many as there are.
func (a *Annotation) Events(ctx context.Context, seq int) ([]segment.Event, error) {
	if err := a.guard.may(ctx, access.Read); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timeline.Forgotten() == 0 {
		return slices.Clone(a.timeline.Events(0)[:seq]), nil
	}
	events, err := a.store.Events(ctx, a.image.ID, 0)
	return events[:min(seq, len(events))], err
}

// Entry is an event as a history shows it.
type Entry struct {
	segment.Event
	About int // number of the event that an undo took back or a redo brought back
}

// History returns up to limit of the events after a number and how many events
// there are. What the events hold is shared and read-only.
func (a *Annotation) History(ctx context.Context, after, limit int) (entries []Entry, seq int, err error) {
	if err := a.guard.may(ctx, access.Read); err != nil {
		return nil, 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if after < a.timeline.Forgotten() {
		if err := a.recall(ctx); err != nil {
			return nil, 0, err
		}
	}
	events := a.timeline.Events(after)
	for _, e := range events[:min(limit, len(events))] {
		entries = append(entries, Entry{e, a.timeline.About(e.Seq)})
	}
	return entries, a.timeline.Seq(), nil
}

// remembered is how many events, with what undo needs of them, an open image
// holds at least. It bounds what an image takes however long people work on it;
// what is older is read from the store when somebody goes back that far.
const remembered = 64

// recall reads back what the timeline has forgotten. O(events). The caller holds
// the lock.
func (a *Annotation) recall(ctx context.Context) error {
	seq := a.timeline.Seq()
	if a.timeline.Forgotten() == 0 {
		return nil
	}
	events, err := a.store.Events(ctx, a.image.ID, 0)
	if err != nil {
		return err
	}
	a.timeline = a.timeline.Again(events[:min(seq, len(events))])
	return nil
}
