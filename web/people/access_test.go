package people

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestAddress(t *testing.T) {
	p := &People{proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:1", "", "192.0.2.1"},
		{"192.0.2.1:1", "198.51.100.7", "192.0.2.1"}, // no proxy of ours
		{"127.0.0.1:1", "", "127.0.0.1"},
		{"127.0.0.1:1", "198.51.100.7", "198.51.100.7"},
		{"127.0.0.1:1", "1.2.3.4, 198.51.100.7", "198.51.100.7"}, // what the client made up comes first
		{"127.0.0.1:1", "1.2.3.4,198.51.100.7 ,10.1.1.1", "198.51.100.7"},
		{"127.0.0.1:1", "198.51.100.7, nonsense", "127.0.0.1"},
		{"[::ffff:127.0.0.1]:1", "2001:db8::1", "2001:db8::1"},
		{"nonsense", "1.2.3.4", "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := p.address(r).String(); got != c.want {
			t.Errorf("%s for %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("X-Forwarded-For", "1.2.3.4")
	if got := (&People{}).address(r).String(); got != "127.0.0.1" {
		t.Errorf("without a proxy: %s", got)
	}
}
