//go:build !unix

package disk

import "os"

// canLock says that locks hold.
const canLock = false

// Lock is an open file or folder. Here it can't be locked, so only one process
// should use it.
type Lock struct{ file *os.File }

// NewLock returns the lock of an open file, not locked yet. Closing the lock closes
// the file.
func NewLock(file *os.File) Lock { return Lock{file} }

// Alone locks nothing and reports that nobody else did.
func (l Lock) Alone() bool { return true }

// Share locks nothing.
func (l Lock) Share() error { return nil }

// Close closes the file.
func (l Lock) Close() error { return l.file.Close() }
