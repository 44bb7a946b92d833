package s3

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// stoodStill is the status of an answer that never came. No server uses it.
const stoodStill = 598

// patience is an http.RoundTripper that waits once for a server that stands still. The
// client library repeats a request after every error, so that people would wait
// several times as long.
type patience struct{ *http.Transport }

// RoundTrip answers with stoodStill, which the client library doesn't repeat, in place
// of a server that didn't answer in time.
func (p patience) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := p.Transport.RoundTrip(r)
	if late := net.Error(nil); !errors.As(err, &late) || !late.Timeout() || r.Context().Err() != nil {
		return answer, err
	}
	p.CloseIdleConnections() // they may stand still, too
	return &http.Response{Status: err.Error(), StatusCode: stoodStill, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// steady is a connection to a server that may be slow but not stand still: a read or
// a write fails when nothing has passed for a while.
type steady struct {
	net.Conn
	within time.Duration
}

// Read also waits while a request is being sent; Write then allows it more time.
func (s steady) Read(b []byte) (int, error) {
	if err := s.SetReadDeadline(time.Now().Add(s.within)); err != nil {
		return 0, err
	}
	return s.Conn.Read(b)
}

// Write sends b in pieces, because a large one can take long.
func (s steady) Write(b []byte) (sent int, err error) {
	for len(b) > 0 && err == nil {
		if err = s.SetDeadline(time.Now().Add(s.within)); err == nil {
			var n int
			n, err = s.Conn.Write(b[:min(len(b), 64<<10)])
			b, sent = b[n:], sent+n
		}
	}
	return sent, err
}

// steadyDialer connects to servers, which get so much time to go on.
func steadyDialer(within time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: connectWithin, KeepAlive: 30 * time.Second}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return steady{conn, within}, nil
	}
}
