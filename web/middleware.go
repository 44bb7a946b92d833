package web

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/gorilla/websocket"

	"collie/web/answers"
	"collie/web/panics"
	"collie/web/problem"
)

// contentSecurityPolicy allows what the pages need: their own modules, styles
// and calls, and pictures that a script has made (blob:, data:). The default is for what
// pages fetch ahead, which has no directive of its own in Firefox.
const contentSecurityPolicy = "default-src 'self'; object-src 'none'; frame-src 'none'; media-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
	"font-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secure sets the security headers of every answer.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if r.TLS != nil && !Loopback(r.Host) { // other programs on localhost may speak plain HTTP
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// loopbackHost refuses requests for host names other than this machine's on a
// server without login. Otherwise a site could point its own name at 127.0.0.1
// and read everything as its own origin (DNS rebinding). With a login it can't:
// cookies belong to a host name. Whether the server is ready is no secret, and
// balancers ask that under any name or none.
func (s *Server) loopbackHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.loopback && !Loopback(r.Host) && r.URL.Path != "/healthz" && r.URL.Path != "/readyz" {
			s.answers.Problem(w, r, &problem.Refusal{Status: http.StatusMisdirectedRequest, Detail: "Without a login, this server answers only as localhost, 127.0.0.1 or [::1]."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Loopback reports whether address, a host with or without a port, is this
// machine and nothing else.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// sameOrigin refuses unsafe requests that another site's page makes.
func (s *Server) sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if s.origin != "" {
		if err := protection.AddTrustedOrigin(s.origin); err != nil {
			panic("web: Config.Origin: " + err.Error())
		}
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.answers.Problem(w, r, &problem.Refusal{Status: http.StatusForbidden, Detail: "The request came from a page of another site. Nothing was changed."})
	}))
	return protection.Handler(next)
}

// logRequests writes one line per request, without its query, its body and users' names. Those of health
// checks that succeed, one a second from each balancer, are for debugging only.
func (s *Server) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			status, level := ww.Status(), slog.LevelInfo
			switch {
			case status == http.StatusOK && (r.URL.Path == "/healthz" || r.URL.Path == "/readyz"):
				level = slog.LevelDebug
			case status == 0 && websocket.IsWebSocketUpgrade(r): // which the socket wrote itself
				status = http.StatusSwitchingProtocols
			}
			s.log.Log(r.Context(), level, "request", "method", r.Method, "path", answers.Path(r), "status", status,
				"bytes", ww.BytesWritten(), "ms", time.Since(start).Milliseconds())
		}()
		next.ServeHTTP(ww, r)
	})
}

// recoverPanics answers 500 when a handler panics.
func (s *Server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler {
				panic(v)
			}
			panics.Log(s.log, r.Method+" "+answers.Path(r), v)
			if ww, ok := w.(middleware.WrapResponseWriter); ok && ww.Status() != 0 {
				panic(http.ErrAbortHandler) // too late for an answer: cut the connection
			}
			s.answers.Problem(w, r, errors.New("panic"))
		}()
		next.ServeHTTP(w, r)
	})
}

// patient is for routes that transfer or compute a lot. It replaces the
// server's time limit for the whole request with one for each read and each
// write, and one for all reads together that grows with the bytes received.
func (s *Server) patient(next http.Handler) http.Handler {
	stall := s.limits.Stall
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		p := &patientWriter{ResponseWriter: w, control: control, pace: pace{stall: stall, rate: s.limits.SlowRate}}
		extend(control.SetReadDeadline, time.Time{})
		extend(control.SetWriteDeadline, time.Time{})
		body := &patientReader{ReadCloser: r.Body, control: control, pace: pace{stall: stall, rate: s.limits.SlowRate}}
		r.Body = body
		next.ServeHTTP(p, r)
		// net/http reads the rest of a body before it writes the answer.
		end := time.Now()
		if !body.failed {
			end = end.Add(stall)
		}
		extend(control.SetReadDeadline, end)
		extend(control.SetWriteDeadline, end.Add(stall))
	})
}

// errTooSlow is the error of a body that is not waited for any longer.
var errTooSlow = errors.New("the body is too slow")

// pace is how long a body or an answer may take: each piece at most a stall, and all
// of it, beyond one, no longer than at the lowest rate.
type pace struct {
	stall  time.Duration
	rate   int64         // bytes per second
	moved  int64         // bytes
	waited time.Duration // for these bytes
}

// deadline is that of a piece that begins now.
func (p *pace) deadline(now time.Time) time.Time {
	allowed := p.stall + time.Duration(float64(p.moved)/float64(p.rate)*float64(time.Second))
	return now.Add(min(p.stall, allowed-p.waited))
}

// count adds a piece of n bytes.
func (p *pace) count(n int, began time.Time) {
	p.moved += int64(n)
	p.waited += time.Since(began)
}

type patientReader struct {
	io.ReadCloser
	control *http.ResponseController
	pace
	failed bool // it broke off or was too slow
}

func (p *patientReader) Read(b []byte) (int, error) {
	began := time.Now()
	extend(p.control.SetReadDeadline, p.deadline(began))
	n, err := p.ReadCloser.Read(b)
	p.count(n, began)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errTooSlow
	}
	if err != nil {
		// The handler can take its time from here; net/http would take a
		// deadline that passes meanwhile for the client leaving.
		p.failed = !errors.Is(err, io.EOF)
		extend(p.control.SetReadDeadline, time.Time{})
	}
	return n, err
}

// patientPiece is how many bytes a client has a stall's time to take.
const patientPiece = 64 << 10

// patientWriter gives a client time to take the answer piece by piece, so that one of
// many megabytes can take long. Large ones are kept in memory, so it doesn't wait for
// ever for a client that only goes on.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	pace
}

func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *patientWriter) Write(b []byte) (n int, err error) {
	for piece := range slices.Chunk(b, patientPiece) {
		began := time.Now()
		extend(p.control.SetWriteDeadline, p.deadline(began))
		m, err := p.ResponseWriter.Write(piece)
		p.count(m, began)
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// extend sets a deadline if the connection supports it; test recorders don't,
// and a closed connection fails at the next read or write.
func extend(set func(time.Time) error, t time.Time) { _ = set(t) }
