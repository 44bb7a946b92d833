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

// Sparing lets connections wait rather than take the last files that the program can
// open: strangers who open connections and say nothing must not keep people at work
// from their images.
func Sparing(l net.Listener) net.Listener { return spare(l, connections) }

func spare(l net.Listener, eighths uint64) net.Listener {
	files := machine.OpenFiles()
	if files == 0 { // unknown
		return l
	}
	return netutil.LimitListener(l, int(min(files/8*eighths, 1<<20)))
}
