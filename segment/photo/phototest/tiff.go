package phototest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"image"
	"slices"
	"testing"

	"golang.org/x/image/tiff"
)

// Entry is one of a directory in a TIFF file or in EXIF data (TIFF 6.0, section
// 2). Value is as in the file, so a number of 16 bits is its upper half if
// bytes are big-endian, and of more than four bytes it says where they are.
type Entry struct {
	Tag, Kind    uint16
	Count, Value uint32
}

// appendDirectory appends a directory after which no other comes.
func appendDirectory(order binary.AppendByteOrder, b []byte, entries []Entry) []byte {
	b = order.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = order.AppendUint16(order.AppendUint16(b, e.Tag), e.Kind)
		b = order.AppendUint32(order.AppendUint32(b, e.Count), e.Value)
	}
	return order.AppendUint32(b, 0)
}

// TIFFWith adds entries to the directory of a little-endian TIFF file: a copy of
// the directory, with the entries in their places, goes to the end.
func TIFFWith(file []byte, more ...Entry) []byte {
	le := binary.LittleEndian
	old := file[le.Uint32(file[4:]):]
	entries := slices.Clone(more)
	for i := range int(le.Uint16(old)) {
		e := old[2+12*i:]
		entries = append(entries, Entry{le.Uint16(e), le.Uint16(e[2:]), le.Uint32(e[4:]), le.Uint32(e[8:])})
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Tag, b.Tag) })
	out := appendDirectory(le, bytes.Clone(file), entries)
	le.PutUint32(out[4:], uint32(len(file)))
	return out
}

func locatedTIFF(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	file := MustTIFF(tb, img, nil)
	length, secret := uint32(len(Secret)), uint32(len(file))
	file = append(file, Secret...)
	gps := uint32(len(file))
	file = appendDirectory(binary.LittleEndian, file, []Entry{{2, 2, length, secret}})
	return TIFFWith(file, Entry{0x010e, 2, length, secret}, Entry{0x0112, 3, 1, 6}, Entry{0x02bc, 1, length, secret}, Entry{0x8825, 4, 1, gps})
}

// MustTIFF returns an image as a file.
func MustTIFF(tb testing.TB, img image.Image, o *tiff.Options) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := tiff.Encode(&b, img, o); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Stack is a TIFF file in which an image comes twice.
func Stack(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	le := binary.LittleEndian
	single := MustTIFF(tb, img, nil)
	file := TIFFWith(single) // its directory comes again at the end
	first := le.Uint32(single[4:])
	second := le.Uint32(file[4:])
	le.PutUint32(file[first+2+12*uint32(le.Uint16(file[first:])):], second)
	le.PutUint32(file[4:], first)
	return file
}

// Numbers is an uncompressed TIFF file of one number per pixel, row by row.
func Numbers[T uint8 | uint16 | uint32 | int32 | float32](width int, numbers []T) []byte {
	const short, long = 3, 4
	kind := map[any]uint32{int32(0): 2, float32(0): 3}[any(T(0))] // sample formats; 1 is unsigned
	le, size := binary.LittleEndian, binary.Size(numbers)
	file, err := binary.Append([]byte("II*\x00\x00\x00\x00\x00"), le, numbers)
	if err != nil {
		panic(err) // T has a fixed size
	}
	le.PutUint32(file[4:], uint32(len(file)))
	return appendDirectory(le, file, []Entry{
		{0x0100, long, 1, uint32(width)},
		{0x0101, long, 1, uint32(len(numbers) / width)},
		{0x0102, short, 1, uint32(8 * size / len(numbers))},
		{0x0106, short, 1, 1},
		{0x0111, long, 1, 8},
		{0x0117, long, 1, uint32(size)},
		{0x0153, short, 1, max(kind, 1)},
	})
}
