//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// canLock says that locks hold.
const canLock = true

// Lock is an open file or folder that can be locked.
type Lock struct{ file *os.File }

// NewLock returns the lock of an open file, not locked yet. Closing the lock closes
// the file.
func NewLock(file *os.File) Lock { return Lock{file} }

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
