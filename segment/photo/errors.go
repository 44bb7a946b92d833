package photo

import (
	"errors"
	"fmt"

	"collie/segment"
)

// Reason says why a file was refused.
type Reason int

// Reasons of an Error.
const (
	Unsupported Reason = iota + 1 // not of an accepted format; the text lists the accepted ones
	Unreadable                    // of an accepted format, but broken
	TooLarge                      // over a limit that the text names
	Busy                          // too many uploads are waiting; trying again later helps
)

// Error says why a file was refused, to the person who sent it.
type Error struct {
	Reason Reason
	Detail string // what is wrong and what is accepted
	err    error  // the cause, for the log; may be nil
}

func (e *Error) Error() string {
	if e.err == nil {
		return e.Detail
	}
	return e.Detail + ": " + e.err.Error()
}

// Unwrap returns the cause, which is for the log.
func (e *Error) Unwrap() error { return e.err }

func refusef(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// Refusal converts an [Error] to one of package segment; others stay as they are.
func Refusal(err error) error {
	var refused *Error
	if !errors.As(err, &refused) {
		return err
	}
	kind := map[Reason]segment.Kind{
		Unsupported: segment.Unsupported, Unreadable: segment.Unreadable, TooLarge: segment.TooLarge, Busy: segment.Busy,
	}[refused.Reason]
	return segment.Errorf(kind, "%s", refused.Detail).Because(refused.Unwrap())
}
