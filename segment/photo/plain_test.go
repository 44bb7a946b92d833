package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"slices"
	"testing"
)

// marked puts segments behind the start of a JPEG file.
func marked(file []byte, segments ...[]byte) []byte {
	out := slices.Clone(file[:2])
	for _, s := range segments {
		out = append(out, 0xff, s[0])
		out = binary.BigEndian.AppendUint16(out, uint16(len(s)+1))
		out = append(out, s[1:]...)
	}
	return append(out, file[2:]...)
}

func TestPlainJPEG(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 7)), nil); err != nil {
		t.Fatal(err)
	}
	bare := b.Bytes()
	exif := []byte("\xe1Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00")
	turned := slices.Clone(exif)
	turned[len(turned)-7] = 6
	kept := [][]byte{[]byte("\xe0JFIF\x00"), []byte("\xe2ICC_PROFILE\x00"), []byte("\xeeAdobe\x00")}
	gone := [][]byte{exif, []byte("\xe1http://ns.adobe.com/xap/1.0/\x00"), []byte("\xedPhotoshop 3.0\x00"), []byte("\xfea comment")}

	plain, ok := PlainJPEG(marked(bare, slices.Concat(kept, gone)...))
	if !ok || !bytes.Equal(plain, marked(bare, kept...)) {
		t.Errorf("%v, %q", ok, plain)
	}
	if _, err := jpeg.Decode(bytes.NewReader(plain)); err != nil {
		t.Error(err)
	}
	for name, file := range map[string][]byte{
		"a turned picture": marked(bare, turned), "a PNG": []byte("\x89PNG\r\n\x1a\n"), "an empty file": nil,
		"a file without pixels": bare[:20], "a segment that is too long": {0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, 0},
	} {
		if plain, ok := PlainJPEG(file); ok {
			t.Errorf("%s was taken: %q", name, plain)
		}
	}
}

func FuzzPlainJPEG(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xda\x00\x02"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x02\xff\xda"))
	f.Fuzz(func(t *testing.T, file []byte) {
		plain, ok := PlainJPEG(file)
		if !ok {
			return
		}
		if len(plain) > len(file) || jpegOrientation(plain) > 1 {
			t.Errorf("%q became %q", file, plain)
		}
		if again, ok := PlainJPEG(plain); !ok || !bytes.Equal(again, plain) {
			t.Errorf("%q became %q, then %q", file, plain, again)
		}
	})
}
