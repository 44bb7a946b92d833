package web

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/templates"
	"collie/web/live"
	"collie/web/openid"
	"collie/web/problem"
)

// visitor is the user who makes a request, and their session.
type visitor struct {
	access.Principal
	token   string // secret of the session or the API token; empty on a server without login
	session string // what names it for sockets: the token of a session, the identifier of an API token
}

type visitorKey struct{}

// visitorOf returns who makes the request whose context this is.
func visitorOf(ctx context.Context) visitor {
	v, _ := ctx.Value(visitorKey{}).(visitor)
	return v
}

// open reports whether a path can be requested without signing in. All other
// paths, including future ones, need a login.
func open(path string) bool {
	switch path {
	case "/login", "/login/openid", openid.CallbackPath, "/api/v1/session":
		return true
	}
	return false
}

// anonymous reports whether a path has the same answer for everybody, so that
// the session need not be checked.
func anonymous(path string) bool {
	return strings.HasPrefix(path, "/static/") || path == "/healthz" || path == "/readyz"
}

// identify finds out who makes the request and turns strangers away. The
// workspace reads the principal from the context and decides what that user can
// do; on a server without login everybody is the owner. A browser's cookie is
// renewed with its session, so that both expire together.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if anonymous(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		v := visitor{Principal: access.Operator}
		if s.sessions != nil {
			token, cookie := s.sessions.tokenOf(r)
			var expires time.Time
			var err error
			v, expires, err = s.sessions.visitor(r.Context(), token, true)
			switch {
			case err == nil && cookie:
				s.sessions.remember(w, token, expires)
			case err != nil && segment.KindOf(err) != segment.NotFound:
				s.answers.Problem(w, r, err)
				return
			}
		}
		ctx := access.At(access.With(r.Context(), v.Principal), s.address(r))
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

// person is what the pages know about the visitor.
func (s *Server) person(v visitor) templates.Person {
	p := templates.Person{MayAnnotate: v.Role.May(access.Annotate), MayManage: v.Role.May(access.Manage), MayCreate: v.Role.May(access.Administer)}
	if s.sessions != nil && v.Role != access.Nobody {
		p.Name, p.Role, p.MayManageUsers = v.Name, v.Role.String(), v.Role.May(access.Administer)
	}
	return p
}

// inProject returns a request whose pages are those of the visitor in a project.
func (s *Server) inProject(r *http.Request, projectID string) (*http.Request, error) {
	role, err := s.workspace.RoleIn(r.Context(), projectID)
	if err != nil {
		return nil, err
	}
	p := s.person(visitorOf(r.Context()))
	p.MayAnnotate, p.MayReview, p.MayManage = role.May(access.Annotate), role.May(access.Review), role.May(access.Manage)
	if p.Name != "" {
		p.Role = role.String()
	}
	return r.WithContext(templates.With(r.Context(), p)), nil
}

// turnAway sends people to the login page, which then returns them to where
// they were going, and tells programs to sign in.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request) {
	page := r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
	if !page {
		s.answers.Problem(w, r, errSignIn)
		return
	}
	to := "/login"
	if back := r.URL.RequestURI(); back != "/" {
		to += "?" + url.Values{"next": {back}}.Encode()
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// errSignIn answers requests that need a login.
var errSignIn = &problem.Refusal{
	Status: http.StatusUnauthorized,
	Detail: "Sign in first: people at /login, programs with the header \"Authorization: Bearer TOKEN\" and an API token from the page /account or a token from POST /api/v1/session. Sessions end after a while, and both end when the password changes.",
}

// local returns next when it is an address on this site, otherwise the start
// page: a link to the login page must not lead to another site.
func local(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) ||
		strings.HasPrefix(u.Path, "/login") {
		return "/"
	}
	return next
}

// address is the client's as far as it can be known: the connection's, or the
// one that a chain of trusted proxies reports.
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
// and host, or from a program other than a browser, which sends no origin.
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

// recheck checks whether the visitor of an open socket is still signed in with
// the same role, on the server and in the project: sessions end and other
// programs change users without a request.
func (s *Server) recheck(ctx context.Context, v visitor, project string, role access.Role, used bool) error {
	if s.sessions == nil {
		return nil
	}
	now, _, err := s.sessions.visitor(ctx, v.token, used)
	switch {
	case segment.KindOf(err) == segment.NotFound:
		return live.SignedOut
	case err != nil:
		s.log.Warn("session not checked", "error", err)
		return nil
	case now.Principal != v.Principal:
		return live.RoleChanged
	}
	switch now, err := s.workspace.RoleIn(ctx, project); {
	case segment.KindOf(err) == segment.NotFound:
		return live.Removed
	case err != nil:
		s.log.Warn("role not checked", "error", err)
	case now != role:
		return live.RoleChanged
	}
	return nil
}
