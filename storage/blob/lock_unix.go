//go:build unix

package blob

import (
	"os"
	"syscall"
)

// alone locks a folder for this process if no other one has it open.
func alone(folder *os.File) bool {
	return syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// share takes a shared lock on a folder until it is closed.
func share(folder *os.File) error {
	return syscall.Flock(int(folder.Fd()), syscall.LOCK_SH)
}
