// Package openid signs people in with their account at an OpenID provider: the
// authorization code flow of OpenID Connect Core 1.0 with PKCE (RFC 7636), state
// and nonce. It says who somebody is; package accounts decides who they are here.
package openid

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"collie/segment"
	"collie/segment/accounts"
)

// Config says which provider people sign in with, and what its claims mean.
type Config struct {
	Issuer         string // URL, exactly as in the provider's tokens
	Client, Secret string // of this server's registration there; the secret is empty for a public client
	Origin         string // scheme and host under which browsers reach this server
	Scopes         []string
	Label          string // what people call the provider

	NameClaim   string   // name of a new user
	GroupsClaim string   // groups or roles; dots lead into objects, as in realm_access.roles
	Admins      []string // groups whose members are admins; if empty, admins give the roles
	Users       []string // groups whose members are let in; if empty, everybody is
}

// CallbackPath is where the provider sends people back to, below the origin.
const CallbackPath = "/login/openid/callback"

// Provider is a connection to the provider. It doesn't need the provider until
// somebody signs in. Safe for concurrent use.
type Provider struct {
	config Config
	client *http.Client
	log    *slog.Logger

	found  atomic.Pointer[discovered]
	asking singleflight.Group
}

// discovered is what the provider says about itself.
type discovered struct {
	*oidc.Provider
	oauth2      oauth2.Config
	endSession  string // URL to sign out at, or empty
	namesIssuer bool   // in its answers, as RFC 9207 says
}

// New returns a connection that hasn't been used yet.
func New(c Config, log *slog.Logger) *Provider {
	return &Provider{config: c, client: newClient(), log: log}
}

// Label is what people call the provider.
func (p *Provider) Label() string { return p.config.Label }

// Issuer is the provider's URL, as identities have it.
func (p *Provider) Issuer() string { return p.config.Issuer }

// discover returns what the provider says about itself, which it is asked for until
// it has answered once. Callers that arrive meanwhile wait for the same answer. A
// provider that can't be used is a segment.Error of kind Unavailable.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	if d := p.found.Load(); d != nil {
		return d, nil
	}
	d, err, _ := p.asking.Do("", func() (any, error) { return p.ask(context.WithoutCancel(ctx)) })
	if err != nil {
		return nil, p.away(err)
	}
	p.found.Store(d.(*discovered))
	return d.(*discovered), nil
}

func (p *Provider) ask(ctx context.Context) (*discovered, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.config.Issuer)
	if err != nil {
		return nil, err
	}
	var about struct {
		Methods     []string `json:"token_endpoint_auth_methods_supported"`
		EndSession  string   `json:"end_session_endpoint"`
		NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
		Keys        string   `json:"jwks_uri"`
		UserInfo    string   `json:"userinfo_endpoint"`
	}
	if err := provider.Claims(&about); err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	needed := []string{endpoint.AuthURL, endpoint.TokenURL, about.Keys} // keys that others can change prove nothing
	if about.UserInfo != "" {
		needed = append(needed, about.UserInfo) // it gets the access token
	}
	for _, address := range needed {
		if err := CheckURL(address); err != nil {
			return nil, fmt.Errorf("an address in the provider's description of itself: %w", err)
		}
	}
	if CheckURL(about.EndSession) != nil {
		about.EndSession = ""
	}
	endpoint.AuthStyle = styleOf(about.Methods, p.config.Secret)
	return &discovered{provider, oauth2.Config{
		ClientID: p.config.Client, ClientSecret: p.config.Secret, Endpoint: endpoint,
		RedirectURL: p.config.Origin + CallbackPath, Scopes: append([]string{oidc.ScopeOpenID}, p.config.Scopes...),
	}, about.EndSession, about.NamesIssuer}, nil
}

// styleOf is how to send the client's secret to a provider that supports some
// methods; without any it supports HTTP Basic (OpenID Connect Discovery 1.0,
// section 3).
func styleOf(methods []string, secret string) oauth2.AuthStyle {
	basic := len(methods) == 0 || slices.Contains(methods, "client_secret_basic")
	if secret != "" && basic {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// away is the error for a provider that doesn't answer, or not as it should.
func (p *Provider) away(err error) error {
	return segment.Errorf(segment.Unavailable, "%s can't be used for signing in right now. Try again in a minute; signing in with a password still works.", p.config.Label).Because(err)
}

// Check asks the provider about itself, until ctx is done, and logs whether people can
// sign in.
func (p *Provider) Check(ctx context.Context) {
	switch d, err := p.ask(ctx); { // nobody else waits for this answer, so it can be given up
	case err == nil:
		p.found.Store(d)
	case ctx.Err() == nil:
		p.log.Warn("the OpenID provider can't be used, so nobody can sign in with it until it can", "issuer", p.config.Issuer, "error", p.away(err))
	}
}

// Flow is a sign-in that has begun. Only the browser that began it keeps it.
type Flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // of PKCE
	Next     string `json:"x"` // where to go afterwards
}

// Begin returns the address at the provider where somebody signs in, and the flow
// to keep until they return.
func (p *Provider) Begin(ctx context.Context, next string) (address string, f Flow, err error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", Flow{}, err
	}
	f = Flow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: next}
	return d.oauth2.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), f, nil
}

// Stale is what people read whose browser hasn't begun the sign-in that an answer ends.
const Stale = "This sign-in has expired, or another one was begun in this browser. Sign in again."

// SignOutURL is where people sign out at the provider and come back to an address
// of ours; empty if it has no such place, or hasn't been asked yet.
func (p *Provider) SignOutURL(back string) string {
	d := p.found.Load()
	if d == nil || d.endSession == "" {
		return ""
	}
	u, err := url.Parse(d.endSession)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", p.config.Client)
	q.Set("post_logout_redirect_uri", p.config.Origin+back)
	u.RawQuery = q.Encode()
	return u.String()
}

// Finish returns what the provider says about the person who comes back with its
// answer, the query of the callback. A *accounts.RefusedError says that they can't
// sign in; the voucher then has the identity if it is known. Unavailable means
// that the provider doesn't do its part.
func (p *Provider) Finish(ctx context.Context, f Flow, answer url.Values) (accounts.Voucher, error) {
	if f.State == "" || subtle.ConstantTimeCompare([]byte(f.State), []byte(answer.Get("state"))) != 1 {
		return accounts.Voucher{}, refuse(Stale, "the state is not that of the browser's sign-in")
	}
	d, err := p.discover(ctx)
	if err != nil {
		return accounts.Voucher{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	if iss := answer.Get("iss"); (iss != "" || d.namesIssuer) && iss != p.config.Issuer {
		return accounts.Voucher{}, p.distrust(errors.New("the answer comes from another provider"))
	}
	if answer.Has("error") {
		return accounts.Voucher{}, p.declined(answer.Get("error"))
	}
	code := answer.Get("code")
	if code == "" {
		return accounts.Voucher{}, p.declined("")
	}
	token, err := d.oauth2.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return accounts.Voucher{}, p.notExchanged(err)
	}
	id, err := p.verify(ctx, d, f, token)
	if err != nil {
		return accounts.Voucher{}, err
	}
	return p.vouch(ctx, d, id, token)
}

// declined is the error for what the provider answers instead of a code.
func (p *Provider) declined(code string) error {
	switch code {
	case "access_denied":
		return refuse(p.config.Label+" has not let you in, or you have cancelled. Sign in again.", "access_denied")
	case "server_error", "temporarily_unavailable":
		return p.away(errors.New(code))
	}
	p.log.Warn("the OpenID provider has refused a sign-in", "issuer", p.config.Issuer, "code", shorten(code))
	return refuse(p.config.Label+" has refused this sign-in. Sign in again; if that doesn't help, an admin finds the reason in the server's log.", "the provider gave no code")
}

// notExchanged is the error for a code that the provider gives no token for. Only
// a code that was used, has expired or is somebody else's is the visitor's doing.
func (p *Provider) notExchanged(err error) error {
	var answer *oauth2.RetrieveError
	if errors.As(err, &answer) && answer.ErrorCode == "invalid_grant" {
		return refuse("This sign-in has expired or was already used. Sign in again.", "the provider refused the code")
	}
	return p.away(fmt.Errorf("the token endpoint: %w", err))
}

// verify returns the ID token, after all checks that OpenID Connect Core 1.0,
// section 3.1.3.7, asks for.
func (p *Provider) verify(ctx context.Context, d *discovered, f Flow, token *oauth2.Token) (*oidc.IDToken, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := d.Verifier(&oidc.Config{ClientID: p.config.Client}).Verify(ctx, raw)
	if err != nil {
		if strings.Contains(err.Error(), "fetching keys") { // which the library doesn't wrap
			return nil, p.away(err)
		}
		return nil, p.distrust(err)
	}
	var claims struct {
		Party string `json:"azp"`
	}
	if err := id.Claims(&claims); err != nil {
		return nil, p.distrust(err)
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(f.Nonce)) != 1:
		err = errors.New("the nonce is not that of the browser's sign-in")
	case claims.Party != p.config.Client && (claims.Party != "" || len(id.Audience) > 1):
		err = errors.New("the token was issued to another client")
	case id.Subject == "" || len(id.Subject) > 255:
		err = errors.New("the subject is missing or too long")
	case id.AccessTokenHash != "":
		err = id.VerifyAccessToken(token.AccessToken)
	}
	if err != nil {
		return nil, p.distrust(err)
	}
	return id, nil
}

// distrust is the error for an answer that may not come from the provider, or not
// for this sign-in.
func (p *Provider) distrust(err error) error {
	p.log.Warn("an answer of the OpenID provider was not accepted", "issuer", p.config.Issuer, "error", err)
	return refuse("The answer of "+p.config.Label+" could not be verified, so you are not signed in. Sign in again; if that doesn't help, an admin finds the reason in the server's log.", err.Error())
}

// refuse is the error for somebody who can't sign in: a sentence for them and a
// cause for the audit log.
func refuse(reason, cause string) error {
	return &accounts.RefusedError{Reason: reason, Cause: errors.New(shorten(cause))}
}

// shorten cuts what others have written to a length that suits a log.
func shorten(text string) string {
	const most = 200
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// CheckURL reports whether an address of a provider is safe to use: over https, or
// over http on this machine.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%q is not of the form https://HOST/PATH", address)
	}
	host := cmp.Or(u.Hostname(), u.Host)
	if u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || host == "127.0.0.1" || host == "::1") {
		return nil
	}
	return fmt.Errorf("%q must begin with https://", address)
}
