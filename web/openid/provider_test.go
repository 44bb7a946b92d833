package openid_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/web/openid"
	"collie/web/openid/openidtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const origin = "https://collie.example"

// mustServe starts a provider who knows ann, and connects to it.
func mustServe(t *testing.T, changes ...func(*openid.Config)) (*openidtest.Provider, *openid.Provider) {
	t.Helper()
	there := openidtest.MustStart(t, origin+openid.CallbackPath)
	there.Enrol("sub-1", "ann", "staff", "dogs")
	return there, connect(there, changes...)
}

func connect(there *openidtest.Provider, changes ...func(*openid.Config)) *openid.Provider {
	c := openid.Config{
		Issuer: there.URL, Client: openidtest.Client, Secret: openidtest.Secret, Origin: origin,
		Scopes: []string{"profile", "email"}, Label: "Example", NameClaim: "preferred_username", GroupsClaim: "groups",
	}
	for _, change := range changes {
		change(&c)
	}
	return openid.New(c, slog.New(slog.DiscardHandler))
}

// begin begins a sign-in and completes it at the provider.
func begin(t *testing.T, there *openidtest.Provider, here *openid.Provider, name string) (openid.Flow, url.Values) {
	t.Helper()
	address, flow, err := here.Begin(t.Context(), "/next")
	if err != nil {
		t.Fatal(err)
	}
	back := there.SignIn(address, name)
	if got := back.Scheme + "://" + back.Host + back.Path; got != origin+openid.CallbackPath {
		t.Errorf("the provider sends people to %s", got)
	}
	return flow, back.Query()
}

// What the provider says about people, with claims from its UserInfo endpoint or
// from the ID token.
func TestVouchers(t *testing.T) {
	there, _ := mustServe(t)
	there.Enrol("sub-2", "bob")
	cleo := map[string]any{"preferred_username": "cleo", "realm_access": map[string]any{"roles": []any{"staff", 7, "boss"}}, "https://example.org/team": "dogs"}
	some := func(admins, users string) func(*openid.Config) {
		split := func(text string) []string {
			return strings.FieldsFunc(text, func(c rune) bool { return c == ' ' })
		}
		return func(c *openid.Config) { c.Admins, c.Users = split(admins), split(users) }
	}
	claim := func(name string) func(*openid.Config) { return func(c *openid.Config) { c.GroupsClaim = name } }
	for name, c := range map[string]struct {
		who     string
		more    map[string]any // in the ID token
		changes []func(*openid.Config)
		want    string // name and role, or what the refusal says
	}{
		"no groups asked for":      {who: "ann", want: "ann nobody"},
		"admin":                    {who: "ann", changes: []func(*openid.Config){some("boss staff", "")}, want: "ann admin"},
		"not an admin":             {who: "ann", changes: []func(*openid.Config){some("boss", "")}, want: "ann user"},
		"let in":                   {who: "ann", changes: []func(*openid.Config){some("", "cats dogs")}, want: "ann nobody"},
		"not let in":               {who: "ann", changes: []func(*openid.Config){some("", "cats")}, want: "not in a group"},
		"part of a group's name":   {who: "ann", changes: []func(*openid.Config){some("staf", "dog STAFF")}, want: "not in a group"},
		"admins are let in":        {who: "ann", changes: []func(*openid.Config){some("staff", "cats")}, want: "ann admin"},
		"no groups":                {who: "bob", changes: []func(*openid.Config){some("staff", "")}, want: "bob user"},
		"no groups, not let in":    {who: "bob", changes: []func(*openid.Config){some("", "staff")}, want: "not in a group"},
		"another name":             {who: "ann", changes: []func(*openid.Config){func(c *openid.Config) { c.NameClaim = "email" }}, want: "ann@example.org nobody"},
		"no name":                  {who: "ann", changes: []func(*openid.Config){func(c *openid.Config) { c.NameClaim = "nick" }}, want: " nobody"},
		"in the token":             {who: "ann", more: cleo, changes: []func(*openid.Config){some("boss", ""), claim("realm_access.roles")}, want: "cleo admin"},
		"one text, dots in a name": {who: "ann", more: cleo, changes: []func(*openid.Config){some("dogs", ""), claim("https://example.org/team")}, want: "cleo admin"},
		"nothing at the end":       {who: "ann", more: cleo, changes: []func(*openid.Config){some("boss", ""), claim("realm_access.roles.x")}, want: "cleo user"},
	} {
		t.Run(name, func(t *testing.T) {
			there.Forge(nil)
			if c.more != nil {
				there.Forge(func(claims map[string]any) string { maps.Copy(claims, c.more); return there.Sign(claims) })
			}
			here := connect(there, c.changes...)
			flow, answer := begin(t, there, here, c.who)
			v, err := here.Finish(t.Context(), flow, answer)
			got := v.Name + " " + v.Role.String()
			if err != nil {
				got = err.Error()
			}
			if err == nil && got != c.want || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			want := accounts.Identity{Issuer: there.URL, Subject: map[string]string{"ann": "sub-1", "bob": "sub-2"}[c.who]}
			if diff := cmp.Diff(want, v.Identity); diff != "" {
				t.Errorf("identity (-want +got):\n%s", diff)
			}
		})
	}
}

// The start of a sign-in has everything that ties the end to it.
func TestBegin(t *testing.T) {
	there, here := mustServe(t)
	seen := map[string]bool{}
	for range 2 {
		address, flow, err := here.Begin(t.Context(), "/next")
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		for name, want := range map[string]string{
			"response_type": "code", "client_id": openidtest.Client, "redirect_uri": origin + openid.CallbackPath,
			"scope": "openid profile email", "code_challenge_method": "S256", "state": flow.State, "nonce": flow.Nonce,
		} {
			if q.Get(name) != want {
				t.Errorf("%s is %q, want %q", name, q.Get(name), want)
			}
		}
		if !strings.HasPrefix(address, there.URL+"/auth?") || flow.Next != "/next" || strings.Contains(address, flow.Verifier) || strings.Contains(address, openidtest.Secret) {
			t.Errorf("%s, %+v", address, flow)
		}
		for _, secret := range []string{flow.State, flow.Nonce, flow.Verifier, q.Get("code_challenge")} {
			if len(secret) < 26 || seen[secret] {
				t.Errorf("%q is short or used again", secret)
			}
			seen[secret] = true
		}
	}
}

// Forged, stolen, replayed and stale answers are refused, with a reason for the
// person and a cause for the log, and so is the next use of the same code.
func TestHostileAnswers(t *testing.T) {
	there, here := mustServe(t)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	unsigned := func(claims map[string]any) string {
		content, err := json.Marshal(claims)
		if err != nil {
			t.Error(err)
		}
		encode := base64.RawURLEncoding.EncodeToString
		return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(content) + "."
	}
	claims := func(change func(map[string]any)) func(map[string]any) string {
		return func(c map[string]any) string { change(c); return there.Sign(c) }
	}
	set := func(name string, value any) func(map[string]any) string {
		return claims(func(c map[string]any) { c[name] = value })
	}
	without := func(name string) func(map[string]any) string {
		return claims(func(c map[string]any) { delete(c, name) })
	}
	for name, c := range map[string]struct {
		forge  func(map[string]any) string
		change func(*openid.Flow, url.Values)
		want   string // in the cause
	}{
		"wrong nonce":          {forge: set("nonce", "another"), want: "nonce"},
		"no nonce":             {forge: without("nonce"), want: "nonce"},
		"wrong audience":       {forge: set("aud", "another"), want: "audience"},
		"no audience":          {forge: without("aud"), want: "audience"},
		"for another client":   {forge: set("azp", "another"), want: "another client"},
		"for several clients":  {forge: claims(func(c map[string]any) { c["aud"] = []string{openidtest.Client, "x"}; delete(c, "azp") }), want: "another client"},
		"expired":              {forge: set("exp", time.Now().Add(-time.Minute).Unix()), want: "expired"},
		"never expires":        {forge: without("exp"), want: "expired"},
		"from the future":      {forge: set("nbf", time.Now().Add(time.Hour).Unix()), want: "before the nbf"},
		"wrong issuer":         {forge: set("iss", "https://evil.example"), want: "different provider"},
		"no subject":           {forge: without("sub"), want: "subject"},
		"huge subject":         {forge: set("sub", strings.Repeat("x", 256)), want: "subject"},
		"another access token": {forge: set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), want: "access token"},
		"algorithm none":       {forge: unsigned, want: "malformed"},
		"HMAC with the secret": {forge: func(c map[string]any) string {
			return openidtest.SignWith(t, jose.HS256, []byte(strings.Repeat(openidtest.Secret, 2)), c)
		}, want: "malformed"},
		"another's signature": {forge: func(c map[string]any) string { return openidtest.SignWith(t, jose.RS256, stranger, c) }, want: "verify signature"},
		"changed after signing": {forge: func(c map[string]any) string {
			parts := strings.Split(there.Sign(c), ".")
			c["sub"] = "sub-9"
			parts[1] = strings.Split(unsigned(c), ".")[1]
			return strings.Join(parts, ".")
		}, want: "verify signature"},
		"no token":                 {forge: func(map[string]any) string { return "" }, want: "malformed"},
		"not a token":              {forge: func(map[string]any) string { return "a.b.c" }, want: "malformed"},
		"wrong state":              {change: func(_ *openid.Flow, q url.Values) { q.Set("state", "another") }, want: "state"},
		"no state":                 {change: func(_ *openid.Flow, q url.Values) { q.Del("state") }, want: "state"},
		"no cookie":                {change: func(f *openid.Flow, q url.Values) { *f = openid.Flow{}; q.Del("state") }, want: "state"},
		"another browser's code":   {change: func(f *openid.Flow, _ url.Values) { f.Verifier = strings.Repeat("v", 43) }, want: "refused the code"},
		"invented code":            {change: func(_ *openid.Flow, q url.Values) { q.Set("code", "invented") }, want: "refused the code"},
		"no code":                  {change: func(_ *openid.Flow, q url.Values) { q.Del("code") }, want: "code"},
		"answer of another issuer": {change: func(_ *openid.Flow, q url.Values) { q.Set("iss", "https://evil.example") }, want: "another provider"},
		"cancelled":                {change: func(_ *openid.Flow, q url.Values) { q.Set("error", "access_denied") }, want: "access_denied"},
		"an error with a lure":     {change: func(_ *openid.Flow, q url.Values) { q.Set("error", "call 555-1234 now") }, want: "gave no code"},
	} {
		t.Run(name, func(t *testing.T) {
			there.Forge(c.forge)
			flow, answer := begin(t, there, here, "ann")
			if c.change != nil {
				c.change(&flow, answer)
			}
			v, err := here.Finish(t.Context(), flow, answer)
			var refused *accounts.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(refused.Cause.Error(), c.want) || v != (accounts.Voucher{}) {
				t.Fatalf("%+v, %v, want a refusal because of %q", v, err, c.want)
			}
			if !strings.HasSuffix(refused.Reason, ".") || strings.Contains(refused.Reason, "555") || len(refused.Cause.Error()) > 200 {
				t.Errorf("the refusal says %q because of %q", refused.Reason, refused.Cause)
			}
		})
	}
	there.Forge(nil)

	// A code works once.
	flow, answer := begin(t, there, here, "ann")
	if v, err := here.Finish(t.Context(), flow, answer); err != nil || v.Name != "ann" || v.Role != access.Nobody {
		t.Fatalf("the control: %+v, %v", v, err)
	}
	var refused *accounts.RefusedError
	if _, err := here.Finish(t.Context(), flow, answer); !errors.As(err, &refused) || !strings.Contains(refused.Reason, "already used") {
		t.Errorf("the same code again: %v", err)
	}
}

// When the provider fails, people are told so and it doesn't count as a failed
// try; once it is back they can sign in without a restart of the server.
func TestProviderAway(t *testing.T) {
	there, here := mustServe(t)
	unavailable := func(what string, err error) {
		t.Helper()
		if segment.KindOf(err) != segment.Unavailable || !strings.Contains(err.Error(), "Example can't be used") {
			t.Errorf("%s: %v", what, err)
		}
	}
	there.Away("/")
	_, _, err := here.Begin(t.Context(), "/")
	unavailable("away from the start", err)
	there.Away("")
	flow, answer := begin(t, there, here, "ann")
	for _, path := range []string{"/oauth/token", "/keys", "/userinfo"} {
		there.Away(path)
		_, err := here.Finish(t.Context(), flow, answer)
		unavailable(path, err)
		there.Away("")
		flow, answer = begin(t, there, here, "ann")
	}
	answer.Set("error", "temporarily_unavailable")
	_, err = here.Finish(t.Context(), flow, answer)
	unavailable("temporarily", err)
	answer.Del("error")
	if _, err := here.Finish(t.Context(), flow, answer); err != nil {
		t.Error(err)
	}

	// A wrong secret is the server's fault, not that of the person.
	wrong := connect(there, func(c *openid.Config) { c.Secret = "wrong" })
	flow, answer = begin(t, there, wrong, "ann")
	_, err = wrong.Finish(t.Context(), flow, answer)
	unavailable("wrong secret", err)
}

// A provider whose description of itself is wrong, endless or from elsewhere is
// not used.
func TestHostileDescriptions(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, url string){
		"another issuer": func(w http.ResponseWriter, _ string) {
			_, _ = io.WriteString(w, `{"issuer":"https://evil.example"}`)
		},
		"not JSON": func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, `<html>`) },
		"redirect": func(w http.ResponseWriter, url string) { w.Header().Set("Location", url+"/x"); w.WriteHeader(302) },
		"plain address": func(w http.ResponseWriter, url string) {
			describe(w, url, "token_endpoint", "http://evil.example/token")
		},
		"no address": func(w http.ResponseWriter, url string) { describe(w, url, "token_endpoint", "") },
		"plain keys": func(w http.ResponseWriter, url string) { describe(w, url, "jwks_uri", "http://evil.example/keys") },
		"plain claims": func(w http.ResponseWriter, url string) {
			describe(w, url, "userinfo_endpoint", "http://evil.example/userinfo")
		},
		"endless": func(w http.ResponseWriter, _ string) {
			for range 20 << 10 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<10)); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var address string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, address) }))
			defer server.Close()
			address = server.URL
			here := openid.New(openid.Config{Issuer: server.URL, Client: "x", Origin: origin, Label: "Example"}, slog.New(slog.DiscardHandler))
			if _, _, err := here.Begin(t.Context(), "/"); segment.KindOf(err) != segment.Unavailable {
				t.Errorf("%v", err)
			}
			if here.SignOutURL("/login") != "" {
				t.Error("people could sign out there")
			}
		})
	}
}

// describe answers as a provider that has one address elsewhere.
func describe(w http.ResponseWriter, url, what, elsewhere string) {
	about := map[string]string{"issuer": url, "authorization_endpoint": url + "/auth", "token_endpoint": url + "/token", "jwks_uri": url + "/keys"}
	about[what] = elsewhere
	_ = json.NewEncoder(w).Encode(about)
}

// People can sign out at the provider once it has said where.
func TestSignOut(t *testing.T) {
	there, here := mustServe(t)
	if got := here.SignOutURL("/login"); got != "" {
		t.Errorf("before the provider was asked: %s", got)
	}
	here.Check(t.Context())
	got, err := url.Parse(here.SignOutURL("/login"))
	if err != nil || !strings.HasPrefix(got.String(), there.URL) || got.Query().Get("client_id") != openidtest.Client || got.Query().Get("post_logout_redirect_uri") != origin+"/login" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestCheckURL(t *testing.T) {
	for address, good := range map[string]bool{
		"https://login.example.org": true, "https://login.example.org/realms/x": true, "http://localhost:9998/": true, "http://127.0.0.1:1": true, "http://[::1]:1/x": true,
		"http://login.example.org": false, "http://localhost.evil.example": false, "http://127.0.0.1.evil.example": false, "login.example.org": false, "": false, "https://": false,
		"https://a:b@example.org": false, "javascript:alert(1)": false, "https://example.org#x": false, "ftp://example.org": false,
	} {
		if err := openid.CheckURL(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}
