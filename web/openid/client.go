package openid

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	patience  = 10 * time.Second // for an answer of the provider
	maxAnswer = 1 << 20          // bytes
)

// newClient returns a client for talking to a provider: it waits for a bounded
// time, reads a bounded number of bytes, and takes secrets nowhere else. People
// sign in rarely, so no connection is kept.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	return &http.Client{
		Transport:     bounded{transport},
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded limits the answers to requests.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &boundedBody{resp.Body, maxAnswer}
	}
	return resp, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

var errLong = errors.New("the provider's answer is too long")

func (b *boundedBody) Read(to []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.ReadCloser.Read(to[:min(len(to), b.left)])
	b.left -= n
	return n, err
}
