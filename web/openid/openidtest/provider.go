// Package openidtest runs a real OpenID provider, zitadel's, inside a test. It can
// also misbehave: forge its tokens, or be away.
package openidtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// What the provider knows about the server that signs people in.
const (
	Client = "collie"
	Secret = "a secret of the client"
)

// Provider is a running provider. Its people have their name as password.
type Provider struct {
	URL string // the issuer

	tb     testing.TB
	client *http.Client
	keys   *storage.Storage

	mu     sync.Mutex
	people map[string]*person // by subject
	away   string             // prefix of the paths that answer 503, or empty
	forge  func(claims map[string]any) string
}

type person struct {
	storage.User
	groups []string
}

// MustStart starts a provider that sends people back to some addresses. It ends
// with the test.
func MustStart(tb testing.TB, redirects ...string) *Provider {
	tb.Helper()
	p := &Provider{tb: tb, people: map[string]*person{}, client: &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	p.keys = storage.NewStorageWithClients(p, map[string]*storage.Client{Client: storage.WebClient(Client, Secret, redirects...)})
	server := httptest.NewUnstartedServer(nil)
	p.URL = "http://" + server.Listener.Addr().String()
	server.Config.Handler = p.misbehaving(exampleop.SetupServer(p.URL, &grouped{p.keys, p}, nil, false))
	server.Start()
	tb.Cleanup(server.Close)
	return p
}

// Enrol adds a person, or changes the one with the subject.
func (p *Provider) Enrol(subject, name string, groups ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.people[subject] = &person{storage.User{ID: subject, Username: name, Password: name, Email: name + "@example.org"}, groups}
}

// Away makes paths with a prefix answer 503, "/" all of them; empty ends that.
func (p *Provider) Away(prefix string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = prefix
}

// Forge lets f make the ID token from the claims that it would have had; nil ends
// that.
func (p *Provider) Forge(f func(claims map[string]any) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forge = f
}

// Sign returns a token with claims and the provider's signature.
func (p *Provider) Sign(claims map[string]any) string {
	key, err := p.keys.SigningKey(context.Background())
	if err != nil {
		p.tb.Error(err)
		return ""
	}
	return SignWith(p.tb, key.SignatureAlgorithm(), jose.JSONWebKey{Key: key.Key(), KeyID: key.ID()}, claims)
}

// SignWith returns a token with claims and the signature of a key.
func SignWith(tb testing.TB, algorithm jose.SignatureAlgorithm, key any, claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	if err != nil {
		tb.Error(err)
		return ""
	}
	content, err := json.Marshal(claims)
	if err != nil {
		tb.Error(err)
		return ""
	}
	signed, err := signer.Sign(content)
	if err != nil {
		tb.Error(err)
		return ""
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		tb.Error(err)
	}
	return token
}

// SignIn does what a person's browser does at the provider: it goes to an address,
// fills in the form, and returns the address that the provider sends it back to.
func (p *Provider) SignIn(address, name string) *url.URL {
	p.tb.Helper()
	form := p.follow(http.MethodGet, address, nil)
	fields := url.Values{"username": {name}, "password": {name}, "id": {form.Query().Get("authRequestID")}}
	done := p.follow(http.MethodPost, p.URL+form.Path, fields)
	return p.follow(http.MethodGet, p.URL+done.RequestURI(), nil)
}

// follow makes a request and returns where the answer sends the browser.
func (p *Provider) follow(method, address string, fields url.Values) *url.URL {
	p.tb.Helper()
	r, err := http.NewRequestWithContext(p.tb.Context(), method, address, strings.NewReader(fields.Encode()))
	if err != nil {
		p.tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := p.client.Do(r)
	if err != nil {
		p.tb.Fatal(err)
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		body, _ := io.ReadAll(resp.Body)
		p.tb.Fatalf("the provider answers %s %s with %s: %s", method, address, resp.Status, body)
	}
	return to
}

// misbehaving is the provider's handler with what a test has asked for.
func (p *Provider) misbehaving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		away, forge := p.away, p.forge
		p.mu.Unlock()
		switch {
		case away != "" && strings.HasPrefix(r.URL.Path, away):
			http.Error(w, "closed for maintenance", http.StatusServiceUnavailable)
			return
		case forge == nil || r.URL.Path != "/oauth/token":
			next.ServeHTTP(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		next.ServeHTTP(recorded, r)
		var answer map[string]any
		if err := json.Unmarshal(recorded.Body.Bytes(), &answer); err != nil {
			p.tb.Error(err)
		}
		body := recorded.Body.Bytes()
		if token, ok := answer["id_token"].(string); ok {
			answer["id_token"] = forge(p.claims(token))
			body, _ = json.Marshal(answer)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(recorded.Code)
		_, _ = io.Copy(w, bytes.NewReader(body))
	})
}

func (p *Provider) claims(token string) map[string]any {
	signed, err := jose.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		p.tb.Error(err)
		return nil
	}
	var claims map[string]any
	if err := json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &claims); err != nil {
		p.tb.Error(err)
	}
	return claims
}

// GetUserByID is what the provider's storage asks for.
func (p *Provider) GetUserByID(subject string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.people[subject]; found != nil {
		u := found.User
		return &u
	}
	return nil
}

// GetUserByUsername is what the provider's storage asks for.
func (p *Provider) GetUserByUsername(name string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, found := range p.people {
		if found.Username == name {
			u := found.User
			return &u
		}
	}
	return nil
}

// ExampleClientID is what the provider's storage asks for.
func (p *Provider) ExampleClientID() string { return "unused" }

// grouped is the provider's storage with a claim about groups.
type grouped struct {
	*storage.Storage
	provider *Provider
}

// SetUserinfoFromToken answers at the UserInfo endpoint.
func (g *grouped) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, token, subject, origin string) error {
	if err := g.Storage.SetUserinfoFromToken(ctx, info, token, subject, origin); err != nil {
		return err
	}
	g.provider.mu.Lock()
	defer g.provider.mu.Unlock()
	if found := g.provider.people[subject]; found != nil && found.groups != nil {
		info.AppendClaims("groups", found.groups)
	}
	return nil
}

var _ op.Storage = (*grouped)(nil)
