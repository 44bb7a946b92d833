package mask_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/mask"
	"collie/superpixels"
)

// threeRegions is a 4×2 map: 0011 over 0221.
func threeRegions() *superpixels.Runs {
	return (&superpixels.Map{Width: 4, Height: 2, N: 3, Labels: []int32{0, 0, 1, 1, 0, 2, 2, 1}}).Runs()
}

// labelled is a mask over threeRegions.
func labelled(a, b, c uint8) mask.Mask {
	return mask.Mask{Width: 4, Height: 2, Pixels: []uint8{a, a, b, b, a, c, c, b}}
}

func TestVOCColor(t *testing.T) {
	for id, want := range map[uint8][3]uint8{
		0: {0, 0, 0}, 1: {128, 0, 0}, 2: {0, 128, 0}, 3: {128, 128, 0},
		20: {0, 64, 128}, 21: {128, 64, 128}, 254: {96, 224, 192}, 255: {224, 224, 192},
	} {
		if got := mask.VOCColor(id); got != (color.RGBA{R: want[0], G: want[1], B: want[2], A: 255}) {
			t.Errorf("VOCColor(%d) = %v, want %v", id, got, want)
		}
	}
}

func TestWriteIndex(t *testing.T) {
	var b bytes.Buffer
	if err := mask.WriteIndex(&b, labelled(0, 254, segment.Void)); err != nil {
		t.Fatal(err)
	}
	for _, chunk := range []string{"tRNS", "gAMA", "sRGB"} {
		if bytes.Contains(b.Bytes(), []byte(chunk)) {
			t.Errorf("the file has a %s chunk", chunk)
		}
	}
	at := bytes.Index(b.Bytes(), []byte("PLTE"))
	if at < 4 || !bytes.Equal(b.Bytes()[at-4:at], []byte{0, 0, 3, 0}) {
		t.Error("the palette does not have 256 entries")
	}
	if header := b.Bytes()[24:26]; !bytes.Equal(header, []byte{8, 3}) {
		t.Errorf("bit depth and colour type are %v, want 8 and palette (3)", header)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint8{0, 0, 254, 254, 0, 255, 255, 254}, img.(*image.Paletted).Pix); diff != "" {
		t.Errorf("pixels (-want +got):\n%s", diff)
	}
	if got, want := img.At(2, 0), (color.RGBA{R: 96, G: 224, B: 192, A: 255}); got != want {
		t.Errorf("class 254 is drawn as %v, want %v", got, want)
	}
}

func TestWriteColour(t *testing.T) {
	classes := []segment.Class{{Name: "sea", Color: "#010203"}, {Name: "sand", Color: "#fffefd"}}
	var b bytes.Buffer
	if err := mask.WriteColour(&b, labelled(1, 0, segment.Void), classes); err != nil {
		t.Fatal(err)
	}
	if header := b.Bytes()[24:26]; !bytes.Equal(header, []byte{8, 2}) {
		t.Errorf("bit depth and colour type are %v, want 8 and RGB (2)", header)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[image.Point]color.RGBA{
		{0, 1}: {0xff, 0xfe, 0xfd, 255},
		{3, 1}: {1, 2, 3, 255},
		{1, 1}: {224, 224, 192, 255},
	} {
		if got := img.At(at.X, at.Y); got != want {
			t.Errorf("pixel %v is %v, want %v", at, got, want)
		}
	}
}

func TestWriteColourRefuses(t *testing.T) {
	classes := []segment.Class{{Name: "a", Color: "#000000"}, {Name: "b", Color: "red"}}
	if err := mask.WriteColour(io.Discard, labelled(0, 1, 0), classes); err == nil {
		t.Error("an invalid colour was accepted")
	}
}

func TestWriteSuperpixels(t *testing.T) {
	m := threeRegions()
	var b bytes.Buffer
	if err := mask.WriteSuperpixels(&b, m); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	grey, ok := img.(*image.Gray16)
	if !ok {
		t.Fatalf("decoded as %T, want 16-bit grey", img)
	}
	for y := range m.Height {
		for x := range m.Width {
			if got := int(grey.Gray16At(x, y).Y); got != m.At(x, y) {
				t.Errorf("pixel (%d, %d) is %d, want %d", x, y, got, m.At(x, y))
			}
		}
	}
	if err := mask.WriteSuperpixels(io.Discard, &superpixels.Runs{Width: 1, Height: 1, N: 1<<16 + 1}); err == nil {
		t.Error("65,537 superpixels were accepted")
	}
}

// The picture of a mask is never held: what a writer allocates does not grow
// with the height.
func TestFlatMemory(t *testing.T) {
	const width = 2000
	classes := []segment.Class{{Name: "a", Color: "#102030"}}
	writers := map[string]func(mask.Mask, *superpixels.Runs) error{
		"index":       func(m mask.Mask, _ *superpixels.Runs) error { return mask.WriteIndex(io.Discard, m) },
		"colour":      func(m mask.Mask, _ *superpixels.Runs) error { return mask.WriteColour(io.Discard, m, classes) },
		"superpixels": func(_ mask.Mask, m *superpixels.Runs) error { return mask.WriteSuperpixels(io.Discard, m) },
	}
	for name, write := range writers {
		allocated := func(height int) uint64 {
			pixels := mask.Mask{Width: width, Height: height, Pixels: make([]uint8, width*height)}
			m := (&superpixels.Map{Width: width, Height: height, N: 1, Labels: make([]int32, width*height)}).Runs()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := write(pixels, m); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		low, high := allocated(10), allocated(2000) // 4 MB of picture
		if high > low+2<<20 {                       // one of them may need a new compressor
			t.Errorf("%s: 10 rows allocate %d bytes and 2,000 rows %d", name, low, high)
		}
	}
}

func BenchmarkMask(b *testing.B) {
	m := &superpixels.Map{Width: 4000, Height: 3000, N: 80 * 60, Labels: make([]int32, 12_000_000)}
	pixels := mask.Mask{Width: m.Width, Height: m.Height, Pixels: make([]uint8, len(m.Labels))}
	for i := range m.Labels { // regions of 50×50 pixels, as a photograph has
		m.Labels[i] = int32(i%4000/50 + i/4000/50*80)
		pixels.Pixels[i] = uint8(m.Labels[i] * 7 % 3)
	}
	runs := m.Runs()
	classes := []segment.Class{{Color: "#102030"}, {Color: "#405060"}, {Color: "#708090"}}
	for name, write := range map[string]func() error{
		"index":       func() error { return mask.WriteIndex(io.Discard, pixels) },
		"colour":      func() error { return mask.WriteColour(io.Discard, pixels, classes) },
		"superpixels": func() error { return mask.WriteSuperpixels(io.Discard, runs) },
	} {
		b.Run(fmt.Sprintf("%s/pixels=12M", name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := write(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An object of an export takes the memory of its picture, not that of a compressor, and
// what was compressed before it makes no difference.
func TestSmallPNGs(t *testing.T) {
	small := func() []byte {
		var b bytes.Buffer
		if err := mask.WritePNG(&b, mask.Grey8, 20, 20, func(y int, dst []byte) { dst[y] = 255 }); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := small()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 200 {
		if !bytes.Equal(small(), first) {
			t.Fatal("the same picture has other bytes")
		}
	}
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 80 { // the race detector empties pools now and then
		t.Errorf("200 small pictures took %d MiB", taken)
	}
}
