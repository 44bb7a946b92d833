package listen

import (
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

// Everywhere reports whether who listens at a host listens at all addresses of the
// machine. Then the host is no address to connect to.
func Everywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
