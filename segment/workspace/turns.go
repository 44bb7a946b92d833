package workspace

import (
	"context"
	"errors"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/schedule"
)

// turns schedules a workspace's computations: everything that takes a while
// waits for its turn.
type turns struct {
	schedule *schedule.Scheduler
	observer gauge.Observer
}

// of returns the Turn in which the steps of an image's sequences run. With a
// login, work counts towards the user who asked for it, whatever the image;
// without a login, towards the image.
func (e *turns) of(imageID string) engine.Turn {
	return func(ctx context.Context, class schedule.Class, step func()) error {
		making := gauge.First
		if class&^schedule.Heavy >= schedule.Later {
			making = gauge.Later
		}
		user := imageID
		if p, _ := access.From(ctx); p.User != "" {
			user = p.User
		}
		if ctx.Value(inLong{}) != nil {
			if err := ctx.Err(); err != nil {
				return err
			}
			step()
			return nil
		}
		asked := time.Now()
		err := e.schedule.Do(ctx, class, user, func() {
			began := time.Now()
			if class&^schedule.Heavy != schedule.Foreseen { // nobody waits for it
				e.observer.Took(gauge.Queue, began.Sub(asked))
			}
			step()
			e.observer.Took(making, time.Since(began))
		})
		switch {
		case errors.Is(err, schedule.ErrBusy):
			e.observer.Happened(gauge.Refused)
		case err != nil:
			e.observer.Happened(gauge.Dropped)
		}
		return busy(err, "The server is busy, so hypotheses have to wait. Your work is saved.")
	}
}

// long runs work that takes longer than a step without delaying steps.
func (e *turns) long(ctx context.Context, work func()) error {
	return busy(e.schedule.Long(ctx, work), "The server is busy right now. Nothing was changed; try again in a minute.")
}

// Long runs work that takes longer than a step without delaying steps: on a
// thread of low priority, when there is room. It waits until ctx is done.
func (w *Workspace) Long(ctx context.Context, work func()) error {
	return w.LongParts(ctx, func(context.Context) { work() })
}

// LongParts is Long for work of many parts, which lets other work go first between them;
// see [schedule.Pause].
func (w *Workspace) LongParts(ctx context.Context, work func(context.Context)) error {
	for {
		err := w.schedule.LongParts(ctx, work)
		if !errors.Is(err, schedule.ErrBusy) {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type inLong struct{}

// InLong returns a context for what runs within a piece of work that was given to
// Long. The steps of sequences that it asks for run right there: on a thread of low
// priority, one that took a worker's turn would hold it for long.
func InLong(ctx context.Context) context.Context { return context.WithValue(ctx, inLong{}, true) }

// busy turns the scheduler's refusal into an error for people.
func busy(err error, detail string) error {
	if errors.Is(err, schedule.ErrBusy) {
		return segment.Errorf(segment.Busy, "%s", detail).Because(err)
	}
	return err
}
