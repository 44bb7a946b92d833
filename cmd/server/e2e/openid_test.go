package e2e

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/sharedtest"
	"collie/web/openid"
	"collie/web/openid/openidtest"
)

// The flags reach the provider: people sign in as soon as it is there, in the role
// that their groups give, and the command line links and unlinks accounts.
func TestOpenIDServer(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: starts servers")
	}
	t.Parallel()
	data, listen := filepath.Join(t.TempDir(), "data"), sharedtest.MustAddress(t)
	origin := "http://" + listen
	there := openidtest.MustStart(t, origin+openid.CallbackPath)
	there.Enrol("sub-1", "ann", "staff", "boss")
	there.Away("/")
	secret := filepath.Join(t.TempDir(), "secret")
	replaceFile(t, secret, []byte(openidtest.Secret))
	if out, err := users(data, "correct horse\n", "add", "root", "--role", "admin"); err != nil {
		t.Fatal(out)
	}
	p := start(t, data, "--auth", "--listen", listen, "--origin", origin, "--openid-issuer", there.URL, "--openid-client", openidtest.Client,
		"--openid-secret-file", secret, "--openid-admins", "boss", "--openid-users", "staff")
	await(t, "the warning that the provider is away", func() bool {
		return strings.Contains(p.stderr.String(), "the OpenID provider can't be used")
	})

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	visit := func(path string) (*http.Response, string) {
		t.Helper()
		resp, err := browser.Get(origin + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(body)
	}
	if resp, body := visit("/login/openid"); resp.StatusCode != 503 || !strings.Contains(body, "signing in with a password still works") {
		t.Errorf("while the provider is away: %s %s", resp.Status, body)
	}
	there.Away("")
	resp, body := visit("/login/openid?next=/users")
	if resp.StatusCode != 303 {
		t.Fatalf("%s %s", resp.Status, body)
	}
	back := there.SignIn(resp.Header.Get("Location"), "ann")
	if resp, body := visit(back.RequestURI()); resp.StatusCode != 303 || resp.Header.Get("Location") != "/users" {
		t.Fatalf("%s %s", resp.Status, body)
	}
	if resp, body := visit("/users"); resp.StatusCode != 200 || !strings.Contains(body, "ann") {
		t.Errorf("an admin by her groups: %s %s", resp.Status, body)
	}

	if out, err := users(data, "", "list"); err != nil || !strings.Contains(out, "sub-1 of "+there.URL) {
		t.Errorf("the list: %v %s", err, out)
	}
	if out, err := users(data, "", "link", "root", "sub-1", "--issuer", there.URL); err == nil || !strings.Contains(out, "Another user signs in as sub-1") {
		t.Errorf("linking what ann has: %v %s", err, out)
	}
	if out, err := users(data, "", "unlink", "sub-1", "--issuer", there.URL); err != nil {
		t.Errorf("unlinking: %v %s", err, out)
	}
	if resp, _ := visit("/api/v1/session"); resp.StatusCode != 401 {
		t.Errorf("after unlinking: %s", resp.Status)
	}
	if out, err := users(data, "", "link", "root", "sub-1", "--issuer", there.URL); err != nil {
		t.Errorf("linking: %v %s", err, out)
	}
	p.stop()
	if log := p.stderr.String(); strings.Contains(log, openidtest.Secret) || strings.Contains(log, back.Query().Get("code")) {
		t.Errorf("the log has a secret:\n%s", log)
	}
	if content, err := os.ReadFile(filepath.Join(data, "collie.db")); err != nil || strings.Contains(string(content), openidtest.Secret) {
		t.Errorf("the database has the secret, or: %v", err)
	}
}
