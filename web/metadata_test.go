package web

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"testing"
)

// secret stands for everything that a camera notes beside the pixels.
const secret = "48.8584N 2.2945E"

// gps is EXIF data: orientation 6, and a GPS directory with the secret as its
// latitude.
func gps() []byte {
	be := binary.BigEndian
	b := be.AppendUint32([]byte("MM\x00*"), 8)
	b = be.AppendUint16(b, 2)
	entry := func(tag, kind uint16, count, value uint32) {
		b = be.AppendUint32(be.AppendUint32(be.AppendUint16(be.AppendUint16(b, tag), kind), count), value)
	}
	entry(0x0112, 3, 1, 6<<16)
	entry(0x8825, 4, 1, 38) // where the next directory is
	b = be.AppendUint32(b, 0)
	b = be.AppendUint16(b, 1)
	entry(2, 2, uint32(len(secret)), 56)
	b = be.AppendUint32(b, 0)
	return append(b, secret...)
}

// located are files whose metadata hold the secret wherever their format has
// a place for it.
func located(t *testing.T) map[string][]byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(picture()))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	photo := bytes.Clone(b.Bytes()[:2])
	for _, segment := range []struct {
		marker  byte
		content string
	}{{0xe1, "Exif\x00\x00" + string(gps())}, {0xe1, "http://ns.adobe.com/xap/1.0/\x00" + secret}, {0xed, "Photoshop 3.0\x00" + secret}, {0xfe, secret}} {
		photo = binary.BigEndian.AppendUint16(append(photo, 0xff, segment.marker), uint16(len(segment.content)+2))
		photo = append(photo, segment.content...)
	}
	photo = append(photo, b.Bytes()[2:]...)

	const header = 8 + 25 // signature, IHDR
	drawing := bytes.Clone(picture()[:header])
	for _, chunk := range []struct{ kind, content string }{{"eXIf", string(gps())}, {"tEXt", "Comment\x00" + secret}, {"iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00" + secret}} {
		drawing = binary.BigEndian.AppendUint32(drawing, uint32(len(chunk.content)))
		drawing = append(append(drawing, chunk.kind...), chunk.content...)
		drawing = binary.BigEndian.AppendUint32(drawing, crc32.ChecksumIEEE([]byte(chunk.kind+chunk.content)))
	}
	drawing = append(drawing, picture()[header:]...)
	return map[string][]byte{"photo.jpg": photo, "drawing.png": drawing}
}

// Nothing that is derived from an image tells where it was taken, and all of it
// is upright; only the original is as it was.
func TestMetadataStayInTheOriginal(t *testing.T) {
	s := MustServe(t)
	project := s.project()
	for name, content := range located(t) {
		var images []imageJSON
		s.upload(project.ID, file{name, content}).into(t, http.StatusCreated, &images)
		path := "/api/v1/images/" + images[0].ID
		if !bytes.Contains(s.get(path+"/original").body, []byte(secret)) {
			t.Errorf("%s: the original has lost its metadata", name)
		}
		for _, part := range []string{"/display", "/thumbnail", "/mask.png", "/mask.png?style=colour", "/superpixels.png", "/superpixels.bin", ""} {
			a := s.get(path + part)
			if a.status != http.StatusOK {
				t.Errorf("%s%s: %d %s", name, part, a.status, a.body)
			}
			for _, trace := range []string{secret, "Exif", "eXIf", "Photoshop", "adobe"} {
				if bytes.Contains(a.body, []byte(trace)) {
					t.Errorf("%s%s contains %q", name, part, trace)
				}
			}
			if img, _, err := image.Decode(bytes.NewReader(a.body)); err == nil && img.Bounds().Size() != image.Pt(pictureHeight, pictureWidth) {
				t.Errorf("%s%s is %v, want it upright, %d×%d", name, part, img.Bounds().Size(), pictureHeight, pictureWidth)
			}
		}
		s.upload(project.ID, file{"again", s.get(path + "/display").body}).into(t, http.StatusCreated, &images)
		if images[0].Width != pictureHeight {
			t.Errorf("%s: the display copy of the display copy is turned again", name)
		}
	}
}
