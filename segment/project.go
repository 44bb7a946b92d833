package segment

import (
	"crypto/rand"
	"strings"
	"time"
)

// Project is a set of images that share one ordered list of classes.
type Project struct {
	ID      string
	Name    string
	Classes []Class        // in the order in which people see them and exports number them
	Deleted []DeletedClass // in the order of their deletion
	Rest    Rest           // what nobody clicks
	Unaided bool           // nothing is guessed from its finished images
	Created time.Time

	Revision int // how often the record has changed; see ProjectStore.UpdateProject
}

// Overview is a project with a summary of its images.
type Overview struct {
	Project
	Images int
	Done   int    // images whose superpixels are all decided
	Own    int    // images that wait for who asks
	Cover  string // id of the first image; empty without images
}

// NewID returns a random identifier of at least 128 bits: 26 lower-case letters
// and digits, safe in a URL and as a file name.
func NewID() string { return strings.ToLower(rand.Text()) }
