package export

import (
	"path"
	"strconv"
	"strings"
)

// longestStem is the largest number of bytes of an image's name in file names.
const longestStem = 80

// Stems makes a file name for each image of a project, from the image's name: ASCII
// letters, digits, dots, hyphens and underscores, unique even if case is
// ignored, and not reserved by any operating system or by exports themselves. The names
// depend on the whole project, so an image has the same name in every export.
type Stems struct{ taken map[string]int } // in lower case, with the last number tried behind each

// Next returns the file name of the next image, in order of upload. Over n images this is
// O(n), also when all are called the same.
func (s *Stems) Next(name string) string {
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	stem := cleanStem(name)
	out, first := stem, strings.ToLower(stem)
	for s.taken[strings.ToLower(out)] > 0 {
		s.taken[first]++
		out = stem + "-" + strconv.Itoa(s.taken[first])
	}
	s.taken[strings.ToLower(out)] = 1
	return out
}

// has reports whether an image has this stem, in lower case.
func (s *Stems) has(stem string) bool { return s.taken[stem] > 0 }

func cleanStem(name string) string {
	name = strings.TrimSuffix(name, path.Ext(name))
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-', c == '_':
			return c
		}
		return '_'
	}, name)
	name = strings.Trim(name[:min(len(name), longestStem)], ".-_ ")
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
