package sharedtest

import (
	"os/exec"
	"testing"
)

// MustHAProxy returns the path of HAProxy; it skips the test without it.
func MustHAProxy(tb testing.TB) string {
	tb.Helper()
	for _, name := range []string{"haproxy", "/usr/sbin/haproxy"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	tb.Skip("skipped: HAProxy is not installed (Debian: apt-get install haproxy)")
	return ""
}
