package superpixels

import (
	"encoding"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"
)

var sizes = [][2]int{{481, 321}, {500, 375}, {1000, 600}, {2000, 1500}, {4000, 3000}}

func BenchmarkNewHierarchy(b *testing.B) {
	for _, s := range sizes {
		img := photo(s[0], s[1])
		b.Run(fmt.Sprintf("size=%dx%d", s[0], s[1]), func(b *testing.B) {
			b.ReportAllocs()
			n := 4 * DefaultRegions(s[0], s[1])
			for b.Loop() {
				NewHierarchy(img, n)
			}
		})
	}
}

func BenchmarkAt(b *testing.B) {
	for _, s := range sizes {
		h := NewHierarchy(photo(s[0], s[1]), 4*DefaultRegions(s[0], s[1]))
		b.Run(fmt.Sprintf("size=%dx%d", s[0], s[1]), func(b *testing.B) {
			for b.Loop() {
				h.At(DefaultRegions(s[0], s[1]))
			}
		})
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	benchmarkUnmarshal(b, func(h *Hierarchy, _ *Graph) coded { return h })
}

func BenchmarkUnmarshalGraph(b *testing.B) {
	benchmarkUnmarshal(b, func(_ *Hierarchy, g *Graph) coded { return g })
}

type coded interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// benchmarkUnmarshal reads what of returns of divided photographs.
func benchmarkUnmarshal(b *testing.B, of func(h *Hierarchy, g *Graph) coded) {
	for _, s := range sizes {
		data, err := of(Divide(photo(s[0], s[1]), 4*DefaultRegions(s[0], s[1]))).MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("size=%dx%d", s[0], s[1]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := of(&Hierarchy{}, &Graph{}).UnmarshalBinary(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDescribe(b *testing.B) {
	for _, s := range sizes {
		img := photo(s[0], s[1])
		m := NewHierarchy(img, DefaultRegions(s[0], s[1])).At(DefaultRegions(s[0], s[1]))
		b.Run(fmt.Sprintf("size=%dx%d/n=%d", s[0], s[1], m.N), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Describe(img, m)
			}
		})
	}
}

// photo draws an image with the statistics of a photograph: smooth shading,
// soft blobs, texture in some of them, and sensor noise.
func photo(width, height int) *image.NRGBA {
	rng := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	type blob struct{ x, y, r, texture, red, green, blue float64 }
	blobs := make([]blob, 40)
	for i := range blobs {
		blobs[i] = blob{
			rng.Float64(), rng.Float64(), 0.02 + 0.15*rng.Float64(), 30 * max(rng.Float64()-0.5, 0),
			256 * rng.Float64(), 256 * rng.Float64(), 256 * rng.Float64(),
		}
	}
	for y := range height {
		for x := range width {
			u, v := float64(x)/float64(width), float64(y)/float64(height)
			red, green, blue, texture := 90+60*u, 120+40*v, 200-120*v, 0.0
			for _, b := range blobs {
				du, dv := u-b.x, v-b.y
				if du*du+dv*dv < b.r*b.r {
					red, green, blue, texture = b.red, b.green, b.blue, b.texture
				}
			}
			shade := texture*math.Sin(u*300)*math.Cos(v*260) + 3*rng.NormFloat64()
			px := img.Pix[y*img.Stride+4*x:]
			for c, value := range [3]float64{red, green, blue} {
				px[c] = uint8(min(max(value+shade, 0), 255))
			}
			px[3] = 255
		}
	}
	return img
}
