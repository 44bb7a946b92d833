package web

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

// withOpenID answers NotFound on a server without an OpenID provider.
func (s *Server) withOpenID(h answers.Handler) answers.Handler {
	return s.withLogin(func(w http.ResponseWriter, r *http.Request) error {
		if s.openID == nil {
			return segment.Errorf(segment.NotFound, "This server was started without an OpenID provider.")
		}
		return h(w, r)
	})
}

// beginOpenID sends people to the provider. It is a link rather than a form
// because browsers don't let the answer to a form lead to another site.
func (s *Server) beginOpenID(w http.ResponseWriter, r *http.Request) error {
	next := local(r.URL.Query().Get("next"))
	if len(next) > maxNext {
		next = "/"
	}
	address, flow, err := s.openID.Begin(r.Context(), next)
	if err != nil {
		return s.notSignedIn(w, r, templates.LoginView{Next: next}, err)
	}
	content, err := json.Marshal(flow)
	if err != nil {
		return err
	}
	http.SetCookie(w, s.sessions.flowCookie(base64.RawURLEncoding.EncodeToString(content), flowSeconds))
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// finishOpenID signs in people who come back from the provider.
func (s *Server) finishOpenID(w http.ResponseWriter, r *http.Request) error {
	flow := s.flowOf(r)
	var voucher accounts.Voucher
	u, err := s.sessions.accounts.SignInWith(r.Context(), s.address(r), func(ctx context.Context) (v accounts.Voucher, err error) {
		voucher, err = s.openID.Finish(ctx, flow, r.URL.Query())
		return voucher, err
	})
	var token string
	var session accounts.Session
	if err == nil {
		token, session, err = s.begin(r, u, "OpenID Connect, "+voucher.String())
	}
	if err == nil {
		s.sessions.remember(w, token, session.Expires) // before the next one, because it replaces all cookies
	}
	http.SetCookie(w, s.sessions.flowCookie("", -1))
	if err != nil {
		s.log.Info("not signed in", "address", s.address(r).String(), "error", err)
		return s.notSignedIn(w, r, templates.LoginView{Next: local(flow.Next)}, signInProblem(err))
	}
	http.Redirect(w, r, local(flow.Next), http.StatusSeeOther)
	return nil
}

// flowOf returns the sign-in that the request's browser has begun, the zero Flow
// without one.
func (s *Server) flowOf(r *http.Request) (f openid.Flow) {
	c, err := r.Cookie(s.sessions.flowCookie("", 0).Name)
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
func (s *Server) notSignedIn(w http.ResponseWriter, r *http.Request, v templates.LoginView, err error) error {
	p := problem.Of(err)
	if p.Status == http.StatusInternalServerError {
		return err
	}
	s.answers.Failed(w, r, err)
	v.Problem = p.Detail
	s.showLogin(w, r, p.Status, v)
	return nil
}

// showLogin shows the login page with the ways to sign in and what v has.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, status int, v templates.LoginView) {
	if s.openID != nil {
		v.OpenID = s.openID.Label()
	}
	s.answers.HTML(w, r, status, templates.Login(v))
}
