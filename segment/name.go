package segment

import (
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxName is how many runes a project's, class's or image's name can have.
const MaxName = 100

// CleanName trims a name, drops marks of direction and refuses an empty one, one over 100
// runes, and one with control or text-direction characters, which could make it read as
// something else on screen. What names the thing in the message.
func CleanName(what, name string) (string, error) {
	name = strings.TrimSpace(WithoutMarks(name))
	switch {
	case name == "":
		return "", Errorf(Invalid, "The %s is empty; it needs 1 to %d characters.", what, MaxName)
	case !utf8.ValidString(name):
		return "", Errorf(Invalid, "The %s is not valid UTF-8 text.", what)
	case utf8.RuneCountInString(name) > MaxName:
		return "", Errorf(Invalid, "The %s is longer than %d characters.", what, MaxName)
	case concealing(name):
		return "", Errorf(Invalid, "The %s contains invisible, control or text-direction characters.", what)
	}
	return name, nil
}

// FileName is the name that a client or an archive gives a file, with its folders unless
// they lead elsewhere: exports hand it on to programs that open files by it. Clients on
// Windows can send a whole path.
func FileName(name string) string {
	if fs.ValidPath(name) && !strings.Contains(name, `\`) {
		return name
	}
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// OneWord is a name where spaces end it, as in Cityscapes' lists of classes.
func OneWord(name string) string { return strings.Join(strings.Fields(name), "_") }

// Folded is the same for names that count as the same: those that differ in upper and
// lower case, in how letters with accents are written, or in marks of direction. macOS takes
// the accents apart in names of files and in the archives that it makes.
func Folded(name string) string { return norm.NFC.String(strings.ToLower(WithoutMarks(name))) }

// WithoutMarks drops the marks that give spaces and punctuation beside them a direction.
// They can't be seen, and Windows puts them into names of files in Arabic and Hebrew, such
// as those of screenshots and copies.
func WithoutMarks(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= '\u061c' }) { // most names; Replace copies them
		return text
	}
	return marks.Replace(text)
}

var marks = strings.NewReplacer("\u061c", "", "\u200e", "", "\u200f", "")

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
