package reserve

import "syscall"

// unit is what a file system counts its space in. Bsize is what it likes to transfer,
// which can be 256 times as much, as in folders that Docker shares on macOS.
func unit(s *syscall.Statfs_t) int64 { return int64(s.Frsize) }
