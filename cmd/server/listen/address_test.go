package listen

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"
)

// Who can't listen on an address learns why and what to do.
func TestOpen(t *testing.T) {
	first, err := Open("--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	address := first.Addr().String()
	if second, err := Open("--listen", address); err == nil || !strings.Contains(err.Error(), "another Collie, already listens on "+address) || !strings.Contains(err.Error(), "with --listen") {
		t.Errorf("an address that is taken: %v", err)
		if err == nil {
			second.Close()
		}
	}
	bind := &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", refused)}
	if err := trouble("--listen-http", ":80", bind); !strings.Contains(err.Error(), "doesn't let this program listen on :80: choose another port with --listen-http") {
		t.Errorf("a port that the system keeps: %v", err)
	}
	if err := trouble("--listen", ":80", errors.New("strange")); err.Error() != "--listen: strange" {
		t.Errorf("another error: %v", err)
	}
}
