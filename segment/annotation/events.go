package annotation

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/timeline"
	"collie/superpixels"
)

// ErrOtherMap is the cause of the Conflict for an event whose superpixels
// belong to a map other than the current one.
var ErrOtherMap = errors.New("superpixels of another map")

// ErrTaken is the cause of the Conflict for an event whose id another one has: the same
// event can't be sent again.
var ErrTaken = errors.New("id of another event")

// Append adds e to the evidence as number expected+1 and returns its number; on
// return it is on disk. For an event that is already stored, by its ID, it
// returns the existing number. Points are resolved to superpixels. After any
// error nothing has changed.
func (a *Annotation) Append(ctx context.Context, expected int, e segment.Event) (int, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return 0, err
	}
	if expected < 0 {
		expected = Never // clients can't use current
	}
	return a.add(ctx, expected, e)
}

// AppendLast is Append on top of whatever state the image has; made is the number of
// events that e was made for. It is for people who would send the event again if others
// had overtaken it: many at one image would mostly send things again.
func (a *Annotation) AppendLast(ctx context.Context, made int, e segment.Event) (int, error) {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return 0, err
	}
	return a.insist(ctx, current, e, attempts{made: made})
}

// current is the number of events at the time, whatever it is.
const current = -1

// Never is the number of events that an event behind a refused one expects: no
// state has it, so only a repeat of a stored event is accepted.
const Never = -2

// attempts is what the tries to add an event know of those before.
type attempts struct {
	made    int // number of events that the event was made for
	pick    picked
	reached bool            // the image has been brought up to date since the event came
	behind  behind          // what the last conflict was about
	more    []segment.Event // signed ones without a pick that are added behind it, all or none
}

// behind is how many events an image has, and how many its record counts.
type behind struct{ have, counted int }

// add is Append without the permission check; expected can be current. Slow work
// (computing a hypothesis, replaying events) runs without the lock; the next
// try checks whether the evidence has changed meanwhile.
func (a *Annotation) add(ctx context.Context, expected int, e segment.Event) (int, error) {
	return a.insist(ctx, expected, e, attempts{made: expected})
}

// addAll is add for several events, all or none, and returns the number of the last.
// Unsigned ones get the author of ctx. The first must not be one that a client may
// repeat, and none may have a pick.
func (a *Annotation) addAll(ctx context.Context, expected int, events []segment.Event) (int, error) {
	for i := range events {
		if e := &events[i]; e.Created.IsZero() {
			sign(ctx, e)
		}
	}
	return a.insist(ctx, expected, events[0], attempts{made: expected, more: events[1:]})
}

// insist tries to add an event until it is added or refused.
func (a *Annotation) insist(ctx context.Context, expected int, e segment.Event, before attempts) (int, error) {
	e = e.Pared()
	for {
		if err := a.refresh(ctx); err != nil {
			return 0, err
		}
		seq, prepare, err := a.try(ctx, expected, e, &before)
		if prepare == nil {
			return seq, err
		}
		if err := prepare(); err != nil {
			return 0, err
		}
	}
}

// try is one attempt to add an event. If something has to be computed or read
// first, it returns prepare, to be called without the lock before the next try.
func (a *Annotation) try(ctx context.Context, expected int, e segment.Event, before *attempts) (seq int, prepare func() error, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if expected == current {
		expected = a.timeline.Seq()
	}
	if seq, ok, err := a.repeated(ctx, &e); ok || err != nil {
		return seq, nil, err
	}
	if expected != a.timeline.Seq() && !before.reached {
		// A refusal names the number that the log has, also when another process wrote it.
		return 0, func() error {
			before.reached = true
			return a.reachStore(ctx)
		}, nil
	}
	if err := a.resolve(expected, &e); err != nil {
		return 0, nil, err
	}
	sign(ctx, &e)
	if !a.timeline.Holds(e.Kind) {
		return 0, func() error { return a.recallFor(ctx) }, nil
	}
	if err := a.timeline.Allows(&e); err != nil {
		return 0, nil, err
	}
	switch {
	case e.Kind == segment.Click && e.Pick != nil:
		prepare = a.corrected(ctx, &e, &before.pick)
	case e.Kind == segment.Accept:
		prepare, err = a.accepted(ctx, &e, before)
	}
	if prepare != nil || err != nil {
		return 0, prepare, err
	}
	at := a.timeline.Seq()
	seq, err = a.commit(ctx, e, before.more...)
	var conflict *segment.Error
	switch {
	case !errors.As(err, &conflict) || conflict.Kind != segment.Conflict:
		return seq, nil, err
	case conflict.Seq == at: // the log has lost its end, and has become as long again
		return 0, func() error { return cmp.Or(a.rewind(context.WithoutCancel(ctx)), error(conflict)) }, nil
	case before.behind == behind{at, conflict.Seq}: // nothing came of it the last time
		return 0, nil, segment.Errorf(segment.Damaged, "The database is damaged: by its record this image has %s, but its log has %d. Nothing was changed. Run `server doctor` to see what can be done.", segment.Counted(conflict.Seq, "event"), at)
	}
	before.behind = behind{at, conflict.Seq}
	// Another process wrote to the log, perhaps this very event, or the log has lost its
	// end.
	return 0, func() error { return a.reach(context.WithoutCancel(ctx), segment.Head{Seq: conflict.Seq}) }, nil
}

// resolve checks that e can come next and resolves its points to superpixels.
// The caller holds the lock.
func (a *Annotation) resolve(expected int, e *segment.Event) error {
	if expected == Never {
		return a.conflict("An event before this one was refused. Nothing was changed; read the evidence again, then send the event.")
	}
	if expected != a.timeline.Seq() {
		return a.conflict("The event was made to be number %d of this image, but the next one is now number %d. Nothing was changed; read the evidence again, then send the event.", expected+1, a.timeline.Seq()+1)
	}
	if e.Map != "" && e.Map != a.mapName() {
		return a.conflict("The event is for superpixels of another granularity. Nothing was changed; reload the superpixels and send it again.").Because(ErrOtherMap)
	}
	if e.Kind != segment.Outline { // the points of a box are its corners
		cut := a.timeline.Base()
		if e.Kind == segment.Accept {
			cut = a.timeline.Cut()
		}
		pointed, err := a.under(cut, e.Points)
		if err != nil {
			return err
		}
		e.Superpixels = append(slices.Clone(e.Superpixels), pointed...)
		if len(pointed) > 0 {
			slices.Sort(e.Superpixels)
			e.Superpixels = slices.Compact(e.Superpixels)
		}
	}
	if err := a.timeline.Check(e, &a.project); err != nil {
		return err
	}
	e.Former = a.table.Former(e.Class)
	*e = e.Pared()
	return a.spareLocked(e)
}

// repeated reports whether an event with the id of e is stored, and returns its
// number, or a Conflict if it is a different event.
func (a *Annotation) repeated(ctx context.Context, e *segment.Event) (seq int, ok bool, err error) {
	old, err := a.stored(ctx, e.ID)
	switch {
	case old == nil:
		return 0, false, err
	case !old.Same(e):
		return 0, true, a.taken(e.ID)
	}
	return old.Seq, true, nil
}

// taken is the error for an id that another event has. The caller holds the lock.
func (a *Annotation) taken(id string) error {
	return a.conflict("Another event of this image already has the id %q; every event needs its own id. Nothing was changed.", id).Because(ErrTaken)
}

// stored returns the event with an id, or nil. The caller holds the lock.
func (a *Annotation) stored(ctx context.Context, id string) (*segment.Event, error) {
	if e, ok := a.timeline.Find(id); ok || a.timeline.Forgotten() == 0 {
		return e, nil
	}
	return a.store.FindEvent(ctx, a.image.ID, id)
}

// original returns the stored event that a request with this id repeats, or an empty
// one. A repeat gets the weights of the original, because the project can have learned
// others since.
func (a *Annotation) original(ctx context.Context, id string) (segment.Event, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, err := a.stored(ctx, id)
	if e == nil {
		return segment.Event{}, err
	}
	return *e, nil
}

// sign sets the author and the time of an event.
func sign(ctx context.Context, e *segment.Event) {
	who, _ := access.From(ctx)
	e.Map, e.By, e.Created = "", who.Name, segment.Now()
}

// commit plays a valid event, and more that it checks, and stores them all; after an
// error nothing has changed. The caller holds the lock.
func (a *Annotation) commit(ctx context.Context, e segment.Event, more ...segment.Event) (int, error) {
	for i := range more { // before the number of events changes, which a Conflict names
		if old, err := a.stored(ctx, more[i].ID); old != nil || err != nil {
			return 0, cmp.Or(err, error(a.taken(more[i].ID)))
		}
	}
	expected, last := a.end()
	before := []timeline.Timeline{*a.timeline}
	retract := func() {
		for _, t := range slices.Backward(before) {
			a.timeline.Retract(t)
		}
	}
	a.timeline.Apply(e)
	e.After = last
	more = slices.Clone(more)
	for i := range more {
		if err := a.admit(&more[i]); err != nil {
			retract()
			return 0, err
		}
		before = append(before, *a.timeline)
		a.timeline.Apply(more[i])
	}
	// Once the store has the events they can be on disk even if the caller has
	// given up, so cancellation must not come between playing and storing.
	progress := a.progress()
	if err := a.store.Append(context.WithoutCancel(ctx), a.image.ID, expected, e, progress, more...); err != nil {
		retract()
		return 0, err
	}
	a.sequence = nil
	a.forgetDoubt(ctx, progress)
	if progress.Complete(a.cells.Area()) {
		a.lessons.Finished(a.image.ProjectID)
	}
	if e.Kind != segment.Undo && e.Kind != segment.Redo { // people often undo repeatedly
		held := a.timeline.Forgotten()
		if a.timeline.Forget(remembered); a.timeline.Forgotten() > held {
			a.past.drop()
		}
	}
	return a.timeline.Seq(), nil
}

// admit checks that e, whose id is new, can come next. The caller holds the lock.
func (a *Annotation) admit(e *segment.Event) error {
	if err := a.resolve(a.timeline.Seq(), e); err != nil {
		return err
	}
	return a.timeline.Allows(e)
}

// recallFor is recall for an event, which is refused if it was made for a lost end.
func (a *Annotation) recallFor(ctx context.Context) error {
	if lost, err := a.recall(ctx); err != nil || !lost {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.conflict("The database has lost the latest events of this image, as after a failover. Nothing was changed; read the evidence again, then repeat the change.")
}

// catchUp plays the stored events from the beginning: an undo among the events
// of another process can reach far back.
func (a *Annotation) catchUp(ctx context.Context) error {
	if _, err := a.recall(ctx); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timeline.Forget(remembered)
	return nil
}

func (a *Annotation) conflict(format string, args ...any) *segment.Error {
	return segment.ConflictAt(a.timeline.Seq(), format, args...)
}

// under returns the superpixels of a cut below points of the image, each once.
func (a *Annotation) under(cut *superpixels.Cut, points [][2]float64) ([]int32, error) {
	nodes := make([]int32, 0, len(points))
	for _, p := range points {
		if !(p[0] >= 0 && p[0] < float64(a.cells.Width) && p[1] >= 0 && p[1] < float64(a.cells.Height)) {
			return nil, segment.Errorf(segment.Invalid, "The point (%g, %g) is outside the image, which is %d×%d pixels. Nothing was changed.", p[0], p[1], a.cells.Width, a.cells.Height)
		}
		nodes = append(nodes, cut.Parent[a.cells.At(int(p[0]), int(p[1]))])
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), nil
}
