//go:build !windows

package listen

import "syscall"

// taken and refused are errors of listening: another program does, or the system keeps
// the port for other users.
const taken, refused = syscall.EADDRINUSE, syscall.EACCES
