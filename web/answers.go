package web

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode"

	"github.com/go-chi/chi/v5"

	"collie/templates"
	"collie/web/problem"
)

// sendJSON answers with v.
func (s *Server) sendJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(append(b, '\n')); err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
	return nil
}

// stream sends what write produces. An error before the first byte is answered
// as a problem; a later one cuts the connection, so that an incomplete file
// doesn't look complete.
func (s *Server) stream(w http.ResponseWriter, contentType string, write func(io.Writer) error) error {
	out := &firstWrite{w: w, before: func() { w.Header().Set("Content-Type", contentType) }}
	err := write(out)
	if err != nil && out.before == nil {
		s.log.Warn("stream ended early", "error", err)
		panic(http.ErrAbortHandler)
	}
	return err
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

// attachment makes a Content-Disposition with the given file name, made safe
// for every file system.
func attachment(name string) string {
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

// explain returns the text of an error for a socket's client, and whether the
// server is to blame.
func explain(err error) (detail string, ours bool) {
	p := problem.Of(err)
	return p.Detail, p.Status >= http.StatusInternalServerError
}

// answerJSON answers a failed call of the JSON interface.
func (s *Server) answerJSON(w http.ResponseWriter, r *http.Request, err error) {
	p := s.failed(w, r, err)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	if err := json.NewEncoder(w).Encode(p); err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
}

// answerPage answers a failed request for a page.
func (s *Server) answerPage(w http.ResponseWriter, r *http.Request, err error) {
	p := s.failed(w, r, err)
	s.render(w, r, p.Status, templates.Problem(templates.ProblemView{Status: p.Status, Title: p.Title, Detail: p.Detail}))
}

// failed prepares the answer to a failed request and logs server errors.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) problem.Problem {
	p := problem.Of(err)
	if scope := visitorOf(r.Context()).Scope; scope != "" && p.Status == http.StatusNotFound {
		p.Detail += fmt.Sprintf(" The request was made with an API token of scope %s.", scope)
	}
	if p.Status >= 500 && r.Context().Err() == nil {
		s.log.Error("request failed", "method", r.Method, "path", r.URL.Path, "status", p.Status, "error", err)
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

// answer sends a problem as JSON or as a page, whichever the request expects.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, err error) {
	if strings.HasPrefix(r.URL.Path, "/api/") || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.answerJSON(w, r, err)
		return
	}
	s.answerPage(w, r, err)
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.answer(w, r, &problem.Refusal{Status: http.StatusNotFound, Detail: "This page doesn't exist or is in the trash. API calls are listed at /api."})
}

// methodNotAllowed answers 405 with the methods that the address accepts.
func (s *Server) methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if routes.Match(chi.NewRouteContext(), m, r.URL.Path) {
				allowed = append(allowed, m)
			}
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.answer(w, r, &problem.Refusal{Status: http.StatusMethodNotAllowed, Detail: fmt.Sprintf("%s is not possible at this address; use %s.", r.Method, strings.Join(allowed, ", "))})
	}
}
