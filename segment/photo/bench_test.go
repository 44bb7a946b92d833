package photo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"testing"
)

// BenchmarkRead measures reading and the display copy of photos of 12
// megapixels, noisy ones, as cameras make them.
func BenchmarkRead(b *testing.B) {
	img := image.NewNRGBA(image.Rect(0, 0, 4000, 3000))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(i/16000 + random.IntN(16))
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: 90}); err != nil {
		b.Fatal(err)
	}
	gate := NewGate(Limits{})
	for _, orientation := range []int{1, 6} {
		data := append(bytes.Clone(file.Bytes()[:2]), app1(append(bytes.Clone(exifMark), exif(binary.LittleEndian, orientation)...))...)
		data = append(data, file.Bytes()[2:]...)
		b.Run(fmt.Sprintf("jpeg/orientation=%d", orientation), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := gate.Read(b.Context(), bytes.NewReader(data), nil)
				if err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
		})
	}
	b.Run("display", func(b *testing.B) {
		for b.Loop() {
			p := &Photo{Pixels: img}
			if err := p.EncodeDisplay(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
}
