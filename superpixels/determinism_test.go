package superpixels

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"image"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGolden pins the bytes of a segmentation, of its description and of the
// tables that come from package math: they must be the same on every machine,
// for every GOMAXPROCS and GOAMD64.
func TestGolden(t *testing.T) {
	img := picture(160, 120, 11, 9, 5)
	h := NewHierarchy(img, 500)
	tables := sha256.New()
	for _, v := range []any{&linear, &labF, &fieldF, &logTable} {
		if err := binary.Write(tables, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	digest := func(v interface{ MarshalBinary() ([]byte, error) }) string {
		data, err := v.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:8])
	}
	for _, c := range []struct{ name, got, want string }{
		{"tables", hex.EncodeToString(tables.Sum(nil)[:8]), "a6f47aa8b34101da"},
		{"hierarchy", digest(h), "c7edb4896b9f828d"},
		{"graph", digest(Describe(img, h.At(200))), "51b48d5e4ee73c52"},
		{"large", digest(NewHierarchy(picture(1000, 800, 50, 9, 5), 300)), "568431fed731bd41"},
	} {
		if c.got != c.want {
			t.Errorf("%s: digest %s, want %s", c.name, c.got, c.want)
		}
	}
}

// TestDivide checks that both halves of the work give the same together, also
// where they work at different sizes.
func TestDivide(t *testing.T) {
	for _, c := range []struct{ width, height, finest int }{{160, 120, 500}, {1000, 800, 300}, {1000, 800, 10_000}} {
		img := picture(c.width, c.height, 50, 9, 5)
		h, g := Divide(img, c.finest)
		alone := NewHierarchy(img, c.finest)
		if diff := cmp.Diff(alone, h, cmp.AllowUnexported(Hierarchy{}), unexported); diff != "" {
			t.Errorf("%v: hierarchy (-alone +together):\n%s", c, diff)
		}
		want := Describe(img, alone.Runs().Map())
		want.Merges = alone.merges
		if diff := cmp.Diff(want, g); diff != "" {
			t.Errorf("%v: graph (-alone +together):\n%s", c, diff)
		}
	}
}

// TestOffsetImage checks that an image whose bounds don't start at the origin,
// and whose rows are longer than its width, gives what its copy gives.
func TestOffsetImage(t *testing.T) {
	whole := picture(90, 70, 9, 5, 2)
	part := whole.SubImage(image.Rect(11, 13, 71, 63)).(*image.NRGBA)
	plain := image.NewNRGBA(image.Rect(0, 0, 60, 50))
	for y := range 50 {
		copy(plain.Pix[y*plain.Stride:][:240], part.Pix[y*part.Stride:])
	}
	a, err := NewHierarchy(part, 80).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewHierarchy(plain, 80).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("a sub-image gives another result than its copy")
	}
}
