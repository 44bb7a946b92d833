//go:build !unix

package sharedtest

import (
	"os"
	"testing"
)

// MustFreeze skips the test: only Unix can stop a program and let it go on.
func MustFreeze(tb testing.TB, _ *os.Process) (thaw func()) {
	tb.Helper()
	tb.Skip("skipped: only Unix can freeze a program")
	return nil
}
