package e2e

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/web/openid"
	"collie/web/openid/openidtest"
)

// serveProvided runs a server whose people also sign in at an OpenID provider, and
// returns the address at which browsers reach it. A proxy is in front of it: the
// provider must know that address before the server listens.
func serveProvided(t *testing.T) string {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	var behind atomic.Pointer[url.URL]
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind.Load())
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(front.Close)
	provider := openidtest.MustStart(t, front.URL+openid.CallbackPath)
	provider.Enrol("sub-ann", "ann", "staff")

	data, secret := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(openidtest.Secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"add", "root", "--role", "admin"}, {"link", "root", "sub-root", "--issuer", provider.URL}} {
		run := exec.Command(program, append(append([]string{"users"}, arguments...), "--data", data)...)
		run.Stdin = strings.NewReader("correct horse\n")
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	to, err := url.Parse(serve(t, data, "--auth", "--origin", front.URL, "--openid-issuer", provider.URL, "--openid-client", openidtest.Client,
		"--openid-secret-file", secret, "--openid-label", "Example & Co", "--openid-admins", "staff"))
	if err != nil {
		t.Fatal(err)
	}
	behind.Store(to)
	return front.URL
}

// Signing in with the button of an OpenID provider leads through the provider's
// own page to the page that was asked for: here the list of users, which says how
// each can sign in.
func TestE2EOpenID(t *testing.T) {
	t.Parallel()
	address := serveProvided(t)
	p := openPage(t, 390, 844, false, address+"/users")
	p.screenshot("login-openid")
	p.clickOn("choosing the provider", `a[href^="/login/openid"]`)
	p.until(`document.querySelector('input[name=username]') !== null`)
	p.fill("input[name=username]", "ann")
	p.fill("input[name=password]", "ann")
	p.clickOn("signing in at the provider", "button[type=submit]")
	p.until(`location.pathname === '/users' && document.querySelectorAll('.user').length === 2`)
	value[int](p, `(document.querySelectorAll('.user details').forEach((e) => { e.open = true; }), 0)`)
	got := value[map[string][]string](p, `Object.fromEntries([...document.querySelectorAll('.user')].map((e) =>
		[e.querySelector('.user-name').textContent, [...e.querySelectorAll('.user-ways dd')].map((d) => d.innerText.trim())]))`)
	want := map[string][]string{"ann": {"Example & Co account sub-ann"}, "root": {"Password", "Example & Co account sub-root"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the users page says how they sign in (-want +got):\n%s", diff)
	}
	p.screenshot("users-openid")
	if wide := value[bool](p, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the page of users scrolls sideways on a phone")
	}
}
