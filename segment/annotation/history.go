package annotation

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/timeline"
)

// PixelsAfter returns the labelling after event number seq, 0 for the
// beginning, like Pixels, with the current classes. The caller owns the slice.
// It replays the events without blocking people who work on the image.
func (a *Annotation) PixelsAfter(ctx context.Context, seq int) ([]uint8, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Read); err != nil {
		return nil, err
	}
	a.mu.Lock()
	present, table := a.timeline.Seq(), a.table
	a.mu.Unlock()
	if seq < 0 || seq > present {
		return nil, segment.Errorf(segment.Invalid, "Event %d doesn't exist: this image has %d.", seq, present)
	}
	var pixels []uint8
	err := a.lookBack(ctx, func(whole *timeline.Timeline) {
		was := whole.After(min(seq, whole.Seq())) // the log can have lost its end meanwhile
		pixels = timeline.Spread(a.cells, table.Through(was.Cells()), was.Repairs(table))
	})
	return pixels, err
}

// ErrRewound is the cause of the Conflict for a state whose events the log has lost.
var ErrRewound = errors.New("the log has lost events")

// Events returns the events that led to a state. When the log has lost some since, the
// error is a Conflict, and the image has another state by then.
func (a *Annotation) Events(ctx context.Context, of State) ([]segment.Event, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Read); err != nil {
		return nil, err
	}
	a.mu.Lock()
	lost, held := a.rewound != of.Rewound, a.timeline.Forgotten() == 0
	have, last := a.end()
	events := slices.Clone(a.timeline.Events(0))
	a.mu.Unlock()
	if !lost && !held {
		var err error
		if events, err = a.store.Events(ctx, a.image.ID, 0); err != nil {
			return nil, err
		}
		if lost = len(events) < have || events[have-1].ID != last; lost {
			if err := a.rewind(ctx); err != nil {
				return nil, err
			}
		}
	}
	if lost {
		return nil, segment.Errorf(segment.Conflict, "The database has lost the latest events of this image, as after a failover. Read it again.").Because(ErrRewound)
	}
	return events[:of.Seq], nil
}

// Entry is an event in a history.
type Entry struct {
	segment.Event
	About int // number of the event that an undo took back or a redo brought back
}

// History returns up to limit of the events after a number and how many events
// there are. What the events hold is shared and read-only.
func (a *Annotation) History(ctx context.Context, after, limit int) (entries []Entry, seq int, err error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Read); err != nil {
		return nil, 0, err
	}
	list := func(t *timeline.Timeline) {
		events := t.Events(after)
		for _, e := range events[:min(limit, len(events))] {
			entries = append(entries, Entry{e, t.About(e.Seq)})
		}
		seq = t.Seq()
	}
	a.mu.Lock()
	held := after >= a.timeline.Forgotten()
	if held {
		list(a.timeline)
	}
	a.mu.Unlock()
	if !held {
		err = a.lookBack(ctx, list)
	}
	return entries, seq, err
}

// remembered is the least number of events that an open image keeps in memory,
// with what undo needs of them. It bounds an image's memory however long people
// work on it; older events are read from the store when somebody goes back that
// far.
const remembered = 64

// recall reads back what the timeline has forgotten and what other processes
// have stored. It plays without the lock while others add events, and adds
// theirs at the end. A log that has lost the event that the image was at is rewound
// instead. O(events).
func (a *Annotation) recall(ctx context.Context) (lost bool, err error) {
	a.mu.Lock()
	whole, rewound := a.timeline.Blank(), a.rewound
	have, last := a.end()
	a.mu.Unlock()
	end, err := a.playLong(ctx, max(have, a.image.Seq))
	if err != nil {
		return false, err
	}
	defer end()
	for {
		from := whole.Seq()
		events, err := a.store.Events(ctx, a.image.ID, from)
		if err != nil {
			return false, err
		}
		if from < have && (from+len(events) < have || events[have-from-1].ID != last) {
			return true, a.rewind(ctx)
		}
		if err := play(ctx, whole, events); err != nil {
			return false, err
		}
		if a.replaceTimeline(whole, rewound) {
			return false, nil
		}
	}
}

// replaceTimeline replaces the timeline with one played without the lock, after playing
// the current one's newer events on it, unless the log was rewound meanwhile; false means
// that those are no longer in memory.
func (a *Annotation) replaceTimeline(whole *timeline.Timeline, rewound int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rewound != rewound {
		return true
	}
	if a.timeline.Forgotten() > whole.Seq() {
		return false
	}
	for _, e := range a.timeline.Events(whole.Seq()) {
		whole.Apply(e)
	}
	if whole.Seq() > a.timeline.Seq() {
		a.sequence = nil
	}
	a.timeline = whole
	return true
}

// longLog is how many events take so much memory while they are played, some 1 to 2 KiB
// each, and so much time, that it is done for one image at a time; users take turns.
const longLog = 10_000

// playLong waits until so many events can be played; the caller calls end after that.
func (a *Annotation) playLong(ctx context.Context, events int) (end func(), err error) {
	if a.longLog == nil || events <= longLog {
		return func() {}, nil
	}
	return a.longLog.Take(ctx, 1)
}

// play plays stored events until ctx is done. One of a kind that this program doesn't
// know, from a server of a newer release, is Unavailable: without it the labelling
// would be another one.
func play(ctx context.Context, t *timeline.Timeline, events []segment.Event) error {
	t.Grow(len(events))
	for _, e := range events {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.Kind.Known() {
			return segment.Errorf(segment.Unavailable, "Event %d of this image has the kind %q, which only a newer release of Collie knows. Nothing was changed, and earlier work is safe; open the image again when this server has been upgraded, too.", e.Seq, e.Kind)
		}
		t.Apply(e)
	}
	return nil
}

// past is the whole evidence of an image, for its history. It is separate from
// the timeline that events are added to, so that adding doesn't wait for it.
type past struct {
	turn    chan struct{}      // holds a token while somebody uses the rest
	whole   *timeline.Timeline // nil before the first use
	rewound int                // Annotation.rewound when whole was begun: it is of that log
	bytes   atomic.Int64       // that whole took when it was last used
}

func newPast() *past { return &past{turn: make(chan struct{}, 1)} }

// drop frees the timeline, unless it is in use and about to be needed again.
func (p *past) drop() {
	select {
	case p.turn <- struct{}{}:
		p.whole = nil
		p.bytes.Store(0)
		<-p.turn
	default:
	}
}

// lookBack calls look with the timeline of all events, one caller at a time.
func (a *Annotation) lookBack(ctx context.Context, look func(whole *timeline.Timeline)) error {
	select {
	case a.past.turn <- struct{}{}:
		defer func() { <-a.past.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	a.mu.Lock()
	whole := a.past.whole
	if whole == nil || a.past.rewound != a.rewound {
		whole, a.past.rewound = a.timeline.Blank(), a.rewound
	}
	held, count := a.timeline.Forgotten() <= whole.Seq(), a.timeline.Seq()-whole.Seq()
	events := slices.Clone(a.timeline.Events(whole.Seq()))
	a.mu.Unlock()
	end, err := a.playLong(ctx, count)
	if err != nil {
		return err
	}
	defer end()
	if !held {
		if events, err = a.store.Events(ctx, a.image.ID, whole.Seq()); err != nil {
			return err
		}
	}
	a.past.whole = nil // in case playing damaged evidence panics
	if err = play(ctx, whole, events); err == nil {
		look(whole)
	}
	a.past.whole = whole
	a.past.bytes.Store(int64(whole.Bytes()))
	return err
}
