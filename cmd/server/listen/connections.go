package listen

import (
	"net"

	"golang.org/x/net/netutil"

	"collie/cmd/server/machine"
)

// Of the files that the program can open, in eighths, so many are for connections;
// the rest is for the data.
const (
	connections      = 6
	plainConnections = 1 // with which browsers only learn where HTTPS is
)

// Connections take no more than a quarter of the memory: an idle one takes 25 KB, with
// TLS 45 KB.
const (
	connectionMemory = 64 << 10
	memoryPart       = 4
)

// Sparing lets connections wait rather than take the last files that the program can
// open, or the memory: strangers who open connections and say nothing must not keep
// people at work from their images.
func Sparing(l net.Listener) net.Listener { return spare(l, connections) }

func spare(l net.Listener, eighths uint64) net.Listener {
	return netutil.LimitListener(l, most(eighths, machine.OpenFiles(), machine.Memory("/")))
}

// most is how many connections there can be at once with so many files and so much
// memory in bytes; either is 0 if it is unknown.
func most(eighths, files uint64, memory int64) int {
	n := uint64(1 << 20)
	if files > 0 {
		n = min(n, files/8*eighths)
	}
	if memory > 0 {
		n = min(n, uint64(memory)/memoryPart/connectionMemory)
	}
	return int(max(n, 1))
}
