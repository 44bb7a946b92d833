//go:build darwin || freebsd || dragonfly

package reserve

import "syscall"

// unit is what a file system counts its space in.
func unit(s *syscall.Statfs_t) int64 { return int64(s.Bsize) }
