// Package answers sends what the server answers: JSON, pages, files, and problems
// for the errors of handlers. It lends memory for large answers, and shares those
// that never change among clients.
package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"collie/segment/access"
	"collie/templates"
	"collie/web/problem"
)

// Sender sends answers and logs what goes wrong. Make it with New.
type Sender struct {
	log  *slog.Logger
	away outage
}

// New returns a Sender that logs to log.
func New(log *slog.Logger) *Sender { return &Sender{log: log} }

// Handler is a request handler that leaves errors to the one error mapper.
type Handler func(w http.ResponseWriter, r *http.Request) error

// API answers errors of h as application/problem+json.
func (s *Sender) API(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.jsonProblem(w, r, err)
		}
	}
}

// Page answers errors of h with the problem page.
func (s *Sender) Page(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.pageProblem(w, r, err)
		}
	}
}

// JSON answers with v.
func (s *Sender) JSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.Bytes(w, status, "application/json", append(b, '\n'))
	return nil
}

// Bytes answers with the given content.
func (s *Sender) Bytes(w http.ResponseWriter, status int, contentType string, content []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	if _, err := w.Write(content); err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
}

// HTML sends a page. It renders into memory first, so that a failure doesn't
// send half a page. A client that leaves meanwhile is no failure.
func (s *Sender) HTML(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var b bytes.Buffer
	if err := page.Render(context.WithoutCancel(r.Context()), &b); err != nil {
		s.log.Error("page not rendered", "path", Path(r), "error", err)
		http.Error(w, problem.KindOf(http.StatusInternalServerError).Title, http.StatusInternalServerError)
		return
	}
	s.Bytes(w, status, "text/html; charset=utf-8", b.Bytes())
}

// Stream sends what write produces. An error before the first byte is answered
// as a problem; a later one cuts the connection, so that an incomplete file
// doesn't look complete.
func (s *Sender) Stream(w http.ResponseWriter, contentType string, write func(io.Writer) error) error {
	out := &firstWrite{w: w, before: func() { w.Header().Set("Content-Type", contentType) }}
	err := write(out)
	if err != nil && out.before == nil {
		s.log.Warn("stream ended early", "error", err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// Content sends a file like http.ServeContent, which finds its type unless a
// header has it. A range outside the file, and a condition that it doesn't meet,
// are problems like any other.
func (s *Sender) Content(w http.ResponseWriter, r *http.Request, modified time.Time, content io.ReadSeeker) error {
	size, err := content.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	out := &contentWriter{ResponseWriter: w, size: size}
	http.ServeContent(out, r, "", modified, content)
	switch out.refused {
	case 0:
		return nil
	case http.StatusPreconditionFailed:
		return &problem.Refusal{
			Status: http.StatusPreconditionFailed,
			Detail: "The file isn't the one that the header If-Match or If-Unmodified-Since asks for. Leave the header out to get the file as it is.",
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return &problem.Refusal{
			Status: http.StatusRequestedRangeNotSatisfiable,
			Detail: fmt.Sprintf("The header Range is %.40q, but the file has %d bytes. Send bytes=FIRST-LAST with numbers from 0 to %d, or leave the header out for the whole file.", r.Header.Get("Range"), size, max(0, size-1)),
		}
	}
	return fmt.Errorf("a file could not be sent: %s", out.said)
}

// contentWriter keeps the failures of http.ServeContent, which are plain text or
// nothing, from the client, and adds the size of a whole file, which that leaves out of
// packed ones.
type contentWriter struct {
	http.ResponseWriter
	size    int64
	refused int // status of the failure, or 0
	said    []byte
}

func (w *contentWriter) WriteHeader(status int) {
	switch {
	case status >= 400:
		w.refused = status
		return
	case status == http.StatusOK:
		w.Header().Set("Content-Length", strconv.FormatInt(w.size, 10))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *contentWriter) Write(b []byte) (int, error) {
	if w.refused != 0 {
		w.said = append(w.said, b...)
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

type firstWrite struct {
	w      io.Writer
	before func() // nil once the first byte is sent
}

func (f *firstWrite) Write(b []byte) (int, error) {
	if f.before != nil {
		f.before()
		f.before = nil
	}
	return f.w.Write(b)
}

// Attachment makes a Content-Disposition with the given file name, made safe
// for every file system.
func Attachment(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '-'
		}
		return c
	}, name)
	name = strings.TrimLeft(name, ". ")
	if name == "" {
		name = "image"
	}
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// jsonProblem answers a failed call of the JSON interface.
func (s *Sender) jsonProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := s.Failed(w, r, err)
	b, _ := json.Marshal(p) // which holds nothing but lists, maps, texts and numbers
	s.Bytes(w, p.Status, "application/problem+json", append(b, '\n'))
}

// pageProblem answers a failed request for a page.
func (s *Sender) pageProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := s.Failed(w, r, err)
	v := templates.ProblemView{Status: p.Status, Title: p.Title, Detail: p.Detail}
	if p.Title == problem.NotAllowed {
		v.Status = 0 // a page of that name exists
	}
	s.HTML(w, r, p.Status, templates.Problem(v))
}

// Failed prepares the answer to a failed request and logs server errors; a refusal is
// none.
func (s *Sender) Failed(w http.ResponseWriter, r *http.Request, err error) problem.Problem {
	p := problem.Of(err)
	if who, _ := access.From(r.Context()); who.Scope != "" && p.Status == http.StatusNotFound {
		p.Detail += fmt.Sprintf(" The request was made with an API token of scope %s.", who.Scope)
	}
	if refusal := (*problem.Refusal)(nil); p.Status >= 500 && r.Context().Err() == nil && !errors.As(err, &refusal) {
		s.logFailure(r, p, err)
	}
	for _, h := range []string{"Content-Disposition", "Content-Encoding", "Content-Length", "ETag", "Last-Modified"} {
		w.Header().Del(h)
	}
	w.Header().Set("Cache-Control", "no-store")
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", problem.RetryAfter(err))
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	return p
}

// logFailure logs a server error. Of those while something is away it logs one now and
// then; the log of requests has them all.
func (s *Sender) logFailure(r *http.Request, p problem.Problem, err error) {
	log := s.log
	if p.Status == http.StatusServiceUnavailable {
		unlogged, say := s.away.fails(p.Detail)
		if !say {
			return
		}
		if unlogged > 0 {
			log = log.With("unlogged", unlogged)
		}
	}
	log.Error("request failed", "method", r.Method, "path", Path(r), "status", p.Status, "error", err)
}

// Path is the path of a request as logs have it, without the name of the user that it is
// about, which can be an address of e-mail.
func Path(r *http.Request) string {
	if user := chi.URLParam(r, "user"); user != "" {
		return strings.TrimSuffix(r.URL.Path, user) + "{user}"
	}
	return r.URL.Path
}

// Problem sends a problem as JSON or as a page, whichever the request expects.
func (s *Sender) Problem(w http.ResponseWriter, r *http.Request, err error) {
	if strings.HasPrefix(r.URL.Path, "/api/") || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.jsonProblem(w, r, err)
		return
	}
	s.pageProblem(w, r, err)
}
