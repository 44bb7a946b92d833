package e2e

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"collie/storage/postgres/postgrestest"
	"collie/storage/s3/s3test"
)

// What happens to a user at one server, or on the command line, ends their pages at
// another at once: it doesn't wait for the next ping, which is an hour away. The same
// holds for an image that goes to the trash.
func TestNewsOfUsers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	place := []string{"--database", postgrestest.MustStart(t).MustURL(t, dir), "--blobs", s3test.MustStart(t).Address()}
	data := func(name string) string { return filepath.Join(dir, name) }
	manage := func(stdin string, arguments ...string) {
		t.Helper()
		if out, err := users(data("command"), stdin, append(arguments, place...)...); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	manage("correct horse\n", "add", "ann", "--role", "admin")
	manage("correct horse\n", "add", "bob", "--role", "admin")
	serve := append(place, "--auth", "--ping-interval", "1h", "--pong-timeout", "2h")
	a, b := start(t, data("a"), serve...), start(t, data("b"), serve...)
	made, err := a.signIn("bob", "correct horse").Post(a.url+"/api/v1/sample", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Body.Close()
	body, err := io.ReadAll(made.Body)
	if err != nil || made.StatusCode != http.StatusCreated {
		t.Fatalf("%d %v %s", made.StatusCode, err, body)
	}
	image := string(body)[strings.LastIndex(string(body), `"id":"`)+6:][:26]
	other := b.page(b.signIn("bob", "correct horse"), image)

	browser := b.signIn("ann", "correct horse")
	page := b.page(browser, image)
	out, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+"/logout", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range browser.Jar.Cookies(out.URL) {
		out.AddCookie(cookie)
	}
	left, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		t.Fatal(err)
	}
	left.Body.Close()
	closes(t, page, 4401)

	page = b.page(b.signIn("ann", "correct horse"), image)
	manage("", "role", "ann", "user")
	closes(t, page, 4403)
	page = b.page(b.signIn("bob", "correct horse"), image)
	manage("another horse\n", "password", "bob")
	closes(t, page, 4401)
	closes(t, other, 4401)

	page = b.page(b.signIn("bob", "another horse"), image)
	trash, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, a.url+"/api/v1/images/"+image, nil)
	if err != nil {
		t.Fatal(err)
	}
	trashed, err := a.signIn("bob", "another horse").Do(trash)
	if err != nil {
		t.Fatal(err)
	}
	trashed.Body.Close()
	closes(t, page, 4410)
	a.stop()
	b.stop()
}
