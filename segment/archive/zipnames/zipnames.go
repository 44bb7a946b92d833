// Package zipnames decodes the names in zip archives, which programs write in the encoding
// of their country.
package zipnames

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/unicode/rangetable"
)

// UTF8 is the mark in [zip.FileHeader.Flags] of an entry whose name is in UTF-8. What
// [zip.Writer.CreateRaw] writes has it only if the caller sets it.
const UTF8 = 1 << 11

// script is an encoding of file names on Windows in some countries, and the letters that
// names there are made of.
type script struct {
	encoding.Encoding
	letters []*unicode.RangeTable
}

// scripts are tried on names without the mark for UTF-8; the first of those that are as
// likely wins. Windows makes archives with such names where its own encoding has all
// characters. All syllables of Korean are at places of Chinese characters too, but few
// names in Chinese have only these.
var scripts = sync.OnceValue(func() []script {
	return []script{
		{japanese.ShiftJIS, []*unicode.RangeTable{unicode.Han, kana}},
		{charmap.CodePage866, []*unicode.RangeTable{unicode.Cyrillic}},
		{korean.EUCKR, []*unicode.RangeTable{common(korean.EUCKR, 0xb0, 0xc8, 0xa1)}},
		{simplifiedchinese.GBK, []*unicode.RangeTable{common(simplifiedchinese.GBK, 0xb0, 0xf7, 0xa1)}},
		{traditionalchinese.Big5, []*unicode.RangeTable{common(traditionalchinese.Big5, 0xa4, 0xc6, 0x40)}},
	}
})

// kana are Japanese letters, and digits and letters as wide as these. Narrow ones, which
// few names have, are at the places of most Chinese and Korean characters.
var kana = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 'ぁ', Hi: 'ヿ', Stride: 1}, {Lo: '０', Hi: 'ｚ', Stride: 1}}}

// common returns the characters that an encoding of Windows took over from the standard
// before it, which are the common ones: those whose first byte is from..to and whose second
// one is at least second.
func common(e encoding.Encoding, from, to, second byte) *unicode.RangeTable {
	var letters []rune
	for lead := int(from); lead <= int(to); lead++ {
		for trail := int(second); trail <= 0xfe; trail++ {
			r, size := utf8.DecodeRuneInString(decoded(e, string([]byte{byte(lead), byte(trail)})))
			if size > 1 && r != utf8.RuneError {
				letters = append(letters, r)
			}
		}
	}
	return rangetable.New(letters...)
}

// Of returns the names of an archive's entries as text. Those without a stated encoding
// share one. It is UTF-8 if all are valid in it, since many programs write it without the
// mark; or else that of a script if they look written in it; or else code page 437, which
// the format prescribes (APPNOTE.TXT, appendix D).
func Of(entries []*zip.File) []string {
	names := make([]string, len(entries))
	var unstated []string
	var places []int // of these
	for i, e := range entries {
		name, stated := nameOf(e)
		if names[i] = name; !stated {
			unstated, places = append(unstated, name), append(places, i)
		}
	}
	used := encodingOf(unstated)
	for _, i := range places {
		names[i] = decoded(used, names[i])
	}
	return names
}

// encodingOf returns the encoding that names share.
func encodingOf(names []string) encoding.Encoding {
	if !slices.ContainsFunc(names, func(name string) bool { return !utf8.ValidString(name) }) {
		return encoding.Nop
	}
	used, most := encoding.Encoding(charmap.CodePage437), 0
	for _, s := range scripts() {
		if n := s.likeness(names); n > most {
			used, most = s.Encoding, n
		}
	}
	return used
}

// nameOf returns the name of an entry, and whether it is known to be in UTF-8. An extra field
// can have the name in UTF-8 beside one in another encoding (APPNOTE.TXT, 4.6.9).
func nameOf(e *zip.File) (name string, stated bool) {
	if e.Flags&UTF8 != 0 && utf8.ValidString(e.Name) {
		return e.Name, true
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
	return e.Name, false
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
