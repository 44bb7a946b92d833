package segment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"syscall"
)

// Kind is the kind of an error, so that a transport can choose its answer (an
// HTTP status, a socket message) without reading the text.
type Kind int

// Kinds of an Error.
const (
	Invalid     Kind = iota + 1 // the request has a mistake
	NotFound                    // it doesn't exist, or this person can't access it
	Conflict                    // it doesn't fit the current state; see ConflictAt
	TooLarge                    // over a limit that the text names
	Unsupported                 // not an accepted format; the text lists the accepted ones
	Unreadable                  // of an accepted format, but broken
	Busy                        // too much is queued; trying again later helps
	Unavailable                 // the store can't write at the moment; see Store
	Full                        // the store has no space; nothing was changed
	Damaged                     // a stored file is missing or damaged
)

// ErrRole is the cause of a NotFound for what the caller can see, or may know to exist,
// but lacks the right for.
var ErrRole = errors.New("the role does not include it")

// Error is an error for a person: Detail says what was wrong with which input,
// what is accepted, and what happened to the data. The wrapped error, if any,
// is for the log.
type Error struct {
	Kind     Kind
	Detail   string
	Evidence bool // it is a Conflict with an image's evidence
	Seq      int  // the current number of events; only with Evidence
	err      error
	sure     bool // see Unchanged
}

// Error is Detail, a sentence, with the cause in brackets.
func (e *Error) Error() string {
	if e.err == nil {
		return e.Detail
	}
	return e.Detail + " (" + e.err.Error() + ")"
}

// Unwrap returns the cause, which is for the log.
func (e *Error) Unwrap() error { return e.err }

// Errorf makes an Error of the given kind whose Detail is the formatted text.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// ConflictAt makes a Conflict with the evidence of an image that has seq events.
func ConflictAt(seq int, format string, args ...any) *Error {
	e := Errorf(Conflict, format, args...)
	e.Evidence, e.Seq = true, seq
	return e
}

// Because attaches the cause of an error for the log and returns e.
func (e *Error) Because(err error) *Error {
	e.err = err
	return e
}

// Unchanged notes that the store refused a write for sure, and returns e. Without it,
// what is Unavailable may have been stored.
func (e *Error) Unchanged() *Error {
	e.sure = true
	return e
}

// NothingChanged adds to an Error, of a check before a change, that nothing was changed.
func NothingChanged(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	more := *e
	more.Detail += " Nothing was changed."
	return &more
}

// Uncertain reports whether what the store failed to write may have been stored.
func Uncertain(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == Unavailable && !e.sure
}

// OutOfReach reports whether err says nothing about a stored file, because it can't be
// read at the moment: the bucket is away, or the disk through which its files pass is
// full.
func OutOfReach(err error) bool {
	kind := KindOf(err)
	return kind == Unavailable || kind == Full
}

// KindOf returns the kind of the first Error in err's chain, or 0.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

// OutOfSpace reports whether a system call failed for lack of space, which is Full.
func OutOfSpace(err error) bool {
	return slices.ContainsFunc(outOfSpace, func(code syscall.Errno) bool { return errors.Is(err, code) })
}

// Counted is a number of things in a text for people: "1 image", "2 images".
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// LimitText is a limit in bytes in a text for people: "0.5 MiB", "12 GiB".
func LimitText(bytes int64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.4g GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%.4g MiB", float64(bytes)/(1<<20))
}

// NoRoom is the error for an image too many in a project.
func NoRoom(most int) *Error {
	return Errorf(TooLarge, "The project already has %s, which is the limit. Create another project for more.", Counted(most, "image"))
}
