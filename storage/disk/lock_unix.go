//go:build unix

package disk

import (
	"errors"
	"syscall"
)

// canLock says that locks hold.
const canLock = true

// Alone locks the file for this process, unless another one has locked it.
func (l Lock) Alone() bool {
	return syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Share locks the file for every process that shares it, as soon as none has it
// alone. It ends Alone.
func (l Lock) Share() error {
	return syscall.Flock(int(l.file.Fd()), syscall.LOCK_SH)
}

// Close ends the lock and closes the file. Closing alone would not end it at once:
// a program that this process is just starting has the file, too, until it runs.
func (l Lock) Close() error {
	return errors.Join(syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN), l.file.Close())
}
