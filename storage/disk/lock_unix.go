//go:build unix

package disk

import (
	"os"
	"syscall"
)

// lockFile locks a file for this process, until it is closed, unless another one
// has locked it.
func lockFile(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
