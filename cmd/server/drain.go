package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// drainFlag says how a server leaves others.
type drainFlag struct {
	Drain *time.Duration `placeholder:"5s" env:"COLLIE_DRAIN" help:"Time between the signal to stop and the end of all connections. Meanwhile /readyz says no, so that a balancer sends people to other servers. A second signal ends it. 5s with --database, else 0s."`
}

// Validate refuses times below 0.
func (f *drainFlag) Validate() error {
	if f.Drain != nil && *f.Drain < 0 {
		return errors.New("--drain must not be less than 0")
	}
	return nil
}

// time is how long a server drains; by default one without others doesn't.
func (f *drainFlag) time(others bool) time.Duration {
	switch {
	case f.Drain != nil:
		return *f.Drain
	case others:
		return 5 * time.Second
	}
	return 0
}

// linger calls begin and then waits until a time has passed, the next signal to stop
// arrives, or nothing can be stored any more.
func (d *data) linger(a time.Duration, begin func()) {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGTERM, os.Interrupt) // first: whoever sees that it drains can send one
	defer signal.Stop(again)
	begin()
	select {
	case <-time.After(a):
	case <-again:
	case <-d.failed():
	case <-d.blobs.Failed():
	}
}
