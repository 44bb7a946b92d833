package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/templates"
	"collie/web/answers"
	"collie/web/live"
	"collie/web/openid"
	"collie/web/problem"
)

// Login is what a server with login needs.
type Login struct {
	Accounts *accounts.Accounts
	Sessions accounts.SessionStore
	OpenID   *openid.Provider // with which people can sign in, too; may be nil
}

// Names of the cookie. Browsers accept the __Host- prefix only over https and
// for exactly this host, so no other host can replace it.
const (
	plainCookie  = "collie"
	secureCookie = "__Host-collie"
)

// sessions are the users who have signed in. Browsers keep the token in a
// cookie, programs send it as a bearer token.
type sessions struct {
	*accounts.Sessions
	accounts *accounts.Accounts
	secure   bool // browsers reach us over https
}

// visitor returns who has a token, of a session or an API token, and when it
// expires. NotFound means nobody.
func (s *sessions) visitor(ctx context.Context, token string, used bool) (visitor, time.Time, error) {
	if accounts.IsToken(token) {
		t, u, err := s.accounts.FindToken(ctx, token, used)
		if err != nil {
			return visitor{}, time.Time{}, err
		}
		return visitor{t.Principal(u), token, t.ID}, t.Expires, nil
	}
	u, session, err := s.Find(ctx, token, used)
	if err != nil {
		return visitor{}, time.Time{}, err
	}
	return visitor{u.Principal(), token, token}, session.Expires, nil
}

// tokenOf returns a request's token and whether it came in a cookie. API tokens
// are no cookies.
func (s *sessions) tokenOf(r *http.Request) (token string, cookie bool) {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), false
	}
	if c, err := r.Cookie(s.cookieName()); err == nil && !accounts.IsToken(c.Value) {
		return c.Value, true
	}
	return "", false
}

func (s *sessions) cookieName() string {
	if s.secure {
		return secureCookie
	}
	return plainCookie
}

// remember sets the token as a cookie until the session expires; an empty one
// deletes the cookie. It replaces a cookie that the answer already sets.
func (s *sessions) remember(w http.ResponseWriter, token string, expires time.Time) {
	c := &http.Cookie{
		Name: s.cookieName(), Value: token, Path: "/", Expires: expires,
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if token == "" {
		c.MaxAge, c.Expires = -1, time.Time{}
	}
	w.Header().Set("Set-Cookie", c.String())
}

// maxForm is how many bytes a form about users can have.
const maxForm = 16 << 10

// withLogin answers NotFound on a server without login.
func (s *Server) withLogin(h answers.Handler) answers.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.sessions == nil {
			return segment.Errorf(segment.NotFound, "This server has no users because it was started without --auth.")
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		return h(w, r)
	}
}

// withSession is withLogin for what an API token can't do: its leak must not lead
// to other tokens, a new password or a session.
func (s *Server) withSession(h answers.Handler) answers.Handler {
	return s.withLogin(func(w http.ResponseWriter, r *http.Request) error {
		if visitorOf(r.Context()).Scope != "" {
			return &problem.Refusal{Status: http.StatusForbidden, Detail: "An API token can't do this. Sign in with your name and password. Nothing was changed."}
		}
		return h(w, r)
	})
}

// loginPage asks for name and password.
func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) error {
	next := local(r.URL.Query().Get("next"))
	if visitorOf(r.Context()).Role != access.Nobody {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	v := templates.LoginView{Next: next}
	if r.URL.Query().Has("left") && s.openID != nil {
		v.SignOut = s.openID.SignOutURL("/login")
	}
	s.showLogin(w, r, http.StatusOK, v)
	return nil
}

// login takes the form of the login page.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	name, next := r.PostForm.Get("name"), local(r.PostForm.Get("next"))
	token, session, _, err := s.signIn(r, name, r.PostForm.Get("password"))
	if p := problem.Of(err); err != nil && (p.Status == http.StatusUnauthorized || p.Status == http.StatusTooManyRequests) {
		return s.notSignedIn(w, r, templates.LoginView{Name: name, Next: next}, err)
	}
	if err != nil {
		return err
	}
	s.sessions.remember(w, token, session.Expires)
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// signIn checks name and password and begins a session.
func (s *Server) signIn(r *http.Request, name, password string) (token string, session accounts.Session, u accounts.User, err error) {
	u, err = s.sessions.accounts.SignIn(r.Context(), name, password, s.address(r))
	if err != nil {
		s.log.Info("not signed in", "address", s.address(r).String(), "error", err)
		return "", session, u, signInProblem(err)
	}
	token, session, err = s.begin(r, u, "")
	return token, session, u, err
}

// begin begins a session for a user who has shown who they are in some way, empty
// for a password; the request's previous session ends.
func (s *Server) begin(r *http.Request, u accounts.User, how string) (token string, session accounts.Session, err error) {
	if old := visitorOf(r.Context()); old.token != "" && old.Scope == "" {
		if err := s.leave(r, old.token); err != nil {
			return "", session, err
		}
	}
	return s.sessions.Begin(r.Context(), u, how)
}

// signInProblem explains to people why they can't sign in.
func signInProblem(err error) error {
	var tries *accounts.TriesError
	var refused *accounts.RefusedError
	switch {
	case errors.As(err, &refused):
		return &problem.Refusal{Status: http.StatusForbidden, Detail: refused.Reason}
	case errors.Is(err, accounts.ErrWrong):
		return &problem.Refusal{Status: http.StatusUnauthorized, Detail: "Wrong name or password."}
	case errors.As(err, &tries):
		return &problem.Later{Wait: tries.Wait, Err: &problem.Refusal{Status: http.StatusTooManyRequests, Detail: "Too many failed tries to sign in. Try again " + inWords(tries.Wait) + "."}}
	}
	return err
}

// logout ends the request's session and its sockets.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	if err := s.leave(r, visitorOf(r.Context()).token); err != nil {
		return err
	}
	s.sessions.remember(w, "", time.Time{})
	to := "/login"
	if s.openID != nil {
		to += "?left" // the page offers to sign out at the provider, too
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

func (s *Server) leave(r *http.Request, token string) error {
	err := s.sessions.End(r.Context(), token)
	s.hub.Expel(live.SignedOut, func(v live.Visitor) bool { return v.Session == token })
	return err
}

// sessionJSON is the user whom a program is signed in as.
type sessionJSON struct {
	Name    string     `json:"name"`
	Role    string     `json:"role" doc:"on the server; with an API token admin only if its scope is" schema:"enum=user|admin"`
	Scope   string     `json:"scope,omitempty" doc:"of the API token that the request is made with; absent with a session" schema:"enum=metrics|read|annotate|admin"`
	Token   string     `json:"token,omitempty" doc:"only in the answer to signing in"`
	Expires *time.Time `json:"expires,omitempty" doc:"when the session ends if it is not used before; only in the answer to signing in"`
}

// credentialsJSON is a name and password.
type credentialsJSON struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// createSession signs a program in.
func (s *Server) createSession(w http.ResponseWriter, r *http.Request) error {
	var body credentialsJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	token, session, u, err := s.signIn(r, body.Name, body.Password)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusCreated, sessionJSON{Name: u.Name, Role: u.Role.String(), Token: token, Expires: &session.Expires})
}

// getSession returns the current user, also on a server without login.
func (s *Server) getSession(w http.ResponseWriter, r *http.Request) error {
	v := visitorOf(r.Context())
	if v.Role == access.Nobody {
		return errSignIn
	}
	role := access.User
	if v.Role == access.Admin {
		role = v.Role
	}
	return s.answers.JSON(w, http.StatusOK, sessionJSON{Name: v.Name, Role: role.String(), Scope: string(v.Scope)})
}

// deleteSession signs a program out.
func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request) error {
	if visitorOf(r.Context()).Role == access.Nobody {
		return errSignIn
	}
	if err := s.leave(r, visitorOf(r.Context()).token); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func parseForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		var tooLong *http.MaxBytesError
		if errors.As(err, &tooLong) {
			return err
		}
		return problem.BadRequest("The form is incomplete. Nothing was changed.")
	}
	return nil
}

// inWords rounds a time up to whole minutes, in words.
func inWords(d time.Duration) string {
	if d <= time.Minute {
		return "in a minute"
	}
	return fmt.Sprintf("in %d minutes", (d+time.Minute-1)/time.Minute)
}
