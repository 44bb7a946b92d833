package segment

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// outOfSpace are the errors of system calls that lack space.
var outOfSpace = []syscall.Errno{syscall.ENOSPC, windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
