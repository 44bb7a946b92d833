package workspace

import (
	"context"
	"errors"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
	"collie/segment/schedule"
)

// turns is where a workspace computes: everything that takes a while waits
// there for its turn.
type turns struct {
	schedule *schedule.Scheduler
	observer Observer
}

// of lets the steps of an image's sequences run in turns. Work that a
// signed-in person asks for is theirs, on whatever images; without a login each
// image has turns of its own.
func (e *turns) of(imageID string) engine.Turn {
	return func(ctx context.Context, class schedule.Class, step func()) error {
		making := TimeFirst
		if class == schedule.Later {
			making = TimeLater
		}
		user := imageID
		if p, _ := access.From(ctx); p.User != "" {
			user = p.User
		}
		asked := time.Now()
		err := e.schedule.Do(ctx, class, user, func() {
			began := time.Now()
			e.observer.Took(TimeQueue, began.Sub(asked))
			step()
			e.observer.Took(making, time.Since(began))
		})
		switch {
		case errors.Is(err, schedule.ErrBusy):
			e.observer.Happened(Refused)
		case err != nil:
			e.observer.Happened(Dropped)
		}
		return busy(err, "The server is busy, so hypotheses have to wait. Your work is saved.")
	}
}

// long runs what takes longer than a step, out of the way of these.
func (e *turns) long(ctx context.Context, work func()) error {
	return busy(e.schedule.Long(ctx, work), "The server is busy right now. Nothing was changed; try again in a minute.")
}

// Long runs a piece of work that takes longer than a step out of the way of
// these: on a thread of low priority, when there is room. It waits for as long as
// ctx lets it.
func (w *Workspace) Long(ctx context.Context, work func()) error {
	for {
		err := w.schedule.Long(ctx, work)
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

// busy puts the scheduler's refusal in words for people.
func busy(err error, detail string) error {
	if errors.Is(err, schedule.ErrBusy) {
		return segment.Errorf(segment.Busy, "%s", detail).Because(err)
	}
	return err
}
