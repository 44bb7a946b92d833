package segment

import (
	"crypto/rand"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Void is the pixel and superpixel value of 'undecided'. Classes run from 0 to
// MaxClasses-1, so that every class and Void fit one byte.
const (
	Void       = 255
	MaxClasses = 255
	MaxName    = 100 // runes of a project's, class's or image's name
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
	Cover  string // id of the first image; empty without images
}

// Class is one thing that a superpixel can be. ID names it in evidence, labels
// and hypotheses for as long as the project lives, whatever its place in the
// list; in a new project the two are the same. The first class of the list is
// the background and is clicked like any other.
type Class struct {
	ID    uint8 // 0..254
	Name  string
	Color string // #rrggbb, lower case
}

// DefaultClasses are the classes of a project whose maker named none.
func DefaultClasses() []Class {
	return []Class{{0, "background", PaletteColor(0)}, {1, "object", PaletteColor(1)}}
}

// NewID returns a random identifier of at least 128 bits: 26 lower-case letters
// and digits, safe in a URL and as a file name.
func NewID() string { return strings.ToLower(rand.Text()) }

var colorPattern = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// NormalizeClasses checks a list of classes and returns it in stored form:
// names trimmed, colours in lower case, missing colours those of the palette that
// no other class has.
// It leaves the ids as they are.
func NormalizeClasses(classes []Class) ([]Class, error) {
	if len(classes) == 0 {
		return nil, Errorf(Invalid, "A project needs at least one class.")
	}
	if len(classes) > MaxClasses {
		return nil, Errorf(Invalid, "A project can have up to %d classes; the list has %d.", MaxClasses, len(classes))
	}
	seen := make(map[string]bool, len(classes))
	out := make([]Class, len(classes))
	taken := make(map[string]bool, len(classes))
	for _, c := range classes {
		taken[strings.ToLower(c.Color)] = true
	}
	for i, c := range classes {
		name, err := CleanName("class name", c.Name)
		if err != nil {
			return nil, err
		}
		if seen[strings.ToLower(name)] {
			return nil, Errorf(Invalid, "Two classes are called %q (upper and lower case count as the same). Class names must differ.", name)
		}
		seen[strings.ToLower(name)] = true
		color := strings.ToLower(c.Color)
		if color == "" {
			color = freeColor(i, taken)
			taken[color] = true
		}
		if !colorPattern.MatchString(color) {
			return nil, Errorf(Invalid, "The colour %q of class %q is not of the form #rrggbb, for example #2f9e8f.", c.Color, name)
		}
		out[i] = Class{ID: c.ID, Name: name, Color: color}
	}
	return out, nil
}

// CleanName trims a name and refuses an empty one, one over 100 runes, and one
// with control or text-direction characters, which could make it read as
// something else on screen. What names the thing in the message.
func CleanName(what, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", Errorf(Invalid, "The %s is empty.", what)
	case !utf8.ValidString(name):
		return "", Errorf(Invalid, "The %s is not valid UTF-8 text.", what)
	case utf8.RuneCountInString(name) > MaxName:
		return "", Errorf(Invalid, "The %s is longer than %d characters.", what, MaxName)
	case concealing(name):
		return "", Errorf(Invalid, "The %s contains invisible, control or text-direction characters.", what)
	}
	return name, nil
}

// concealing reports whether a name holds characters that can't be seen.
func concealing(name string) bool {
	before := rune(0)
	for _, r := range name {
		if hidden(r, before) {
			return true
		}
		before = r
	}
	return false
}

// hidden reports whether r is a control character, changes the direction of the
// text around it or has no shape of its own, like spaces of no width, hyphens that
// are not shown and empty letters. Joiners are seen behind characters that they
// join; those are never ASCII.
func hidden(r, before rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	if (r == nonJoiner || r == joiner) && before > unicode.MaxASCII {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}
