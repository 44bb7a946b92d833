package sample

import (
	"image"
	"math"
)

// develop turns linear light into the final image: a slightly soft lens with a
// little flare and vignetting, the curve of a film, grain.
func develop(exposure []vec) *image.NRGBA {
	soft := soften(exposure)
	out := image.NewNRGBA(image.Rect(0, 0, Width, Height))
	rows(func(y int) {
		for x := range Width {
			dx := (float64(x) - Width/2) / (Width / 2)
			dy := (float64(y) - Height/2) / (Width / 2)
			r2 := dx*dx + dy*dy
			c := soft[y*Width+x].mul(1.05 / ((1 + 0.20*r2) * (1 + 0.20*r2)))
			// Grain: noise of the light itself, coarser than a pixel.
			g := grain(x, y, 0)
			i := out.PixOffset(x, y)
			for k, v := range [3]float64{c.x, c.y, c.z} {
				s := curve(v)
				s += (0.008 + 0.012*s*(1-s)*4*0.5) * (g + 0.45*grain(x, y, int32(k)+1))
				out.Pix[i+k] = uint8(clamp(s)*255 + 0.5)
			}
			out.Pix[i+3] = 255
		}
	})
	return out
}

// grain is triangular noise, a little correlated along the row and column.
func grain(x, y int, layer int32) float64 {
	a := unitHash(int32(x), int32(y), 101+layer)
	b := unitHash(int32(x+1), int32(y), 101+layer)
	c := unitHash(int32(x), int32(y+1), 101+layer)
	return 1.3 * (a + 0.6*b + 0.6*c - 1.1)
}

// soften blurs by the lens: a binomial kernel, separable.
func soften(in []vec) []vec {
	const side, mid = 0.17, 0.66
	across := make([]vec, len(in))
	rows(func(y int) {
		row := in[y*Width : (y+1)*Width]
		for x := range Width {
			a, b := row[max(x-1, 0)], row[min(x+1, Width-1)]
			across[y*Width+x] = row[x].mul(mid).add(a.add(b).mul(side))
		}
	})
	out := make([]vec, len(in))
	rows(func(y int) {
		up, down := max(y-1, 0)*Width, min(y+1, Height-1)*Width
		for x := range Width {
			out[y*Width+x] = across[y*Width+x].mul(mid).add(across[up+x].add(across[down+x]).mul(side))
		}
	})
	return out
}

// curve maps linear light to the 0..1 of an sRGB byte with the shoulder and toe
// of film; the rational fit is K. Narkowicz's of the ACES curve (2015).
func curve(v float64) float64 {
	v = max(v, 0) * 0.85
	v = clamp(v * (2.51*v + 0.03) / (v*(2.43*v+0.59) + 0.14))
	if v <= 0.0031308 {
		return 12.92 * v
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
