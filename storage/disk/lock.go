package disk

import "os"

// Lock is an open file or folder that can be locked. On Windows no folder can.
type Lock struct{ file *os.File }

// NewLock returns the lock of an open file, not locked yet. Closing the lock closes
// the file.
func NewLock(file *os.File) Lock { return Lock{file} }
