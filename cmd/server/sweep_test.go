package main

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"collie/segment/access"
	"collie/segment/job"
	"collie/segment/photo"
)

// Of servers that share a database one sweeps each day, as far as the state of the
// sweep before allows; a sweep that is begun too often ends and changes nothing.
func TestSweeper(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: waits until sessions end")
	}
	t.Parallel()
	d, err := openData(t.Context(), dataFlag{Data: t.TempDir()}, 0, photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx := access.With(t.Context(), access.Operator)
	project, err := d.workspace.CreateProject(ctx, "Old", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.workspace.TrashProject(ctx, project.ID); err != nil {
		t.Fatal(err)
	}
	var clock atomic.Int64
	s := &sweeper{d.workspace, d.store, func() time.Time { return time.Now().AddDate(0, 0, int(clock.Load())) }, slog.New(slog.DiscardHandler)}
	defer s.start(ctx)()
	defer s.start(ctx)() // another server
	// swept waits for the sweep of a day, and returns the trash after it.
	swept := func(day int) int {
		t.Helper()
		clock.Store(int64(day))
		if err := s.add(ctx); err != nil {
			t.Fatal(err)
		}
		id := sweepKind + s.now().UTC().Format(time.DateOnly)
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			j, err := d.store.Job(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if j.State == job.Ended {
				var state sweepState
				if err := json.Unmarshal(j.Result, &state); err != nil || j.Attempt != 1 || state.At.IsZero() {
					t.Errorf("day %d: %v, attempt %d, result %s", day, err, j.Attempt, j.Result)
				}
				break
			}
			if time.Now().After(end) {
				t.Fatalf("nobody has swept: %+v", j)
			}
		}
		items, err := d.workspace.Trash(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(items)
	}
	swept(0)
	if swept(1) != 1 {
		t.Error("the trash is empty after a day")
	}
	// A month without servers is made up a day at a time.
	last, err := d.store.Old(ctx, sweepKind, 0, 0)
	if err != nil || len(last) != 2 {
		t.Fatalf("%d sweeps are kept, %v; want that of today and the one before", len(last), err)
	}
	if swept(40) != 1 {
		t.Error("a clock that jumped has emptied the trash")
	}
	result := s.do(ctx, job.Job{Attempt: sweepAttempts + 1}, nil)
	var before, after sweepState
	for _, j := range []struct {
		b    []byte
		into *sweepState
	}{{last[1].Result, &before}, {result, &after}} {
		if err := json.Unmarshal(j.b, j.into); err != nil {
			t.Fatal(err)
		}
	}
	if want := before.Until.Add(sweepStep + time.Hour); !after.Until.Equal(want) {
		t.Errorf("the trash is swept up to %v, want %v", after.Until, want)
	}
}

// A clock that jumps ahead empties the trash a day's worth at a time, after saying
// so, however often the server starts.
func TestClockJumps(t *testing.T) {
	folder := t.TempDir()
	d, err := openData(t.Context(), dataFlag{Data: folder}, 0, photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx := access.With(t.Context(), access.Operator)
	project, err := d.workspace.CreateProject(ctx, "Precious", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.workspace.TrashProject(ctx, project.ID); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	step := func(now time.Time) int {
		if err := sweep(ctx, d.workspace, folder, now, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
		items, err := d.workspace.Trash(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(items)
	}
	now := time.Now()
	step(now)
	jumped := now.AddDate(0, 0, 40)
	for range 10 { // restarts
		if step(jumped) != 1 {
			t.Fatal("the trash is empty at once")
		}
	}
	if !strings.Contains(log.String(), "far ahead") {
		t.Error("nothing was said")
	}
	days := 0
	for step(jumped) == 1 && days < 50 {
		jumped = jumped.Add(24 * time.Hour)
		days++
	}
	if days < 27 || days > 32 {
		t.Errorf("erased after %d days", days)
	}
}

// A bug in sweeping, here with no workspace to sweep, ends that and not the server.
func TestSweepSurvivesABug(t *testing.T) {
	folder, log := t.TempDir(), new(strings.Builder)
	old := time.Now().AddDate(0, 0, -2)
	b, err := json.Marshal(sweepState{old, old})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, sweepFile), b, 0o600); err != nil {
		t.Fatal(err)
	}
	startSweeping(t.Context(), nil, folder, slog.New(slog.NewTextHandler(log, nil)))()
	if !strings.Contains(log.String(), "level=ERROR msg=panic") {
		t.Errorf("the log says %q", log)
	}
}
