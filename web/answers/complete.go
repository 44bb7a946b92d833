package answers

import (
	"context"
	"io"
	"net/http"

	"collie/segment"
)

// Complete is a handler that sends what produce makes; it sends nothing after produce
// has answered the request itself and returns nil. While the client takes the answer,
// nothing but the answer is held, and memory is lent for that.
func (s *Sender) Complete(m *Memory, contentType string, produce func(w http.ResponseWriter, r *http.Request) ([]byte, error)) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		body, give, err := m.keep(r.Context(), func() ([]byte, error) { return produce(w, r) })
		if err != nil || body == nil {
			return err
		}
		defer give()
		return s.Stream(w, contentType, func(to io.Writer) error { _, err := to.Write(body); return err })
	}
}

// keep returns an answer that produce makes, for which memory is lent until give is
// called. Only the answer says how large it is, so one that has to wait for memory is
// made again.
func (m *Memory) keep(ctx context.Context, produce func() ([]byte, error)) (body []byte, give func(), err error) {
	if body, err = produce(); err != nil {
		return nil, nil, err
	}
	size := int64(cap(body))
	if give, err = m.lend(ctx, size, 0); segment.KindOf(err) != segment.Busy {
		return body, give, err
	}
	body = nil // none is kept while the request waits
	if give, err = m.lend(ctx, size, patience); err != nil {
		return nil, nil, err
	}
	defer func() {
		if body == nil { // also when making it panics
			give()
		}
	}()
	body, err = produce()
	return body, give, err
}
