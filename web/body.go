package web

import (
	"io"
	"net/http"
)

// boundedBody is a body that can be read up to a limit, which its route sets:
// what a body says of itself counts for nothing. Nothing of it is read before a
// handler asks.
type boundedBody struct {
	io.ReadCloser
	answer http.ResponseWriter
	stated int64 // length by the header, or -1
	limit  int64
	begun  bool
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		if b.stated > b.limit {
			return 0, &http.MaxBytesError{Limit: b.limit}
		}
		b.ReadCloser = http.MaxBytesReader(b.answer, b.ReadCloser, b.limit)
	}
	return b.ReadCloser.Read(p)
}

// limitBody bounds what a request can send, by header and by reader, to the
// limit of JSON. Routes that take more say so; see uploads.
func (s *Server) limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = &boundedBody{ReadCloser: r.Body, answer: w, stated: r.ContentLength, limit: s.limits.JSON}
		next.ServeHTTP(w, r)
	})
}

// uploads is for routes that take files: their body can have the size of an
// upload and the time that one takes.
func (s *Server) uploads(next http.Handler) http.Handler {
	patient := s.patient(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body.(*boundedBody).limit = s.limits.Upload
		patient.ServeHTTP(w, r)
	})
}
