//go:build !windows

package segment

import "syscall"

// outOfSpace are the errors of system calls that lack space.
var outOfSpace = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
