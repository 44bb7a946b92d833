package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"collie/cmd/internal/output"
)

// As long as no user is an admin, whoever adds users learns how to make one.
func TestNoAdminYet(t *testing.T) {
	data := t.TempDir()
	for _, c := range []struct {
		arguments []string
		tells     bool
	}{
		{[]string{"users", "invite", "bob"}, true},
		{[]string{"users", "invite", "ann", "--role", "admin"}, false},
		{[]string{"users", "invite", "carol"}, false},
	} {
		parsed, err := parse(t, append(c.arguments, "--origin", "https://collie.example.org", "--data", data)...)
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		if err := parsed.Users.Invite.Run(t.Context(), streams{&output.Printed{To: io.Discard}, &said}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(said.String(), "server users role NAME admin --data "+data); got != c.tells {
			t.Errorf("%q says %q", c.arguments, said.String())
		}
	}
}
