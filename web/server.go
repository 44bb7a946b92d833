// Package web serves Collie: the pages, the JSON interface under /api/v1 and
// the websocket of each image. It turns requests into calls of a
// [workspace.Workspace] and errors into answers, and leaves every decision
// about the domain to it. router.go is the table of all routes; package wire
// documents the interface for other programs, package live has the websockets.
package web

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"collie/segment/accounts"
	"collie/segment/archive"
	"collie/segment/audit"
	"collie/segment/export/jobs"
	"collie/segment/workspace"
	"collie/static"
	"collie/web/answers"
	"collie/web/live"
	"collie/web/people"
	"collie/web/scratch"
)

// Server answers all requests. Make it with New and close it to end the
// websockets, which http.Server doesn't track. Safe for concurrent use.
type Server struct {
	workspace *workspace.Workspace
	ready     func(context.Context) error
	log       *slog.Logger
	answers   *answers.Sender
	limits    Limits
	metrics   http.Handler
	scratch   *scratch.Space
	memory    *answers.Memory // for large answers
	shared    answers.Shared
	hub       *live.Hub
	exports   *jobs.Jobs
	fetched   sync.Map // the export that each user and token has fetched last
	handler   http.Handler
	people    *people.People
	stopping  atomic.Bool
	loopback  bool // answer only under this machine's names
	origin    string
}

// Config is what a Server needs.
type Config struct {
	Workspace *workspace.Workspace
	Ready     func(context.Context) error // reports whether the stores can be used
	Exports   *jobs.Jobs                  // of the same workspace; closed with the server
	Log       *slog.Logger
	Limits    Limits
	Metrics   http.Handler // answers /metrics
	Scratch   *os.Root     // a folder for files that live as long as a request; the caller closes it

	// Login makes people sign in. Without it everybody who reaches the server
	// can do everything, and it answers only under this machine's names unless
	// AnyName is set.
	Login   *people.Login
	AnyName bool

	// Origin is the scheme and host under which browsers reach the server, if
	// they differ from its own, for example behind a proxy.
	Origin string
	// HTTPS says that the server speaks TLS itself: cookies go over https only,
	// and browsers are told to keep using https.
	HTTPS bool

	// Proxies are trusted to name their client in X-Forwarded-For.
	Proxies []netip.Prefix
}

// Limits bound what a server accepts. The zero value of a field means its
// default.
type Limits struct {
	JSON      int64          // bytes of a body other than an upload
	Upload    int64          // bytes of one upload of many files
	Files     int            // files of one upload, including those in zip archives
	Zip       archive.Limits // of each zip archive in an upload
	Receiving int            // files of one user that are being received at once; others wait
	Queue     int            // files of one user that wait for it; others are refused
	Stall     time.Duration  // how long an upload or download waits for a stalled client
	SlowRate  int64          // bytes per second below which an upload is stopped, after Stall

	Socket  live.Limits            // of websockets
	Session accounts.SessionLimits // of signed-in users
}

// OrDefault returns l with zeros replaced by the defaults.
func (l Limits) OrDefault() Limits {
	l.JSON = cmp.Or(l.JSON, 4<<20) // enough for an event of 200,000 superpixels
	l.Upload = cmp.Or(l.Upload, 4<<30)
	l.Files = cmp.Or(l.Files, 10_000)
	l.Zip = l.Zip.OrDefault()
	l.Receiving = cmp.Or(l.Receiving, 8)
	l.Queue = cmp.Or(l.Queue, 32)
	l.Stall = cmp.Or(l.Stall, time.Minute)
	l.SlowRate = cmp.Or(l.SlowRate, 16<<10)
	l.Socket = l.Socket.OrDefault()
	l.Session = l.Session.OrDefault()
	return l
}

// New returns a server and makes its workspace check every caller's rights.
func New(c Config) *Server {
	limits := c.Limits.OrDefault()
	s := &Server{
		workspace: c.Workspace, ready: c.Ready, log: c.Log, answers: answers.New(c.Log), limits: limits, metrics: c.Metrics,
		scratch: scratch.New(c.Scratch, c.Log, limits.Receiving, limits.Queue),
		memory:  answers.NewMemory(), exports: c.Exports,
		loopback: c.Login == nil && !c.AnyName, origin: c.Origin,
	}
	s.hub = live.New(live.Config{Workspace: c.Workspace, Log: c.Log, Limits: limits.Socket, Explain: explain, Lend: s.memory.Lend})
	s.people = people.New(people.Config{
		Login: c.Login, Workspace: c.Workspace, Log: c.Log, Answers: s.answers, Decode: s.decodeBody, Expel: s.hub.Expel,
		Limits: limits.Session, HTTPS: c.HTTPS || strings.HasPrefix(c.Origin, "https://"), Origin: c.Origin, Proxies: c.Proxies,
	})
	if s.metrics == nil {
		s.metrics = http.NotFoundHandler()
	}
	c.Workspace.Guard()
	go static.Version() // the files of the pages are joined before somebody opens the first one
	s.handler = s.routes()
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Sockets returns the number of open websockets.
func (s *Server) Sockets() int { return s.hub.Sockets() }

// Recheck checks the sockets of a user now, because another server has changed
// something about the user.
func (s *Server) Recheck(user string) { s.hub.Recheck(user) }

// Reviewed tells the pages that have an image open that another server has given it
// a status by hand.
func (s *Server) Reviewed(imageID string) { s.hub.Reviewed(imageID) }

// Drain makes /readyz fail, so that a balancer sends people to other servers; all
// requests are still answered.
func (s *Server) Drain() { s.stopping.Store(true) }

// Close ends every websocket with close code 1012 (the service restarts), every
// running sequence and every export, and waits until their goroutines have
// ended. After that, new websockets are refused and /readyz fails; other
// requests are still answered.
func (s *Server) Close() {
	s.Drain()
	s.hub.Close()
	s.exports.Close()
}

// record writes what a request has done, and no store has noted, into the audit
// log. That has happened, so whoever asked is answered even if the disk is full.
func (s *Server) record(r *http.Request, action audit.Action, about, detail string) {
	if err := s.workspace.Record(context.WithoutCancel(r.Context()), action, about, detail); err != nil {
		s.log.Warn("not in the audit log", "action", string(action), "about", about, "error", err)
	}
}
