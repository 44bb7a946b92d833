package listen

import (
	"errors"
	"fmt"
	"net"
)

// Split divides the value of a flag, and refuses one that can't be listened on.
func Split(flag, address string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return "", "", fmt.Errorf("%s %q is not of the form ADDRESS:PORT, such as 127.0.0.1:8080", flag, address)
	}
	return host, port, nil
}

// Open listens on the address that a flag gives.
func Open(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, trouble(flag, address, err)
	}
	return listener, nil
}

// trouble says what to do about an address that can't be listened on.
func trouble(flag, address string, err error) error {
	switch {
	case errors.Is(err, taken):
		return fmt.Errorf("another program, perhaps another Collie, already listens on %s: stop it, or choose another address with %s", address, flag)
	case errors.Is(err, refused):
		return fmt.Errorf("the system doesn't let this program listen on %s: choose another port with %s, such as 8888", address, flag)
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// Everywhere reports whether who listens at a host listens at all addresses of the
// machine. Then the host is no address to connect to.
func Everywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
