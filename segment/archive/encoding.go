package archive

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// script is an encoding of file names on Windows in some countries, and its letters.
type script struct {
	encoding.Encoding
	letters []*unicode.RangeTable
}

// scripts are tried on names without the mark for UTF-8. Windows makes archives with
// such names where its own encoding has all characters.
var scripts = []script{
	{japanese.ShiftJIS, []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana, unicode.Han, wide}},
	{charmap.CodePage866, []*unicode.RangeTable{unicode.Cyrillic}},
}

// wide are the sign for long vowels, and digits and letters as wide as Japanese ones.
var wide = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 'ー', Hi: 'ー', Stride: 1}, {Lo: '０', Hi: 'ｚ', Stride: 1}}}

// naming returns a function that decodes the names of an archive's entries. Many programs
// write UTF-8 without the mark, so valid UTF-8 is taken as such. The others share one
// encoding: that of a script if they look written in it, otherwise code page 437, which the
// format prescribes (APPNOTE.TXT, appendix D).
func naming(entries []*zip.File) func(*zip.File) string {
	var names []string
	for _, e := range entries {
		if _, known := statedName(e); !known {
			names = append(names, e.Name)
		}
	}
	used, most := encoding.Encoding(charmap.CodePage437), 0
	for _, s := range scripts {
		if n := s.likeness(names); n > most {
			used, most = s.Encoding, n
		}
	}
	return func(e *zip.File) string {
		if name, known := statedName(e); known {
			return name
		}
		return decoded(used, e.Name)
	}
}

// statedName is the name of an entry if its encoding is known. An extra field can have the
// name in UTF-8 beside one in another encoding (APPNOTE.TXT, 4.6.9).
func statedName(e *zip.File) (name string, known bool) {
	const marked = 1 << 11
	if e.Flags&marked != 0 {
		return e.Name, utf8.ValidString(e.Name)
	}
	const unicodePath, head = 0x7075, 5 // bytes of the field's version and of the name's checksum
	for extra := e.Extra; len(extra) >= 4; {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if size > len(extra) {
			break
		}
		field := extra[:size]
		extra = extra[size:]
		if id != unicodePath || size <= head || field[0] != 1 || binary.LittleEndian.Uint32(field[1:]) != crc32.ChecksumIEEE([]byte(e.Name)) {
			continue
		}
		if name := string(field[head:]); utf8.ValidString(name) {
			return name, true
		}
	}
	return e.Name, utf8.ValidString(e.Name)
}

// likeness is the number of neighbouring letters of the script in names, minus that of
// such letters beside Latin ones and of characters that names in the script don't have. It
// is 0 if the names can't be in this encoding. In words of Western languages, single bytes
// of letters with accents are between Latin letters.
func (s script) likeness(names []string) int {
	n := 0
	for _, name := range names {
		var before rune
		for _, r := range decoded(s.Encoding, name) {
			was, is := unicode.In(before, s.letters...), unicode.In(r, s.letters...)
			switch {
			case r == utf8.RuneError:
				return 0
			case was && is:
				n++
			case was && latin(r), is && latin(before), !is && r > unicode.MaxASCII && !unicode.In(r, unicode.P, unicode.Z) && r != '№':
				n--
			}
			before = r
		}
	}
	return n
}

func latin(r rune) bool { return r <= unicode.MaxASCII && unicode.IsLetter(r) }

// decoded returns the name as text, with U+FFFD for what is not in the encoding.
func decoded(from encoding.Encoding, name string) string {
	text, err := from.NewDecoder().String(name)
	if err != nil {
		return strings.ToValidUTF8(name, string(utf8.RuneError))
	}
	return text
}
