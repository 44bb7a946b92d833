package s3

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// stoodStill is the status of an answer that never came. No server uses it.
const stoodStill = 598

// patience is an http.RoundTripper that waits once for a server that stands still. The
// client library repeats a request after every error, so that people would wait
// several times as long; and so would all files of an upload, one after the other.
type patience struct {
	*http.Transport
	probe time.Duration // for an answer to ask whether the server is back
	still atomic.Bool   // it stood still when it was last heard of

	mu   sync.Mutex
	gone time.Time // when it last didn't answer a probe
}

// RoundTrip answers with stoodStill, which the client library doesn't repeat, in place
// of a server that doesn't answer in time.
func (p *patience) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.still.Load() && !p.isBack(r) {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return noAnswer(r, "the server has stood still for some time"), nil
	}
	answer, err := p.Transport.RoundTrip(r)
	if !late(err) || r.Context().Err() != nil {
		if err == nil {
			p.still.Store(false)
		}
		return answer, err
	}
	p.CloseIdleConnections() // they may stand still, too
	p.still.Store(true)
	return noAnswer(r, err.Error()), nil
}

// isBack asks a server that stood still something small. That it doesn't answer holds
// as long as it was given for it, so that many files are not many waits.
func (p *patience) isBack(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.still.Load() {
		return true
	}
	if time.Since(p.gone) < p.probe {
		return false
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.probe)
	defer cancel()
	root := &url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host, Path: "/"}
	answer, err := p.Transport.RoundTrip((&http.Request{Method: http.MethodHead, URL: root, Header: http.Header{}}).WithContext(ctx))
	if err == nil { // whatever it says
		_ = answer.Body.Close()
	}
	if r.Context().Err() != nil || ctx.Err() == nil && !late(err) {
		return true // who asks has left, or the request itself tells
	}
	p.gone = time.Now()
	return false
}

// late reports whether err says that there was no answer in time.
func late(err error) bool {
	timeout := net.Error(nil)
	return errors.As(err, &timeout) && timeout.Timeout()
}

func noAnswer(r *http.Request, why string) *http.Response {
	return &http.Response{Status: why, StatusCode: stoodStill, Header: http.Header{}, Body: http.NoBody, Request: r}
}

// steady is a connection to a server that may be slow but not stand still: a read or
// a write fails when nothing has passed for a while.
type steady struct {
	net.Conn
	within time.Duration
	late   atomic.Bool // it has failed so
}

// Read also waits while a request is being sent; Write then allows it more time.
func (s *steady) Read(b []byte) (int, error) {
	if err := s.SetReadDeadline(time.Now().Add(s.within)); err != nil {
		return 0, s.cause(err)
	}
	n, err := s.Conn.Read(b)
	return n, s.cause(err)
}

// Write sends b in pieces, because a large one can take long.
func (s *steady) Write(b []byte) (sent int, err error) {
	for len(b) > 0 && err == nil {
		if err = s.SetDeadline(time.Now().Add(s.within)); err == nil {
			var n int
			n, err = s.Conn.Write(b[:min(len(b), 64<<10)])
			b, sent = b[n:], sent+n
		}
	}
	return sent, s.cause(err)
}

// cause is why a connection failed. The client closes one whose read came too late
// while it still sends, and then hears only that the connection is closed.
func (s *steady) cause(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.late.Store(true)
	case errors.Is(err, net.ErrClosed) && s.late.Load():
		return os.ErrDeadlineExceeded
	}
	return err
}

// steadyDialer connects to servers, which get so much time to go on.
func steadyDialer(within time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: connectWithin, KeepAlive: 30 * time.Second}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &steady{Conn: conn, within: within}, nil
	}
}
