package people

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

// open reports whether strangers can request a path, to sign in. All others,
// including future ones, need a login, unless they are anonymous.
func open(path string) bool {
	switch path {
	case "/login", "/login/openid", openid.CallbackPath, JoinPath, "/api/v1/session":
		return true
	}
	return false
}

// Public reports whether a path can be requested without signing in: open and
// anonymous ones.
func Public(path string) bool { return open(path) || Anonymous(path) }

// Anonymous reports whether a path has the same answer for everybody, so that
// the session need not be checked.
func Anonymous(path string) bool {
	return strings.HasPrefix(path, "/static/") || path == "/healthz" || path == "/readyz"
}

// Identify finds out who makes the request and turns strangers away. The
// workspace reads the principal from the context and decides what that user can
// do; on a server without login everybody is the owner. A browser's cookie is
// renewed with its session, so that both expire together.
func (p *People) Identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Anonymous(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		v := visitor{Principal: access.Operator}
		if p.sessions != nil {
			token, cookie := p.sessions.tokenOf(r)
			var left time.Duration
			var err error
			v, left, err = p.sessions.visitor(r.Context(), token, true)
			switch {
			case err == nil && cookie:
				p.sessions.remember(w, token, left)
			case err != nil && segment.KindOf(err) != segment.NotFound:
				p.answers.Problem(w, r, err)
				return
			}
		}
		ctx := access.At(access.With(r.Context(), v.Principal), p.address(r))
		ctx = context.WithValue(ctx, visitorKey{}, v)
		ctx = templates.With(ctx, p.person(v))
		r = r.WithContext(ctx)
		if v.Role == access.Nobody && !open(r.URL.Path) {
			p.turnAway(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// person is what the pages know about the visitor.
func (p *People) person(v visitor) templates.Person {
	out := templates.Person{MayAnnotate: v.Role.May(access.Annotate), MayManage: v.Role.May(access.Manage), MayCreate: v.Role.May(access.Administer)}
	if p.sessions != nil && v.Role != access.Nobody {
		out.Name, out.Role, out.MayManageUsers = v.Name, v.Role.String(), v.Role.May(access.Administer)
	}
	return out
}

// Person is what the pages know about the user who makes a request.
func (p *People) Person(r *http.Request) templates.Person { return p.person(visitorOf(r.Context())) }

// InProject returns a request whose pages are those of the visitor in a project.
func (p *People) InProject(r *http.Request, projectID string) (*http.Request, error) {
	role, err := p.workspace.RoleIn(r.Context(), projectID)
	if err != nil {
		return nil, err
	}
	there := p.Person(r)
	there.MayAnnotate, there.MayReview, there.MayManage = role.May(access.Annotate), role.May(access.Review), role.May(access.Manage)
	if there.Name != "" {
		there.Role = role.String()
	}
	return r.WithContext(templates.With(r.Context(), there)), nil
}

// Names returns the names of all users to admins, who need not remember them, and nothing
// to others.
func (p *People) Names(ctx context.Context) ([]string, error) {
	if p.sessions == nil || !access.May(ctx, access.Administer) {
		return nil, nil
	}
	users, err := p.sessions.accounts.List(ctx)
	var names []string
	for _, u := range users {
		names = append(names, u.Name)
	}
	return names, err
}

// turnAway sends people to the login page, which then returns them to where
// they were going, and tells programs to sign in.
func (p *People) turnAway(w http.ResponseWriter, r *http.Request) {
	page := r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
	if !page {
		p.answers.Problem(w, r, ErrSignIn)
		return
	}
	to := "/login"
	if back := r.URL.RequestURI(); back != "/" {
		to += "?" + url.Values{"next": {back}}.Encode()
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// ErrSignIn answers requests that need a login.
var ErrSignIn = &problem.Refusal{
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
func (p *People) address(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	a := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(p.proxies, func(p netip.Prefix) bool { return p.Contains(a) }) {
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

// AtSocket returns the user who makes a request as the visitor of a socket in a
// project, where they have a role.
func (p *People) AtSocket(ctx context.Context, project string, role access.Role) live.Visitor {
	v := visitorOf(ctx)
	return live.Visitor{
		Principal: v.Principal, Session: v.session, Project: project,
		Check: func(ctx context.Context, used bool) error { return p.recheck(ctx, v, project, role, used) },
	}
}

// recheck checks whether the visitor of an open socket is still signed in with
// the same role, on the server and in the project: sessions end and other
// programs change users without a request.
func (p *People) recheck(ctx context.Context, v visitor, project string, role access.Role, used bool) error {
	if p.sessions == nil {
		return nil
	}
	now, _, err := p.sessions.visitor(ctx, v.token, used)
	switch {
	case segment.KindOf(err) == segment.NotFound:
		return live.SignedOut
	case err != nil:
		p.log.Warn("session not checked", "error", err)
		return nil
	case now.Principal != v.Principal:
		return live.RoleChanged
	}
	switch now, err := p.workspace.RoleIn(ctx, project); {
	case segment.KindOf(err) == segment.NotFound:
		return live.Removed
	case err != nil:
		p.log.Warn("role not checked", "error", err)
	case now != role:
		return live.RoleChanged
	}
	return nil
}
