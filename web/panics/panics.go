// Package panics turns a panic into an error, so that what fails is one request
// or one computation and never the process.
package panics

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Guard runs f and returns a panic in it as an error, after logging it; what
// names f in both.
func Guard(log *slog.Logger, what string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			Log(log, what, v)
			err = errors.New("panic in " + what)
		}
	}()
	return f()
}

// Log writes a recovered panic with its stack.
func Log(log *slog.Logger, what string, v any) {
	log.Error("panic", "in", what, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
}
