package web

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/access"
	"collie/templates"
	"collie/web/live"
)

// visitor is the user who makes a request, and their session.
type visitor struct {
	access.Principal
	token string // empty on a server without login
}

type visitorKey struct{}

// visitorOf returns who makes the request whose context this is.
func visitorOf(ctx context.Context) visitor {
	v, _ := ctx.Value(visitorKey{}).(visitor)
	return v
}

// open reports whether a path can be asked for without signing in. All others
// are closed, those of tomorrow included.
func open(path string) bool {
	switch path {
	case "/login", "/api/v1/session":
		return true
	}
	return false
}

// anonymous reports whether a path has the same answer for everybody, so that
// nobody asks who wants it.
func anonymous(path string) bool {
	return strings.HasPrefix(path, "/static/") || path == "/healthz" || path == "/readyz"
}

// identify finds out who asks and turns strangers away. The workspace, which
// finds the principal in the context, decides what the others can do; on a
// server without login everybody is its owner. The cookie of a browser is
// renewed with its session, so that both expire together.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if anonymous(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		v := visitor{Principal: access.Owner}
		if s.sessions != nil {
			token, cookie := s.sessions.tokenOf(r)
			u, session, err := s.sessions.Find(r.Context(), token, true)
			switch {
			case err == nil && cookie:
				s.sessions.remember(w, token, session.Expires)
			case err != nil && segment.KindOf(err) != segment.NotFound:
				s.answer(w, r, err)
				return
			}
			v = visitor{u.Principal(), token}
		}
		ctx := access.With(r.Context(), v.Principal)
		ctx = context.WithValue(ctx, visitorKey{}, v)
		ctx = templates.With(ctx, s.person(v))
		r = r.WithContext(ctx)
		if v.Role == access.Nobody && !open(r.URL.Path) {
			s.turnAway(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// person is what the pages are told about the visitor.
func (s *Server) person(v visitor) templates.Person {
	p := templates.Person{
		MayAnnotate: v.Role.May(access.Annotate), MayManage: v.Role.May(access.Manage),
	}
	if s.sessions != nil && v.Role != access.Nobody {
		p.Name, p.Role, p.MayManageUsers = v.Name, v.Role.String(), v.Role.May(access.ManageUsers)
	}
	return p
}

// turnAway sends people to the login page, and from there back to where they
// wanted to go, and tells programs that they must sign in.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request) {
	page := r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
	if !page {
		s.answer(w, r, errSignIn)
		return
	}
	to := "/login"
	if back := r.URL.RequestURI(); back != "/" {
		to += "?" + url.Values{"next": {back}}.Encode()
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// errSignIn is the answer to who has to sign in first.
var errSignIn = &requestError{
	http.StatusUnauthorized,
	"Sign in first: people at /login, programs with POST /api/v1/session and then the header \"Authorization: Bearer TOKEN\". Sessions end after a while, and when the password changes.",
}

// local returns next when it is an address on this site, else the start page:
// a link to the login page must not lead away from here.
func local(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) ||
		strings.HasPrefix(u.Path, "/login") {
		return "/"
	}
	return next
}

// address is the client's, as far as it can be known: that of the connection,
// or what the proxies before us say that they believe in turn.
func (s *Server) address(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	a := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(a) }) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		a = before.Unmap()
	}
	return a
}

// fromHere reports whether a request comes from one of our own pages, by scheme
// and host, or from a program that is no browser and sends no origin.
func (s *Server) fromHere(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	switch {
	case origin == "":
		return true
	case s.origin != "":
		return strings.EqualFold(origin, s.origin)
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == scheme && strings.EqualFold(u.Host, r.Host)
}

// recheck asks, for a socket that is open, whether its visitor is still who it
// was: sessions end, and users change by other programs, without a request.
func (s *Server) recheck(ctx context.Context, v visitor, used bool) error {
	if s.sessions == nil {
		return nil
	}
	u, _, err := s.sessions.Find(ctx, v.token, used)
	switch {
	case segment.KindOf(err) == segment.NotFound:
		return live.SignedOut
	case err != nil:
		s.log.Warn("session not checked", "error", err)
		return nil
	case u.Principal() != v.Principal:
		return live.RoleChanged
	}
	return nil
}
