package main

import (
	"image"
	"math"
)

// develop turns linear light into the final image: a slightly soft lens with a
// little flare and vignetting, the curve of a film, grain. It uses the exposure
// up.
func develop(exposure []vec) *image.NRGBA {
	veil := glare(exposure)
	soften(exposure)
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	rows(func(y int) {
		for x := range width {
			dx := (float64(x) - width/2) / (width / 2)
			dy := (float64(y) - height/2) / (width / 2)
			r2 := dx*dx + dy*dy
			c := exposure[y*width+x].mix(veil.at(x, y), 0.04).mul(1.12 / ((1 + 0.20*r2) * (1 + 0.20*r2)))
			grey := 0.25*c.x + 0.6*c.y + 0.15*c.z // dyes overlap: no colour is pure
			// Grain: noise of the light itself, coarser than a pixel.
			g := grain(x, y, 0)
			i := out.PixOffset(x, y)
			for k, v := range [3]float64{c.x, c.y, c.z} {
				s := tone(lerp(v, grey, 0.07))
				s += (0.008 + 0.024*s*(1-s)) * (g + 0.45*grain(x, y, int32(k)+1))
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
	return 1.5 * (a + 0.35*b + 0.35*c - 0.85)
}

// soften blurs an exposure, in place, as a lens does a little: a binomial
// kernel, separable.
func soften(exposure []vec) {
	const side, mid = 0.17, 0.66
	across := make([]vec, len(exposure))
	rows(func(y int) {
		row := exposure[y*width : (y+1)*width]
		for x := range width {
			a, b := row[max(x-1, 0)], row[min(x+1, width-1)]
			across[y*width+x] = row[x].mul(mid).add(a.add(b).mul(side))
		}
	})
	rows(func(y int) {
		up, down := max(y-1, 0)*width, min(y+1, height-1)*width
		for x := range width {
			exposure[y*width+x] = across[y*width+x].mul(mid).add(across[up+x].add(across[down+x]).mul(side))
		}
	})
}

// haze is light scattered far by the glass: an image of one value for each
// block by block pixels.
type haze []vec

const (
	block      = 16
	hazeWide   = width / block
	hazeTall   = height / block
	hazePasses = 10 // passes of the kernel: about three blocks of blur
)

// glare collects the haze of an exposure.
func glare(exposure []vec) haze {
	h := make(haze, hazeWide*hazeTall)
	for y := range height {
		line := h[y/block*hazeWide:][:hazeWide]
		for x, c := range exposure[y*width : (y+1)*width] {
			line[x/block] = line[x/block].add(c.mul(1.0 / (block * block)))
		}
	}
	next := make(haze, len(h))
	for range hazePasses {
		for y := range hazeTall {
			for x := range hazeWide {
				sides := h.block(x-1, y).add(h.block(x+1, y)).add(h.block(x, y-1)).add(h.block(x, y+1))
				next[y*hazeWide+x] = h.block(x, y).mul(0.2).add(sides.mul(0.2))
			}
		}
		h, next = next, h
	}
	return h
}

func (h haze) block(x, y int) vec {
	return h[min(max(y, 0), hazeTall-1)*hazeWide+min(max(x, 0), hazeWide-1)]
}

// at interpolates the haze at pixel (x, y).
func (h haze) at(x, y int) vec {
	i, u := split((float64(x)+0.5)/block - 0.5)
	j, v := split((float64(y)+0.5)/block - 0.5)
	c, r := int(i), int(j)
	up := h.block(c, r).mix(h.block(c+1, r), u)
	return up.mix(h.block(c, r+1).mix(h.block(c+1, r+1), u), v)
}

// tones tabulates [curve] over the square root of light, 0 to maxLight.
var tones = func() (table [2050]float64) {
	for i := range table {
		r := float64(i) / toneStep
		table[i] = curve(r * r)
	}
	return table
}()

const (
	maxLight = 16.0
	toneStep = 2048 / 4.0 // entries per unit of √light, up to √maxLight
)

func tone(v float64) float64 {
	r := math.Sqrt(min(max(v, 0), maxLight)) * toneStep
	i := int(r)
	return lerp(tones[i], tones[i+1], r-float64(i))
}

// curve maps linear light to the 0..1 of an sRGB byte as a film does: light
// saturates exponentially (so highlights roll off and keep their hue for long),
// and the print adds contrast around the middle.
func curve(v float64) float64 {
	v = 1 - math.Exp(-1.25*v)
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return lerp(v, v*v*(3-2*v), 0.55)
}
