package disk

import (
	"errors"

	"golang.org/x/sys/windows"
)

// canLock is false: folders can't be locked, and what is open can't be renamed.
const canLock = false

// Alone locks the file for this process, unless another one has locked it. It locks no
// folder, and reports that nobody else did.
func (l Lock) Alone() bool {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	behind := windows.Overlapped{OffsetHigh: 1 << 30} // nobody else can read what is locked
	return !errors.Is(windows.LockFileEx(windows.Handle(l.file.Fd()), flags, 0, 1, 0, &behind), windows.ERROR_LOCK_VIOLATION)
}

// Share locks nothing.
func (l Lock) Share() error { return nil }

// Close ends the lock and closes the file.
func (l Lock) Close() error { return l.file.Close() }
