package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/workspace"
	"collie/templates"
	"collie/web/wire"
)

// problem is the body of every answer to a request that failed (RFC 9457).
type problem struct {
	Type   string           `json:"type" schema:"format=uri-reference"`
	Title  string           `json:"title"`
	Status int              `json:"status"`
	Detail string           `json:"detail" doc:"what was wrong, what is accepted and what happened to the data, in words for people"`
	Seq    *int             `json:"seq,omitempty" doc:"with 409: the current number of events"`
	Files  []failedFileJSON `json:"files,omitempty" doc:"of an upload that was refused as a whole"`

	InUse map[uint8]int `json:"in_use,omitempty" doc:"with 409 to an edit of classes: how many images use each class that needs a remap, by class id"`

	Project *wire.Project `json:"project,omitempty" doc:"with 409: the current project, when the edit was based on an outdated list of classes"`
}

// requestError is a failure of the transport rather than the domain.
type requestError struct {
	status int
	detail string
}

func (e *requestError) Error() string { return e.detail }

// laterError is a failure that ends after a known time.
type laterError struct {
	wait time.Duration
	err  error
}

func (e *laterError) Error() string { return e.err.Error() }

func (e *laterError) Unwrap() error { return e.err }

// badRequest is the error for a request or body that can't be understood.
func badRequest(format string, args ...any) error {
	return &requestError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// invalid is the error for an invalid value in a request.
func invalid(format string, args ...any) error {
	return segment.Errorf(segment.Invalid, format, args...)
}

// statuses gives each kind of domain error its HTTP status.
var statuses = map[segment.Kind]int{
	segment.Invalid:     http.StatusUnprocessableEntity,
	segment.NotFound:    http.StatusNotFound,
	segment.Conflict:    http.StatusConflict,
	segment.TooLarge:    http.StatusRequestEntityTooLarge,
	segment.Unsupported: http.StatusUnsupportedMediaType,
	segment.Unreadable:  http.StatusUnprocessableEntity,
	segment.Busy:        http.StatusTooManyRequests,
	segment.Unavailable: http.StatusServiceUnavailable,
	segment.Full:        http.StatusInsufficientStorage,
	segment.Damaged:     http.StatusInternalServerError,
}

// problemKind is what /api says about the problems of one status.
type problemKind struct {
	Status         int
	Title, Meaning string
}

// problemKinds are all kinds of problems, by status.
var problemKinds = []problemKind{
	{http.StatusBadRequest, "The request could not be understood", "The body is not JSON, is incomplete, or has the wrong form for this call."},
	{http.StatusUnauthorized, "Sign in first", "The server needs a login, and the request has no valid session."},
	{http.StatusForbidden, "Not allowed from there", "Changes and websockets are accepted only from Collie's own pages and from programs other than browsers; some calls need a session and can't be made with an API token."},
	{http.StatusNotFound, "Not found", "It doesn't exist, is in the trash, or your role can't access it."},
	{http.StatusMethodNotAllowed, "Method not allowed", "The address accepts the methods in the Allow header."},
	{http.StatusConflict, "The state has moved on", "The event was made for an older state (seq is the present one), the edit for an older list of classes (project has the present one), or labels still use a deleted class. Nothing was changed."},
	{http.StatusRequestEntityTooLarge, "Too large", "Over a limit; the detail says which."},
	{http.StatusUnsupportedMediaType, "Unsupported format", "The detail lists the supported formats."},
	{http.StatusMisdirectedRequest, "This server is not known by that name", "Without a login the server answers only as localhost."},
	{http.StatusUnprocessableEntity, "The request has a mistake", "The detail names the invalid value, or what is wrong with the file."},
	{http.StatusTooManyRequests, "Too much at once", "Try again after the time in Retry-After."},
	{http.StatusInternalServerError, "Something went wrong here", "A bug, or a damaged file in the data folder; the detail says which, and the log has more."},
	{http.StatusServiceUnavailable, "Not available right now", "The store can't write, or the server is stopping. Nothing was changed."},
	{http.StatusInsufficientStorage, "The disk is full", "Nothing was changed; reading still works."},
}

// Anchor is the fragment of /api that explains the problem.
func (k problemKind) Anchor() string {
	return "problem-" + strings.ToLower(strings.ReplaceAll(http.StatusText(k.Status), " ", "-"))
}

// kindOf finds a status among the kinds; every status that is sent is there.
func kindOf(status int) problemKind {
	i := slices.IndexFunc(problemKinds, func(k problemKind) bool { return k.Status == status })
	return problemKinds[i]
}

// problemOf turns any error into a problem for the client. Errors that are not
// meant for people become a plain 500; their text goes to the log only.
func problemOf(err error) problem {
	p := problem{Status: http.StatusInternalServerError, Detail: "Something unexpected went wrong. Your saved work is safe. The server's log has the details."}
	var domain *segment.Error
	var request *requestError
	var malformed *wire.Malformed
	var tooLong *http.MaxBytesError
	var upload *uploadError
	var inUse *workspace.ClassesInUse
	var moved *segment.ClassesMovedOn
	switch {
	case errors.As(err, &upload):
		p = problemOf(upload.first)
		p.Files = upload.files
		return p
	case errors.As(err, &domain):
		p.Status, p.Detail = statuses[domain.Kind], domain.Detail
		switch {
		case errors.As(err, &inUse):
			p.InUse = inUse.Images
		case errors.As(err, &moved):
			present := wire.ProjectOf(moved.Project)
			p.Project = &present
		case domain.Kind == segment.Conflict:
			p.Seq = &domain.Seq
		}
	case errors.As(err, &request):
		p.Status, p.Detail = request.status, request.detail
	case errors.As(err, &malformed):
		p.Status, p.Detail = http.StatusBadRequest, malformed.Detail
	case errors.As(err, &tooLong):
		p.Status, p.Detail = http.StatusRequestEntityTooLarge, fmt.Sprintf("The request is larger than %s, which is the limit here. Nothing was changed.", bytesText(tooLong.Limit))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		p.Status, p.Detail = http.StatusServiceUnavailable, "The request was cancelled before it was answered."
	}
	kind := kindOf(p.Status)
	p.Title, p.Type = kind.Title, "/api#"+kind.Anchor()
	return p
}

// explain returns the text of an error for a socket's client, and whether the
// server is to blame.
func explain(err error) (detail string, ours bool) {
	p := problemOf(err)
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
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) problem {
	p := problemOf(err)
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
		w.Header().Set("Retry-After", retryAfter(err))
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	return p
}

// retryAfter is in how many seconds to try again.
func retryAfter(err error) string {
	var later *laterError
	if errors.As(err, &later) {
		return strconv.Itoa(int((later.wait + time.Second - 1) / time.Second))
	}
	return "2"
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
	s.answer(w, r, &requestError{http.StatusNotFound, "This page doesn't exist or is in the trash. API calls are listed at /api."})
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
		s.answer(w, r, &requestError{http.StatusMethodNotAllowed, fmt.Sprintf("%s is not possible at this address; use %s.", r.Method, strings.Join(allowed, ", "))})
	}
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
