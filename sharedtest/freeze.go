//go:build unix

package sharedtest

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// MustFreeze stops a program that this one has started, and returns when all of its
// threads have stopped: a busy machine lets them run for milliseconds after the signal.
// thaw lets it go on.
func MustFreeze(tb testing.TB, p *os.Process) (thaw func()) {
	tb.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		tb.Fatal(err)
	}
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(p.Pid, &status, syscall.WUNTRACED, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || !status.Stopped() {
			tb.Fatalf("the program that was to freeze: %v, status %#x", err, status)
		}
		return func() { _ = p.Signal(syscall.SIGCONT) }
	}
}
