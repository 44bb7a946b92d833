package web

import (
	"net/http"
	"strings"
	"time"

	"collie/segment/accounts"
)

// Login is what a server needs that asks people who they are.
type Login struct {
	Accounts *accounts.Accounts
	Sessions accounts.SessionStore
}

// Names of the cookie. Browsers take one with the prefix only over https, for
// exactly this host, and let no neighbour replace it.
const (
	plainCookie  = "collie"
	secureCookie = "__Host-collie"
)

// sessions are who has signed in. A browser keeps its token in a cookie, a
// program sends it as a bearer token.
type sessions struct {
	*accounts.Sessions
	accounts *accounts.Accounts
	secure   bool // browsers reach us over https
}

// tokenOf finds the token that a request carries, and whether it is in a
// browser's cookie.
func (s *sessions) tokenOf(r *http.Request) (token string, cookie bool) {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), false
	}
	if c, err := r.Cookie(s.cookieName()); err == nil {
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

// remember gives the browser the token until the session expires; an empty one
// takes it away. What the answer said before of the cookie no longer counts.
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
