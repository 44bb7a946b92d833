package dataset

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment/photo/phototest"
)

// A grey mask keeps its values however large the file is and whatever it ends with.
func TestLargeGreyMasks(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 100, 100))
	for i := range img.Pix {
		img.Pix[i] = uint8(i*i*31>>3) % 200 // hardly compressible
	}
	whole := phototest.MustPNG(t, img)
	for _, filler := range []byte{0, 1, 2, 4} {
		const end = 12 // bytes of the last chunk
		chunk := append([]byte("teSt"), bytes.Repeat([]byte{filler}, 9000)...)
		long := slices.Clone(whole[:len(whole)-end])
		long = binary.BigEndian.AppendUint32(long, uint32(len(chunk)-4))
		long = append(long, chunk...)
		long = binary.BigEndian.AppendUint32(long, crc32.ChecksumIEEE(chunk))
		long = append(long, whole[len(whole)-end:]...)
		got, err := decodePNG(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(long)), nil })
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.(*image.Gray).Pix, img.Pix) {
			t.Errorf("other values where the file ends with %d", filler)
		}
	}
}

// A mask that can't be read is named with its folders, which tell it from others of its name.
func TestBrokenMasksOfTwoFolders(t *testing.T) {
	_, masks := readAll(t, fstest.MapFS{"masks/s1/a.png": file([]byte("no")), "masks/s2/a.png": file([]byte("no"))}, Options{})
	const broken = "/a.png: The mask is not a readable PNG. (unexpected EOF)"
	if d := cmp.Diff([]string{"s1" + broken, "s2" + broken}, masks); d != "" {
		t.Error(d)
	}
}
