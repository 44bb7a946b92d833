package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"collie/segment"
	"collie/segment/reserve"
	"collie/web/problem"
	"collie/web/wire"
)

// Bodies up to smallBody bytes are read into memory; JSON that is decoded takes
// up to jsonExpansion times its length, its text included.
const (
	smallBody     = 64 << 10
	jsonExpansion = 10
)

// boundedBody is a body that can be read up to a limit, which its route sets,
// whatever length the body's header states. It reads nothing before a handler asks.
type boundedBody struct {
	io.ReadCloser
	answer http.ResponseWriter
	coding string // content encoding by the header
	stated int64  // length by the header, or -1
	limit  int64
	stall  time.Duration // for the answer when the body is too slow
	begun  bool
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		if b.coding != "" && !strings.EqualFold(b.coding, "identity") {
			return 0, segment.Errorf(segment.Unsupported, "The request body is compressed (Content-Encoding: %.40s); send it uncompressed. Nothing was changed.", b.coding)
		}
		if b.stated > b.limit {
			return 0, &http.MaxBytesError{Limit: b.limit}
		}
		b.ReadCloser = http.MaxBytesReader(b.answer, b.ReadCloser, b.limit)
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) { // so is the time to write the answer, just about
		extend(http.NewResponseController(b.answer).SetWriteDeadline, time.Now().Add(b.stall))
	}
	return n, err
}

// limitBody limits request bodies, by header and by reader, to the size of
// JSON. Routes that take more raise the limit; see uploads.
func (s *Server) limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = &boundedBody{ReadCloser: r.Body, answer: w, coding: r.Header.Get("Content-Encoding"), stated: r.ContentLength, limit: s.limits.JSON, stall: s.limits.Stall}
		next.ServeHTTP(w, r)
	})
}

// uploads is for routes that take files: it allows the size of an upload and
// the time that one takes.
func (s *Server) uploads(next http.Handler) http.Handler {
	patient := s.patient(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body.(*boundedBody).limit = s.limits.Upload
		patient.ServeHTTP(w, r)
	})
}

// decodeBody reads the JSON object in the body of r into v. Fields that v does
// not have are ignored, so that newer clients can talk to older servers. The
// memory that a large body takes is lent to the request until its end.
func (s *Server) decodeBody(r *http.Request, v any) error {
	b, err := s.readBody(r)
	if err != nil {
		return err
	}
	return wire.Decode(b, v)
}

// readBody returns the body of r. A body that is not small waits in a file until
// it has arrived and there is memory for it, also in the reserve: it may be an edit.
func (s *Server) readBody(r *http.Request) ([]byte, error) {
	start, err := io.ReadAll(io.LimitReader(r.Body, smallBody+1))
	if err != nil {
		return nil, brokenBody(err)
	}
	if len(start) <= smallBody {
		return start, nil
	}
	file, err := s.scratch.Open(reserve.Use(r.Context()))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size, err := file.Keep(io.MultiReader(bytes.NewReader(start), r.Body), s.limits.JSON)
	if err != nil {
		return nil, brokenBody(err)
	}
	give, err := s.workspace.Documents(r.Context(), jsonExpansion*size)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(r.Context(), give)
	b := make([]byte, size)
	_, err = file.ReadAt(b, 0)
	return b, err
}

// brokenBody says why a body can't be read.
func brokenBody(err error) error {
	if segment.KindOf(err) != 0 { // such as a full disk or an encoding
		return err
	}
	return problem.Unread(err, "The request body is incomplete. Nothing was changed.")
}
