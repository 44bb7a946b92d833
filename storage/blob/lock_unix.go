//go:build unix

package blob

import (
	"os"
	"syscall"
)

// alone marks a folder as this process's own, when no other one has it open.
func alone(folder *os.File) bool {
	return syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// share marks a folder as open, for others too, until it is closed.
func share(folder *os.File) error {
	return syscall.Flock(int(folder.Fd()), syscall.LOCK_SH)
}
