package photo

import "encoding/binary"

// PlainJPEG returns a JPEG file without its metadata: what is left is the
// picture and what it takes to show its colours (JFIF, colour profile, Adobe's
// transform). It shares no memory with the original. ok is false when the file
// is no JPEG, when EXIF says that it is to be turned, or when its parts can't be
// told apart; then only decoding helps.
func PlainJPEG(original []byte) (plain []byte, ok bool) {
	const (
		app0, app1, app2, app14, app15 = 0xe0, 0xe1, 0xe2, 0xee, 0xef
		comment, sos                   = 0xfe, 0xda
	)
	if !hasMagic(original, "\xff\xd8\xff") || jpegOrientation(original) > 1 {
		return nil, false
	}
	plain = append(make([]byte, 0, len(original)), original[:2]...)
	for i := 2; i+4 <= len(original); {
		marker := original[i+1]
		if original[i] != 0xff {
			return nil, false
		}
		if marker == 0xff { // fill byte
			i++
			continue
		}
		if marker == sos {
			return append(plain, original[i:]...), true
		}
		end := i + 2 + int(binary.BigEndian.Uint16(original[i+2:]))
		if marker < 0xc0 || marker >= 0xd0 && marker <= 0xd9 || end < i+4 || end > len(original) {
			return nil, false
		}
		kept := marker == app0 || marker == app2 || marker == app14
		if kept || marker != comment && (marker < app1 || marker > app15) {
			plain = append(plain, original[i:end]...)
		}
		i = end
	}
	return nil, false
}
