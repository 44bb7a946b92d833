package photo

import (
	"bytes"
	"encoding/binary"
)

// appKept are the application segments of a JPEG file that are needed for its
// colours, by marker, with their first bytes.
var appKept = map[byte][]byte{
	0xe0: []byte("JFIF\x00"),
	0xe2: []byte("ICC_PROFILE\x00"), // APP2 may also list other pictures (MPF)
	0xee: []byte("Adobe"),
}

// PlainJPEG returns a JPEG file without its metadata: the picture and what is
// needed for its colours (JFIF, colour profile, Adobe's transform). It also
// drops what follows the picture, where phones store previews, films and
// locations. It shares no memory with the original. ok is false if the file is
// not a JPEG, needs rotation by its EXIF data, or has parts that can't be
// separated; then decode it instead.
func PlainJPEG(original []byte) (plain []byte, ok bool) {
	const (
		eoi, sos, comment = 0xd9, 0xda, 0xfe
		app0, app15       = 0xe0, 0xef
	)
	if !hasMagic(original, "\xff\xd8\xff") || jpegOrientation(original) > 1 {
		return nil, false
	}
	plain = append(make([]byte, 0, len(original)), original[:2]...)
	scans := 0
	for i := 2; i+2 <= len(original); {
		marker := original[i+1]
		switch {
		case original[i] != 0xff:
			return nil, false
		case marker == 0xff: // fill byte
			i++
			continue
		case marker == eoi && scans > 0:
			return append(plain, 0xff, eoi), true
		case marker < 0xc0 || marker >= 0xd0 && marker <= eoi || i+4 > len(original):
			return nil, false
		}
		end := i + 2 + int(binary.BigEndian.Uint16(original[i+2:]))
		if end < i+4 || end > len(original) {
			return nil, false
		}
		if marker == sos {
			scans++
			end += scanLength(original[end:])
		}
		start, known := appKept[marker]
		if known && bytes.HasPrefix(original[i+4:end], start) || marker != comment && (marker < app0 || marker > app15) {
			plain = append(plain, original[i:end]...)
		}
		i = end
	}
	return nil, false
}

// scanLength is the number of bytes up to the next marker; escaped values and
// restart markers belong to the pixels (ITU T.81, B.1.1.5).
func scanLength(b []byte) int {
	for i := 0; i+1 < len(b); i++ {
		if next := b[i+1]; b[i] == 0xff && next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7) {
			return i
		}
	}
	return len(b)
}
