//go:build !windows

package disk

import "os"

// Flush flushes an open file, or the names in an open folder, to the disk.
func Flush(file *os.File) error { return file.Sync() }
