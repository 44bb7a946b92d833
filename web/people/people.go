// Package people knows who makes a request, and has the pages and calls that are
// about people: signing in, users, API tokens and the audit log.
package people

import (
	"log/slog"
	"net/http"
	"net/netip"

	"collie/segment/accounts"
	"collie/segment/workspace"
	"collie/web/answers"
	"collie/web/live"
	"collie/web/openid"
)

// People identifies users and serves the pages and calls about them. Make it with
// New. Safe for concurrent use.
type People struct {
	workspace *workspace.Workspace
	log       *slog.Logger
	answers   *answers.Sender
	decode    func(r *http.Request, v any) error
	expel     func(why *live.Farewell, who func(live.Visitor) bool)
	sessions  *sessions        // nil without login
	openID    *openid.Provider // nil without one
	proxies   []netip.Prefix
	origin    string // see Config
}

// Config is what People need.
type Config struct {
	Login     *Login // nil when everybody can do everything
	Workspace *workspace.Workspace
	Log       *slog.Logger
	Answers   *answers.Sender
	Decode    func(r *http.Request, v any) error                    // reads a JSON body
	Expel     func(why *live.Farewell, who func(live.Visitor) bool) // closes sockets
	Limits    accounts.SessionLimits
	HTTPS     bool           // browsers reach the server over https
	Origin    string         // scheme and host under which they do; empty if it isn't known
	Proxies   []netip.Prefix // trusted to name their client in X-Forwarded-For
}

// Login is what a server with login needs.
type Login struct {
	Accounts *accounts.Accounts
	Sessions accounts.SessionStore
	OpenID   *openid.Provider // where people can sign in, too; nil without one
}

// New returns the People of a server.
func New(c Config) *People {
	p := &People{workspace: c.Workspace, log: c.Log, answers: c.Answers, decode: c.Decode, expel: c.Expel, proxies: c.Proxies, origin: c.Origin}
	if c.Login != nil {
		p.openID = c.Login.OpenID
		p.sessions = &sessions{
			Sessions: accounts.NewSessions(c.Login.Sessions, c.Login.Accounts, c.Limits, c.Log),
			accounts: c.Login.Accounts, secure: c.HTTPS,
		}
	}
	return p
}
