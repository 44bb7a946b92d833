package people

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"collie/segment"
	"collie/segment/accounts"
	"collie/templates"
	"collie/web/answers"
	"collie/web/openid"
	"collie/web/problem"
)

const (
	flowSeconds = 600  // that people have to sign in at the provider
	maxNext     = 2000 // bytes; the flow must fit in a cookie
)

// flowCookie is the cookie in which a browser keeps the sign-in that it has begun
// at the OpenID provider.
func (s *sessions) flowCookie(value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName() + "-openid", Value: value, Path: "/", MaxAge: age,
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode, // sent along when the provider sends people back
	}
}

// WithOpenID answers NotFound on a server without an OpenID provider.
func (p *People) WithOpenID(h answers.Handler) answers.Handler {
	return p.WithLogin(func(w http.ResponseWriter, r *http.Request) error {
		if p.openID == nil {
			return segment.Errorf(segment.NotFound, "This server was started without an OpenID provider.")
		}
		return h(w, r)
	})
}

// BeginOpenID sends people to the provider. It is a link rather than a form
// because browsers don't let the answer to a form lead to another site.
func (p *People) BeginOpenID(w http.ResponseWriter, r *http.Request) error {
	next := local(r.URL.Query().Get("next"))
	if len(next) > maxNext {
		next = "/"
	}
	address, flow, err := p.openID.Begin(r.Context(), next)
	if err != nil {
		return p.notSignedIn(w, r, templates.LoginView{Next: next}, err)
	}
	content, err := json.Marshal(flow)
	if err != nil {
		return err
	}
	http.SetCookie(w, p.sessions.flowCookie(base64.RawURLEncoding.EncodeToString(content), flowSeconds))
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// FinishOpenID signs in people who come back from the provider.
func (p *People) FinishOpenID(w http.ResponseWriter, r *http.Request) error {
	flow := p.flowOf(r)
	if flow.State == "" {
		// Pages of other sites can make a browser ask for this address, but without the
		// cookie. If that counted, they could keep its whole network from signing in.
		http.SetCookie(w, p.sessions.flowCookie("", -1))
		return p.notSignedIn(w, r, templates.LoginView{Next: "/"}, &problem.Refusal{Status: http.StatusForbidden, Detail: openid.Stale})
	}
	var voucher accounts.Voucher
	u, err := p.sessions.accounts.SignInWith(r.Context(), p.address(r), func(ctx context.Context) (v accounts.Voucher, err error) {
		voucher, err = p.openID.Finish(ctx, flow, r.URL.Query())
		return voucher, err
	})
	var token string
	var session accounts.Session
	if err == nil {
		token, session, err = p.begin(r, u, "OpenID Connect, "+voucher.String())
	}
	if err == nil {
		p.sessions.remember(w, token, session.Left()) // before the next one, because it replaces all cookies
	}
	http.SetCookie(w, p.sessions.flowCookie("", -1))
	if err != nil {
		p.log.Info("not signed in", "address", p.address(r).String(), "error", err)
		return p.notSignedIn(w, r, templates.LoginView{Next: local(flow.Next)}, signInProblem(err))
	}
	http.Redirect(w, r, local(flow.Next), http.StatusSeeOther)
	return nil
}

// flowOf returns the sign-in that the request's browser has begun, the zero Flow
// without one.
func (p *People) flowOf(r *http.Request) (f openid.Flow) {
	c, err := r.Cookie(p.sessions.flowCookie("", 0).Name)
	if err != nil {
		return openid.Flow{}
	}
	content, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || json.Unmarshal(content, &f) != nil {
		return openid.Flow{}
	}
	return f
}

// notSignedIn shows the login page with what went wrong, if that is a sentence for
// people.
func (p *People) notSignedIn(w http.ResponseWriter, r *http.Request, v templates.LoginView, err error) error {
	failure := problem.Of(err)
	if failure.Status == http.StatusInternalServerError {
		return err
	}
	p.answers.Failed(w, r, err)
	v.Problem = failure.Detail
	p.showLogin(w, r, failure.Status, v)
	return nil
}

// showLogin shows the login page with the ways to sign in and what v has.
func (p *People) showLogin(w http.ResponseWriter, r *http.Request, status int, v templates.LoginView) {
	if p.openID != nil {
		v.OpenID = p.openID.Label()
	}
	p.answers.HTML(w, r, status, templates.Login(v))
}
