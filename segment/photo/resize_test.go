package photo

import (
	"image"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// plainly reduces by the definition, in floating point: rows, rounded, then
// columns.
func plainly(img *image.NRGBA, size image.Point, k kernel) *image.NRGBA {
	weigh := func(pixels, samples, s int, at func(i int) uint8) uint8 {
		ratio := float64(pixels) / float64(samples)
		centre := (float64(s)+0.5)*ratio - 0.5
		sum, value := 0.0, 0.0
		for i := range pixels {
			if x := float64(i); x >= centre-k.reach*ratio && x <= centre+k.reach*ratio {
				weight := k.at(math.Abs(x-centre) / ratio)
				sum += weight
				value += weight * float64(at(i))
			}
		}
		return uint8(min(max(math.Round(value/sum), 0), 255))
	}
	from := img.Rect.Size()
	rows := image.NewNRGBA(image.Rect(0, 0, size.X, from.Y))
	for y := range from.Y {
		for i := range 4 * size.X {
			rows.Pix[y*rows.Stride+i] = weigh(from.X, size.X, i/4, func(x int) uint8 { return img.Pix[y*img.Stride+4*x+i%4] })
		}
	}
	out := image.NewNRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for i := range 4 * size.X {
			out.Pix[y*out.Stride+i] = weigh(from.Y, size.Y, y, func(y int) uint8 { return rows.Pix[y*rows.Stride+i] })
		}
	}
	return out
}

func TestReduce(t *testing.T) {
	kernels := map[string]kernel{"Catmull-Rom": catmullRom, "box": box}
	rapid.Check(t, func(t *rapid.T) {
		img := image.NewNRGBA(image.Rect(0, 0, rapid.IntRange(1, 24).Draw(t, "width"), rapid.IntRange(1, 24).Draw(t, "height")))
		size := image.Pt(rapid.IntRange(1, img.Rect.Dx()).Draw(t, "columns"), rapid.IntRange(1, img.Rect.Dy()).Draw(t, "rows"))
		// Black and white overshoot most.
		colour := rapid.OneOf(rapid.SampledFrom([]uint8{0, 255}), rapid.Uint8())
		img.Pix = rapid.SliceOfN(colour, len(img.Pix), len(img.Pix)).Draw(t, "pixels")
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 255
		}
		for name, k := range kernels {
			got, want := reduce(img, size, k), plainly(img, size, k)
			if got.Rect != want.Rect {
				t.Fatalf("%s: %v, want %v", name, got.Rect, want.Rect)
			}
			for i, v := range got.Pix {
				// One in a row changes a column by up to 1¼.
				if d := int(v) - int(want.Pix[i]); d < -2 || d > 2 {
					t.Fatalf("%s: byte %d of pixel %d is %d, want %d", name, i%4, i/4, v, want.Pix[i])
				}
			}
		}
	})
}

// The weights of a sample sum to a unit, so that even areas keep their colour, and
// no sum of weighted pixels leaves its lane.
func TestTaps(t *testing.T) {
	for _, k := range []kernel{catmullRom, box} {
		for pixels := 1; pixels <= 300; pixels++ {
			for _, samples := range []int{1, (pixels + 1) / 2, pixels * 64 / 100, pixels - 1, pixels} {
				if samples < 1 {
					continue
				}
				for s, tap := range k.taps(pixels, samples) {
					low, high := 0, 0
					for _, w := range tap.weights {
						low, high = low+min(int(int64(w)), 0), high+max(int(int64(w)), 0)
					}
					if low+high != unit || low*255 < -below*unit || high*255 >= (len(clamped)-below-1)*unit {
						t.Fatalf("%d to %d pixels: the weights of number %d sum to %d and %d", pixels, samples, s, high, low)
					}
					if tap.first < 0 || tap.first+len(tap.weights) > pixels {
						t.Fatalf("%d to %d pixels: number %d reads %d pixels from %d", pixels, samples, s, len(tap.weights), tap.first)
					}
				}
			}
		}
	}
}
