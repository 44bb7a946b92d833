package sharedtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Address returns an address of this machine where nobody listens, for a server that
// stops and comes back there. The system gives its port to nobody who asks for any
// port, so that no test beside this one gets it while the server is down.
func Address() (string, error) {
	const first, last = 20_000, 32_000 // Linux gives ports from 32768 on, other systems higher ones
	var err error
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.N(last-first))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
}

// MustAddress is Address for a test.
func MustAddress(tb testing.TB) string {
	tb.Helper()
	address, err := Address()
	if err != nil {
		tb.Fatal(err)
	}
	return address
}
