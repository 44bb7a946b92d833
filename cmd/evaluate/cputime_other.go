//go:build !linux

package main

import "time"

var started = time.Now()

// threadTime stands in for the processor time of a thread, which only Linux tells.
func threadTime() time.Duration { return time.Since(started) }
