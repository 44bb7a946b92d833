package listen

import (
	"fmt"
	"net"
)

// Check returns an error for a flag whose value can't be listened on.
func Check(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("%s %q is not of the form ADDRESS:PORT, such as 127.0.0.1:8080", flag, address)
	}
	return nil
}
