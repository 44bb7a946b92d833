package photo

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"collie/segment/photo/phototest"
)

func TestPlainJPEG(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 7)), nil); err != nil {
		t.Fatal(err)
	}
	bare := b.Bytes()
	exif := "\xe1Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00"
	turned := exif[:len(exif)-7] + "\x06" + exif[len(exif)-6:]
	kept := []string{"\xe0JFIF\x00", "\xe2ICC_PROFILE\x00", "\xeeAdobe\x00"}
	gone := []string{exif, "\xe2MPF\x00", "\xe0JFXX\x00", "\xe1http://ns.adobe.com/xap/1.0/\x00", "\xedPhotoshop 3.0\x00", "\xfea comment"}

	plain, ok := PlainJPEG(phototest.WithSegments(bare, slices.Concat(kept, gone)...))
	if !ok || !bytes.Equal(plain, phototest.WithSegments(bare, kept...)) {
		t.Errorf("%v, %q", ok, plain)
	}
	if _, err := jpeg.Decode(bytes.NewReader(plain)); err != nil {
		t.Error(err)
	}
	trailer := []byte("\xff\xd8\xff\xe1\x00\x08Exif\x00\x00 and a film")
	if plain, ok := PlainJPEG(slices.Concat(bare, trailer)); !ok || !bytes.Equal(plain, bare) {
		t.Errorf("what follows the picture: %v, %q", ok, plain)
	}
	// Pixels with an escaped value and restarts, and a comment between two scans.
	scans := "\xff\xd8\xff\xda\x00\x03s\x01\xff\x00\x02\xff\xd0\x03%s\xff\xff\xda\x00\x03s\xff\xd7\x04\xff\xd9"
	with, without := fmt.Sprintf(scans, "\xff\xfe\x00\x04no"), fmt.Sprintf(scans, "")
	if plain, ok := PlainJPEG([]byte(with)); !ok || string(plain) != strings.Replace(without, "\xff\xff", "\xff", 1) {
		t.Errorf("two scans: %v, %q", ok, plain)
	}
	for name, file := range map[string][]byte{
		"a turned picture": phototest.WithSegments(bare, turned), "a PNG": []byte("\x89PNG\r\n\x1a\n"), "an empty file": nil,
		"a file without pixels": bare[:20], "a file without an end": bare[:len(bare)-2], "nothing but start and end": []byte("\xff\xd8\xff\xd9"), "a segment that is too long": {0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, 0},
	} {
		if plain, ok := PlainJPEG(file); ok {
			t.Errorf("%s was taken: %q", name, plain)
		}
	}
}

func FuzzPlainJPEG(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xda\x00\x02"))
	f.Add([]byte("\xff\xd8\xff\xda\x00\x02a\xff\x00\xff\xfe\x00\x03c\xff\xff\xda\x00\x02b\xff\xd9more"))
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
