package main

import (
	"context"
	"log/slog"
	"time"

	"collie/segment/access"
	"collie/segment/workspace"
)

// sweepEvery is how often the trash is swept.
const sweepEvery = 24 * time.Hour

// startSweeping sweeps the trash now and then until the returned function is
// called, which waits for the end of a sweep under way.
func startSweeping(ctx context.Context, w *workspace.Workspace, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(access.With(ctx, access.Owner))
	done := make(chan struct{})
	go func() {
		defer close(done)
		again := time.NewTicker(sweepEvery)
		defer again.Stop()
		for {
			swept, err := w.Sweep(ctx, time.Now())
			if err != nil && ctx.Err() == nil {
				log.Error("sweeping the trash", "error", err)
			}
			if swept != (workspace.Swept{}) {
				log.Info("swept the trash", "images", swept.Images, "orphans", swept.Orphans)
			}
			select {
			case <-again.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
