// Package problem is how calls fail: it turns any error into a problem (RFC 9457)
// with a status, and a text for people.
package problem

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"collie/segment"
	"collie/segment/workspace"
	"collie/web/wire"
)

// Problem is the body of every answer to a request that failed (RFC 9457).
type Problem struct {
	Type   string `json:"type" schema:"format=uri-reference"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail" doc:"what was wrong, what is accepted and what happened to the data, in words for people"`
	Seq    *int   `json:"seq,omitempty" doc:"with 409 to an edit of evidence: the current number of events"`
	Files  []File `json:"files,omitempty" doc:"of an upload that was refused as a whole"`

	InUse map[uint8]int `json:"in_use,omitempty" doc:"with 409 to an edit of classes: how many images use each class that needs a remap, by class id"`

	Project *wire.Project `json:"project,omitempty" doc:"with 409: the current project, when the edit was based on an outdated list of classes"`
}

// Refusal is a failure of the transport rather than the domain.
type Refusal struct {
	Status int
	Detail string
}

func (e *Refusal) Error() string { return e.Detail }

// Later is a failure that ends after a known time.
type Later struct {
	Wait time.Duration
	Err  error
}

func (e *Later) Error() string { return e.Err.Error() }

func (e *Later) Unwrap() error { return e.Err }

// BadRequest is the error for a request or body that can't be understood.
func BadRequest(format string, args ...any) error {
	return &Refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// Unread is the error for a body that could not be read because of err: too long, too
// slow or, in the words of incomplete, cut off.
func Unread(err error, incomplete string) error {
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Refusal{http.StatusRequestTimeout, "The request took too long to arrive. Nothing was changed; send it again."}
	}
	return &Refusal{http.StatusBadRequest, incomplete}
}

// Invalid is the error for an invalid value in a request.
func Invalid(format string, args ...any) error {
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

// NotAllowed is the title of a problem about the caller's role.
const NotAllowed = "Not allowed"

// Kind is what /api says about the problems of one status.
type Kind struct {
	Status         int
	Title, Meaning string
}

// Kinds are all kinds of problems, by status.
var Kinds = []Kind{
	{http.StatusBadRequest, "The request could not be understood", "The body is not JSON, is incomplete, or has the wrong form for this call."},
	{http.StatusUnauthorized, "Sign in first", "The server needs a login, and the request has no valid session."},
	{http.StatusForbidden, "Not allowed from there", "Changes and websockets are accepted only from Collie's own pages and from programs other than browsers; some calls need a session and can't be made with an API token."},
	{http.StatusNotFound, "Not found", "It doesn't exist, is in the trash, or your role can't access it. Where your role lets you see it, the title is \"" + NotAllowed + "\"."},
	{http.StatusMethodNotAllowed, "Method not allowed", "The address accepts the methods in the Allow header."},
	{http.StatusRequestTimeout, "Too slow", "The body didn't arrive in the time for a request. Nothing was changed."},
	{http.StatusConflict, "This doesn't fit the current state", "The event was made for an older state (seq is the current one), the edit for an older list of classes (project has the current one), labels still use a deleted class, a name is taken, or a project would lose its only owner. Nothing was changed."},
	{http.StatusPreconditionFailed, "Another file", "The file isn't the one that the header If-Match or If-Unmodified-Since asks for."},
	{http.StatusRequestEntityTooLarge, "Too large", "Over a limit; the detail says which."},
	{http.StatusUnsupportedMediaType, "Unsupported format", "The detail lists the supported formats, or the body is compressed, which is not supported."},
	{http.StatusRequestedRangeNotSatisfiable, "Outside the file", "The header Range asks for bytes that the file doesn't have, or can't be read; Content-Range has the file's size."},
	{http.StatusMisdirectedRequest, "This server is not known by that name", "Without a login the server answers only as localhost."},
	{http.StatusUnprocessableEntity, "Not accepted", "The detail names the invalid value, or what is wrong with the file."},
	{http.StatusTooManyRequests, "Too much at once", "Try again after the time in Retry-After."},
	{http.StatusInternalServerError, "Something went wrong here", "A bug, or a damaged file in the data folder; the detail says which, and the log has more."},
	{http.StatusServiceUnavailable, "Not available right now", "The store can't write, or the server is stopping. Nothing was changed."},
	{http.StatusInsufficientStorage, "Not enough disk space", "Nothing was changed; reading still works. On a disk that is nearly full, uploads, imports and exports are refused, and edits are still saved."},
}

// Anchor is the fragment of /api that explains the problem.
func (k Kind) Anchor() string {
	return "problem-" + strings.ToLower(strings.ReplaceAll(http.StatusText(k.Status), " ", "-"))
}

// KindOf finds a status among the kinds; every status that is sent is there.
func KindOf(status int) Kind {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Status == status })
	return Kinds[i]
}

// Of turns any error into a problem for the client. Errors that are not
// meant for people become a plain 500; their text goes to the log only.
func Of(err error) Problem {
	p := Problem{Status: http.StatusInternalServerError, Detail: "Something unexpected went wrong. Your saved work is safe. The server's log has the details."}
	var domain *segment.Error
	var request *Refusal
	var malformed *wire.Malformed
	var tooLong *http.MaxBytesError
	var upload *Upload
	var inUse *workspace.ClassesInUse
	var moved *segment.ClassesMovedOn
	switch {
	case errors.As(err, &upload):
		p = Of(upload.First)
		p.Files = upload.Files
		return p
	case errors.As(err, &domain):
		p.Status, p.Detail = statuses[domain.Kind], domain.Detail
		switch {
		case errors.As(err, &inUse):
			p.InUse = inUse.Images
		case errors.As(err, &moved):
			present := wire.ProjectOf(moved.Project)
			p.Project = &present
		case domain.Evidence:
			p.Seq = &domain.Seq
		}
	case errors.As(err, &request):
		p.Status, p.Detail = request.Status, request.Detail
	case errors.As(err, &malformed):
		p.Status, p.Detail = http.StatusBadRequest, malformed.Detail
	case errors.As(err, &tooLong):
		p.Status, p.Detail = http.StatusRequestEntityTooLarge, fmt.Sprintf("The request is larger than %s, which is the limit here. Nothing was changed.", Bytes(tooLong.Limit))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		p.Status, p.Detail = http.StatusServiceUnavailable, "The request was cancelled before it was answered."
	}
	kind := KindOf(p.Status)
	p.Title, p.Type = kind.Title, "/api#"+kind.Anchor()
	if errors.Is(err, segment.ErrRole) {
		p.Title = NotAllowed
	}
	return p
}

// RetryAfter is in how many seconds to try again.
func RetryAfter(err error) string {
	var later *Later
	if errors.As(err, &later) {
		return strconv.Itoa(int((later.Wait + time.Second - 1) / time.Second))
	}
	return "2"
}

// Bytes is a number of bytes in words.
func Bytes(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// File is a file of an upload that was not kept, and why.
type File struct {
	Name    string  `json:"name"`
	Status  string  `json:"status" schema:"const=failed"`
	Problem Problem `json:"problem"`
}

// Upload is the error for an upload whose files were all refused.
type Upload struct {
	First error
	Files []File
}

func (e *Upload) Error() string {
	return fmt.Sprintf("no file of the upload was kept: %v", e.First)
}

func (e *Upload) Unwrap() error { return e.First }

// Add adds a file that could not be used.
func (e *Upload) Add(name string, err error) File {
	if e.First == nil {
		e.First = err
	}
	f := File{Name: name, Status: "failed", Problem: Of(err)}
	e.Files = append(e.Files, f)
	return f
}
