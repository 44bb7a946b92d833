package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/job"
	"collie/segment/workspace"
	"collie/storage/disk"
	"collie/web/panics"
)

// sweepEvery is how often the trash is swept.
const sweepEvery = 24 * time.Hour

// sweepState is kept in the data folder from one sweep to the next.
type sweepState struct {
	// Until is the time up to which the trash has been emptied, plus what can
	// be restored: the current time, unless the clock has jumped.
	Until time.Time `json:"until"`
	At    time.Time `json:"at"` // of the last sweep, by the clock
}

const (
	sweepFile = "sweep.json"
	sweepStep = 24 * time.Hour // of the trash's time, the most for one sweep
	sweepRest = 12 * time.Hour // between two sweeps, by the clock, however often the server starts
)

// next is the state after a sweep at the given time, and whether there is to be
// one. The trash's time goes on by a day with each sweep at most, so that a clock
// that jumps empties nothing at once; jumped says that it is behind.
func (s sweepState) next(now time.Time) (after sweepState, due, jumped bool) {
	switch {
	case s.Until.IsZero(): // the first sweep ever: what is there is swept from tomorrow on
		return sweepState{now, now}, false, false
	case now.Before(s.At): // the clock went back
		return sweepState{s.Until, now}, false, false
	case now.Sub(s.At) < sweepRest:
		return s, false, false
	}
	until := s.Until.Add(min(sweepStep+time.Hour, max(0, now.Sub(s.Until))))
	return sweepState{until, now}, true, now.Sub(until) > sweepStep
}

// sweep empties the trash as far as the state allows and keeps the new state
// first, so that a server that is killed does not sweep twice.
func sweep(ctx context.Context, w *workspace.Workspace, folder string, now time.Time, log *slog.Logger) error {
	var state sweepState
	name := filepath.Join(folder, sweepFile)
	if b, err := os.ReadFile(name); err == nil {
		_ = json.Unmarshal(b, &state) // what can't be read begins again, which erases nothing
	}
	after, due := state.after(now, log)
	if after != state {
		b, err := json.Marshal(after)
		if err != nil {
			return err
		}
		if err := disk.Write(name, b); err != nil {
			return err
		}
	}
	if !due {
		return nil
	}
	return empty(ctx, w, after, log)
}

// after is next with a line in the log when the clock has jumped.
func (s sweepState) after(now time.Time, log *slog.Logger) (after sweepState, due bool) {
	after, due, jumped := s.next(now)
	if jumped {
		log.Warn("the clock is far ahead of the last time the trash was emptied; only one day's worth is erased at a time", "clock", now, "trash", after.Until)
	}
	return after, due
}

// empty empties the trash as far as a state allows.
func empty(ctx context.Context, w *workspace.Workspace, after sweepState, log *slog.Logger) error {
	swept, err := w.Sweep(ctx, after.Until)
	if swept != (workspace.Swept{}) {
		log.Info("swept the trash", "images", swept.Images, "projects", swept.Projects, "orphans", swept.Orphans)
	}
	return err
}

// startSweeping sweeps the trash now and then until the returned function is
// called, which waits for a running sweep to end.
func startSweeping(ctx context.Context, w *workspace.Workspace, folder string, log *slog.Logger) (stop func()) {
	return repeat(access.With(ctx, access.Operator), sweepEvery, func(ctx context.Context) {
		err := panics.Guard(log, "sweeping the trash", func() error { return sweep(ctx, w, folder, time.Now(), log) })
		if err != nil && ctx.Err() == nil {
			log.Error("sweeping the trash", "error", err)
		}
	})
}

// repeat calls do at once and then every so often, until the returned function is
// called, which waits for a running call to end.
func repeat(ctx context.Context, every time.Duration, do func(context.Context)) (stop func()) {
	return beside(ctx, func(ctx context.Context) {
		again := time.NewTicker(every)
		defer again.Stop()
		for {
			do(ctx)
			select {
			case <-again.C:
			case <-ctx.Done():
				return
			}
		}
	})
}

// beside calls do in a goroutine. The returned function ends its context and waits for
// its end.
func beside(ctx context.Context, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// sweeper sweeps the trash of servers that share a database: each day one of them
// does it, and another one when that dies. The result of the latest sweep is the
// sweepState.
type sweeper struct {
	workspace *workspace.Workspace
	jobs      job.Store
	now       func() time.Time
	log       *slog.Logger
}

const (
	sweepKind     = "sweep"
	sweepAttempts = 3         // of one day's sweep: one that stops its server must come to an end
	sweepAsk      = time.Hour // between two looks whether the day's sweep has been added
)

// add lets today's sweep wait, unless it was added before or another one waits.
func (s *sweeper) add(ctx context.Context) error {
	now := s.now().UTC()
	err := s.jobs.Add(ctx, job.Job{ID: sweepKind + now.Format(time.DateOnly), Kind: sweepKind, Arguments: []byte{}, Created: now}, 1)
	if kind := segment.KindOf(err); kind == segment.Conflict || kind == segment.Busy {
		return nil
	}
	return err
}

// do sweeps, and forgets the sweeps before the latest one.
func (s *sweeper) do(ctx context.Context, j job.Job, _ func(done, total int)) []byte {
	ctx = access.With(ctx, access.Operator)
	before, err := s.jobs.Old(ctx, sweepKind, 0, 0)
	if err != nil {
		s.log.Error("sweeping the trash", "error", err)
		return nil // it waits again
	}
	var state sweepState
	for i, old := range before { // in the order in which they were added
		if i == len(before)-1 {
			_ = json.Unmarshal(old.Result, &state) // what can't be read begins again, which erases nothing
		} else if err := s.jobs.Remove(ctx, old.ID); err != nil {
			s.log.Warn("forgetting a sweep of the trash", "error", err)
		}
	}
	if j.Attempt <= sweepAttempts {
		after, due := state.after(s.now(), s.log)
		if due {
			if err := empty(ctx, s.workspace, after, s.log); err != nil && ctx.Err() == nil {
				s.log.Error("sweeping the trash", "error", err)
			}
		}
		state = after
	}
	result, err := json.Marshal(state)
	if err != nil {
		s.log.Error("sweeping the trash", "error", err)
	}
	return result
}

// start takes part in sweeping until the returned function is called, which waits
// for a running sweep to stop; another server then begins it again.
func (s *sweeper) start(ctx context.Context) (stop func()) {
	runner := job.Start(s.jobs, map[string]job.Kind{sweepKind: {Do: s.do, Undo: func(context.Context, job.Job) {}}}, s.log)
	stopAdding := repeat(ctx, sweepAsk, func(ctx context.Context) {
		if err := s.add(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("sweeping the trash", "error", err)
		}
	})
	return func() {
		stopAdding()
		runner.Close()
	}
}
