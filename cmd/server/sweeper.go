package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/job"
	"collie/segment/workspace"
)

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
