package people

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
	"collie/web/problem"
)

// Names of the cookie. Browsers accept the __Host- prefix only over https and
// for exactly this host, so no other host can replace it.
const (
	PlainCookie  = "collie"
	SecureCookie = "__Host-collie"
)

// sessions are the users who have signed in. Browsers keep the token in a
// cookie, programs send it as a bearer token.
type sessions struct {
	*accounts.Sessions
	accounts *accounts.Accounts
	secure   bool // browsers reach us over https
}

// visitor returns who has a token, of a session or an API token, and how long the
// session lasts. NotFound means nobody.
func (s *sessions) visitor(ctx context.Context, token string, used bool) (visitor, time.Duration, error) {
	if accounts.IsToken(token) {
		t, u, err := s.accounts.FindToken(ctx, token, used)
		if err != nil {
			return visitor{}, 0, err
		}
		return visitor{t.Principal(u), token, t.ID}, 0, nil
	}
	u, session, err := s.Find(ctx, token, used)
	if err != nil {
		return visitor{}, 0, err
	}
	return visitor{u.Principal(), token, token}, session.Left(), nil
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
		return SecureCookie
	}
	return PlainCookie
}

// remember sets the token as a cookie for the time that the session lasts, whatever
// the browser's clock says; an empty one deletes the cookie. It replaces a cookie
// that the answer already sets.
func (s *sessions) remember(w http.ResponseWriter, token string, left time.Duration) {
	c := &http.Cookie{
		Name: s.cookieName(), Value: token, Path: "/", MaxAge: max(1, int(left.Seconds())),
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if token == "" {
		c.MaxAge = -1
	}
	w.Header().Set("Set-Cookie", c.String())
}

// maxForm is how many bytes a form about users can have.
const maxForm = 16 << 10

// WithLogin answers NotFound on a server without login.
func (p *People) WithLogin(h answers.Handler) answers.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if p.sessions == nil {
			return segment.Errorf(segment.NotFound, "This server has no users because it was started without --auth.")
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		return h(w, r)
	}
}

// WithSession is WithLogin for what an API token can't do: its leak must not lead
// to other tokens, a new password or a session.
func (p *People) WithSession(h answers.Handler) answers.Handler {
	return p.WithLogin(func(w http.ResponseWriter, r *http.Request) error {
		if visitorOf(r.Context()).Scope != "" {
			return &problem.Refusal{Status: http.StatusForbidden, Detail: "An API token can't do this. Sign in with your name and password. Nothing was changed."}
		}
		return h(w, r)
	})
}

// LoginPage asks for name and password.
func (p *People) LoginPage(w http.ResponseWriter, r *http.Request) error {
	next := local(r.URL.Query().Get("next"))
	if visitorOf(r.Context()).Role != access.Nobody {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	v := templates.LoginView{Next: next}
	if r.URL.Query().Has("left") && p.openID != nil {
		v.SignOut = p.openID.SignOutURL("/login")
	}
	p.showLogin(w, r, http.StatusOK, v)
	return nil
}

// Login takes the form of the login page.
func (p *People) Login(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	name, next := r.PostForm.Get("name"), local(r.PostForm.Get("next"))
	token, session, _, err := p.signIn(r, name, r.PostForm.Get("password"))
	if failure := problem.Of(err); err != nil && (failure.Status == http.StatusUnauthorized || failure.Status == http.StatusTooManyRequests) {
		return p.notSignedIn(w, r, templates.LoginView{Name: name, Next: next}, err)
	}
	if err != nil {
		return err
	}
	p.sessions.remember(w, token, session.Left())
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// signIn checks name and password and begins a session.
func (p *People) signIn(r *http.Request, name, password string) (token string, session accounts.Session, u accounts.User, err error) {
	u, err = p.sessions.accounts.SignIn(r.Context(), name, password, p.address(r))
	if err != nil {
		p.log.Info("not signed in", "address", p.address(r).String(), "error", err)
		return "", session, u, signInProblem(err)
	}
	token, session, err = p.begin(r, u, "")
	return token, session, u, err
}

// begin begins a session for a user who has shown who they are in some way, empty
// for a password; the request's previous session ends.
func (p *People) begin(r *http.Request, u accounts.User, how string) (token string, session accounts.Session, err error) {
	if old := visitorOf(r.Context()); old.token != "" && old.Scope == "" {
		if err := p.leave(r, old.token); err != nil {
			return "", session, err
		}
	}
	return p.sessions.Begin(r.Context(), u, how)
}

// enter signs in a user who has just set a password, as begin does. The password stays
// set whatever fails, and the error says so.
func (p *People) enter(w http.ResponseWriter, r *http.Request, id, how string) error {
	u, err := p.sessions.accounts.User(r.Context(), id) // with the generation of the password
	if err == nil {
		var token string
		var session accounts.Session
		if token, session, err = p.begin(r, u, how); err == nil {
			p.sessions.remember(w, token, session.Left())
			return nil
		}
	}
	return segment.Errorf(segment.Unavailable, "Your new password is set, but you could not be signed in with it. Sign in yourself in a moment.").Because(err)
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

// Logout ends the request's session and its sockets.
func (p *People) Logout(w http.ResponseWriter, r *http.Request) error {
	if err := p.leave(r, visitorOf(r.Context()).token); err != nil {
		return err
	}
	p.sessions.remember(w, "", 0)
	w.Header().Set("Clear-Site-Data", `"cache"`) // not "storage": unsaved edits wait there for the next login
	to := "/login"
	if p.openID != nil {
		to += "?left" // the page offers to sign out at the provider, too
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

func (p *People) leave(r *http.Request, token string) error {
	err := p.sessions.End(r.Context(), token)
	p.expel(live.SignedOut, func(v live.Visitor) bool { return v.Session == token })
	return err
}

// Session is the user whom a program is signed in as.
type Session struct {
	Name    string     `json:"name"`
	Role    string     `json:"role" doc:"on the server; with an API token admin only if its scope is" schema:"enum=user|admin"`
	Scope   string     `json:"scope,omitempty" doc:"of the API token that the request is made with; absent with a session" schema:"enum=metrics|read|annotate|admin"`
	Token   string     `json:"token,omitempty" doc:"only in the answer to signing in"`
	Expires *time.Time `json:"expires,omitempty" doc:"when the session ends if it is not used before; only in the answer to signing in"`
}

// Credentials is a name and password.
type Credentials struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// CreateSession signs a program in.
func (p *People) CreateSession(w http.ResponseWriter, r *http.Request) error {
	var body Credentials
	if err := p.decode(r, &body); err != nil {
		return err
	}
	if body.Name == "" || body.Password == "" { // a mistake in a program, not a try to be counted
		return problem.Invalid("The fields \"name\" and \"password\" are needed, those of a user of this server. With an API token nobody has to sign in.")
	}
	token, session, u, err := p.signIn(r, body.Name, body.Password)
	if err != nil {
		return err
	}
	return p.answers.JSON(w, http.StatusCreated, Session{Name: u.Name, Role: u.Role.String(), Token: token, Expires: &session.Expires})
}

// GetSession returns the current user, also on a server without login.
func (p *People) GetSession(w http.ResponseWriter, r *http.Request) error {
	v := visitorOf(r.Context())
	if v.Role == access.Nobody {
		return ErrSignIn
	}
	role := access.User
	if v.Role == access.Admin {
		role = v.Role
	}
	return p.answers.JSON(w, http.StatusOK, Session{Name: v.Name, Role: role.String(), Scope: string(v.Scope)})
}

// DeleteSession signs a program out.
func (p *People) DeleteSession(w http.ResponseWriter, r *http.Request) error {
	if visitorOf(r.Context()).Role == access.Nobody {
		return ErrSignIn
	}
	if err := p.leave(r, visitorOf(r.Context()).token); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func parseForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return problem.Unread(err, "The form is incomplete. Nothing was changed.")
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
