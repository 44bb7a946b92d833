package segment

import (
	"os"
	"testing"

	"golang.org/x/sys/windows"
)

// Windows has errors of its own for a full disk.
func TestOutOfSpace(t *testing.T) {
	for err, want := range map[error]bool{
		windows.ERROR_DISK_FULL: true, windows.ERROR_HANDLE_DISK_FULL: true, windows.ERROR_DISK_QUOTA_EXCEEDED: true, windows.ERROR_ACCESS_DENIED: false,
	} {
		if got := OutOfSpace(&os.PathError{Op: "write", Err: err}); got != want {
			t.Errorf("%v: %t, want %t", err, got, want)
		}
	}
}
