package listen

import "golang.org/x/sys/windows"

// taken and refused are errors of listening: another program does, or the system keeps
// the port for itself, as for virtual machines.
const taken, refused = windows.WSAEADDRINUSE, windows.WSAEACCES
