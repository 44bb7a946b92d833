package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
)

// SessionStore keeps who is signed in. Touch moves the end of a session that
// is there and does nothing for one that is not.
type SessionStore interface {
	scs.CtxStore
	Touch(ctx context.Context, token string, expiry time.Time) error
}

// Login is what a server needs that asks people who they are.
type Login struct {
	Accounts *accounts.Accounts
	Sessions SessionStore
}

// Names of the cookie. Browsers take one with the prefix only over https, for
// exactly this host, and let no neighbour replace it.
const (
	plainCookie  = "collie"
	secureCookie = "__Host-collie"
)

// Keys of a session's values.
const (
	sessionUser       = "user"
	sessionGeneration = "generation"
)

// sessions says who a token belongs to. Tokens are 256 random bits and live in
// a cookie of the browser or with a program that sends them as bearer tokens.
type sessions struct {
	manager  *scs.SessionManager
	store    SessionStore
	accounts *accounts.Accounts
	log      *slog.Logger
	secure   bool // browsers reach us over https
}

func newSessions(login *Login, limits Limits, log *slog.Logger, secure bool) *sessions {
	// scs.New would start the goroutine of a store in memory, which can't be ended.
	m := &scs.SessionManager{Store: login.Sessions, Codec: scs.GobCodec{}, IdleTimeout: limits.SessionIdle, Lifetime: limits.SessionLifetime}
	return &sessions{m, login.Sessions, login.Accounts, log, secure}
}

// begin signs a user in and returns the token.
func (s *sessions) begin(ctx context.Context, u accounts.User) (token string, expires time.Time, err error) {
	if ctx, err = s.manager.Load(ctx, ""); err != nil {
		return "", time.Time{}, err
	}
	s.manager.Put(ctx, sessionUser, u.ID)
	s.manager.Put(ctx, sessionGeneration, u.Generation)
	return s.manager.Commit(ctx)
}

// find returns who a token belongs to, the zero Principal when the session has
// ended or never was. Used, a session lives on for its idle time.
func (s *sessions) find(ctx context.Context, token string, used bool) (access.Principal, error) {
	if token == "" {
		return access.Principal{}, nil
	}
	session, err := s.manager.Load(ctx, token)
	if err != nil {
		return access.Principal{}, err
	}
	id := s.manager.GetString(session, sessionUser)
	if id == "" {
		return access.Principal{}, nil
	}
	u, err := s.accounts.User(ctx, id)
	switch {
	case segment.KindOf(err) == segment.NotFound:
		return access.Principal{}, nil
	case err != nil:
		return access.Principal{}, err
	case u.Generation != s.manager.GetInt(session, sessionGeneration):
		return access.Principal{}, nil
	}
	if used {
		expiry := time.Now().Add(s.manager.IdleTimeout)
		if end := s.manager.Deadline(session); end.Before(expiry) {
			expiry = end
		}
		if err := s.store.Touch(ctx, token, expiry); err != nil {
			s.log.Debug("session not prolonged", "error", err) // with a full disk people can go on reading
		}
	}
	return u.Principal(), nil
}

// end signs out whoever has the token.
func (s *sessions) end(ctx context.Context, token string) error {
	return s.store.DeleteCtx(ctx, token)
}

// tokenOf finds the token that a request carries: as a bearer token, from a
// program, or in the cookie, from a browser.
func (s *sessions) tokenOf(r *http.Request) string {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	if c, err := r.Cookie(s.cookieName()); err == nil {
		return c.Value
	}
	return ""
}

func (s *sessions) cookieName() string {
	if s.secure {
		return secureCookie
	}
	return plainCookie
}

// remember gives the browser the token, or with an empty one takes it away.
func (s *sessions) remember(w http.ResponseWriter, token string, expires time.Time) {
	c := &http.Cookie{
		Name: s.cookieName(), Value: token, Path: "/", Expires: expires,
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if token == "" {
		c.MaxAge, c.Expires = -1, time.Time{}
	}
	http.SetCookie(w, c)
}
