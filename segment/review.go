package segment

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"collie/segment/access"
)

// ReviewStatus is what a person says of the state of an image, whatever its
// automatic Status.
type ReviewStatus string

// The statuses by hand.
const (
	NoReview   ReviewStatus = "" // nobody has said anything
	ToDo       ReviewStatus = "todo"
	InProgress ReviewStatus = "progress"
	ReviewDone ReviewStatus = "done"
	Approved   ReviewStatus = "approved"
	Rejected   ReviewStatus = "rejected" // its Comment says why
)

// ReviewStatuses lists all statuses by hand.
func ReviewStatuses() []ReviewStatus {
	return []ReviewStatus{NoReview, ToDo, InProgress, ReviewDone, Approved, Rejected}
}

// Review is the status by hand of an image.
type Review struct {
	Status  ReviewStatus
	Comment string // for whoever works on the image; needed when it is rejected
	By      string // name of the user
	At      time.Time
	Seq     int // events that the image had
}

// Looked is what whoever reviews an image has looked at.
type Looked struct {
	Seq    int        // number of its events, or AllEvents
	Former *time.Time // when the review was set that it had, the zero time for none; nil if any can be replaced
}

// AllEvents is the Seq of whoever has looked at an image as it is, however many events
// it has.
const AllEvents = math.MaxInt

// Saw reports whether the review is the one that was looked at.
func (l Looked) Saw(r Review) bool {
	switch {
	case l.Former == nil:
		return true
	case r.Status == NoReview:
		return l.Former.IsZero()
	}
	return l.Former.Equal(r.At)
}

// maxComment is the largest number of runes of a comment.
const maxComment = 1000

// Checked returns the review with its comment trimmed and without marks of direction, or
// an error if it can't be stored.
func (r Review) Checked() (Review, error) {
	if !slices.Contains(ReviewStatuses(), r.Status) {
		return Review{}, Errorf(Invalid, "The status %q is unknown; use todo, progress, done, approved, rejected, or an empty text for none. Nothing was changed.", r.Status)
	}
	r.Comment = strings.TrimSpace(WithoutMarks(strings.ReplaceAll(r.Comment, "\r\n", "\n")))
	switch {
	case !utf8.ValidString(r.Comment):
		return Review{}, Errorf(Invalid, "The comment is not valid UTF-8 text. Nothing was changed.")
	case utf8.RuneCountInString(r.Comment) > maxComment:
		return Review{}, Errorf(Invalid, "The comment is longer than %d characters. Nothing was changed.", maxComment)
	case concealing(strings.ReplaceAll(r.Comment, "\n", " ")):
		return Review{}, Errorf(Invalid, "The comment contains invisible, control or text-direction characters. Nothing was changed.")
	case r.Status == Rejected && r.Comment == "":
		return Review{}, Errorf(Invalid, "A rejected image needs a comment that says what to correct. Nothing was changed.")
	}
	return r, nil
}

// Needs is the right that it takes to change an image from this review to another
// status: whoever annotates says how far they are, reviewers say what is good
// enough.
func (r *Review) Needs(to ReviewStatus) access.Action {
	if r.Status == Approved || to == Approved || to == Rejected {
		return access.Review
	}
	return access.Annotate
}
