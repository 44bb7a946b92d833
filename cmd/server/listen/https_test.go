package listen

import (
	"strings"
	"testing"
)

func TestTLSFlags(t *testing.T) {
	for _, c := range []struct {
		flags HTTPS
		wrong string // part of the error, empty for none
	}{
		{HTTPS{}, ""},
		{HTTPS{TLSCert: "c", TLSKey: "k"}, ""},
		{HTTPS{TLSACME: []string{"collie.example.org", "b.example.org"}, ListenHTTP: ":80"}, ""},
		{HTTPS{TLSCert: "c"}, "belong together"},
		{HTTPS{TLSKey: "k"}, "belong together"},
		{HTTPS{TLSCert: "c", TLSKey: "k", TLSACME: []string{"a.b"}}, "contradict"},
		{HTTPS{ListenHTTP: ":80"}, "needs --tls-cert"},
		{HTTPS{TLSACME: []string{"https://collie.example.org"}}, "not a domain"},
		{HTTPS{TLSACME: []string{"10.0.0.1"}}, "not a domain"},
		{HTTPS{TLSACME: []string{"*.example.org"}}, "not a domain"},
	} {
		err := c.flags.Validate()
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v: %v, want %q", c.flags, err, c.wrong)
		}
	}
}
