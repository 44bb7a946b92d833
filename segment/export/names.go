package export

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"collie/segment"
)

// longestStem is the largest number of bytes of an image's name in file names. File
// systems take 255 with what formats put behind it.
const longestStem = 160

// Stems makes a file name for each image of a project, from the image's name: letters
// of any alphabet, digits, dots, hyphens and underscores, composed (NFC), unique even if
// case is ignored, and not reserved by any operating system or by exports themselves. The names
// depend on the whole project, so an image has the same name in every export.
type Stems struct{ taken map[string]int } // folded, with the last number tried behind each

// Next returns the file name of the next image, in order of upload. Over n images this is
// O(n), also when all are called the same.
func (s *Stems) Next(name string) string {
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	stem := cleanStem(name)
	out, first := stem, segment.Folded(stem)
	for s.taken[segment.Folded(out)] > 0 {
		s.taken[first]++
		out = stem + "-" + strconv.Itoa(s.taken[first])
	}
	s.taken[segment.Folded(out)] = 1
	return out
}

// has reports whether an image has this stem, folded.
func (s *Stems) has(stem string) bool { return s.taken[stem] > 0 }

func cleanStem(name string) string {
	name = norm.NFC.String(strings.TrimSuffix(name, path.Ext(name)))
	name = strings.Map(func(c rune) rune {
		invisible := unicode.In(c, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
		if strings.ContainsRune(".-_", c) || unicode.In(c, unicode.L, unicode.M, unicode.Nd) && !invisible {
			return c
		}
		return ' '
	}, name)
	name = strings.ToValidUTF8(name[:min(len(name), longestStem)], "") // no part of a letter
	name = strings.TrimRight(strings.TrimLeft(name, ". -"), ". ")      // neither hidden nor an option of a command
	name = strings.ReplaceAll(name, " ", "_")                          // lists of names are often read word by word
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	if name == "" || reserved[base] {
		name = strings.TrimSuffix("image-"+name, "-")
	}
	return name
}

// reserved are the names of devices on Windows, and of an export's manifest.
var reserved = func() map[string]bool {
	r := map[string]bool{"manifest": true, "con": true, "prn": true, "aux": true, "nul": true}
	for _, port := range []string{"com", "lpt"} {
		for n := range 10 {
			r[port+strconv.Itoa(n)] = true
		}
	}
	return r
}()
