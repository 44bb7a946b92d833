//go:build unix

package machine

import "syscall"

// OpenFiles is how many files this process can have open; Go raises the soft limit
// to the hard one. 0 is unknown.
func OpenFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Max)
}
