package archive

import (
	"archive/zip"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"collie/segment"
)

// maxName is the longest path in an archive, in bytes.
const maxName = 1024

// badName says what is wrong with a path, or "". It is stricter than any one
// system, so that an archive is accepted or refused alike wherever Collie runs. Names
// of devices on Windows, such as aux.png, are fine: no file gets the name on the
// server's disk, and exports give it another.
func badName(name string) string {
	switch {
	case len(name) > maxName:
		return "is too long"
	case !utf8.ValidString(name):
		return "is not valid UTF-8 text"
	case strings.ContainsFunc(segment.WithoutMarks(name), hidden):
		return "contains control or text-direction characters"
	case strings.Contains(name, `\`):
		return "contains a backslash"
	case len(name) > 1 && name[1] == ':':
		return "starts with a drive letter"
	case !fs.ValidPath(name):
		return "leads out of the archive or is not in plain form"
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasSuffix(part, " ") || strings.HasSuffix(part, ".") {
			return "has a part that ends with a dot or a space"
		}
	}
	return ""
}

// hidden reports whether r can't be seen or changes the direction of the text
// around it.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// isClutter reports whether an operating system added the file. macOS puts ._NAME beside
// NAME on drives of other systems.
func isClutter(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(name, "__MACOSX/") || strings.Contains(name, "/__MACOSX/") || strings.HasPrefix(base, "._") ||
		base == ".DS_Store" || strings.EqualFold(base, "Thumbs.db") || strings.EqualFold(base, "desktop.ini")
}

// slashed returns the path of an entry, given as text, without a leading "./". In the
// archives of some programs on Windows, such as PowerShell 5, a backslash stands between
// folders; it becomes a slash, unless the name would be refused even so.
func slashed(name string, entry *zip.File) string {
	if system := entry.CreatorVersion >> 8; system == fat || system == ntfs || system == vfat {
		plain := strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
		if badName(strings.TrimSuffix(plain, "/")) == "" {
			return plain
		}
	}
	return strings.TrimPrefix(name, "./")
}

// Systems that an entry can come from (APPNOTE.TXT, 4.4.2).
const fat, ntfs, vfat = 0, 10, 14
