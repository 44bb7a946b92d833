// Package palette makes colours for classes that people can tell apart, also those
// who don't see red, green or blue.
package palette

import (
	"fmt"
	"math"
	"slices"
)

// chosen are the first colours of the palette, for the background and the classes
// that most projects have.
var chosen = []string{"#5b6b7f", "#f2a541", "#2f9e8f"}

// Colors returns a number of colours, #rrggbb: all differ, the first ones most.
// O(count · grid), about 10 ms for 255.
func Colors(count int) []string { return extended(chosen, count) }

// extended adds colours until there are count: each the one of a grid whose
// nearest colour so far is farthest away, by the least of what people with normal,
// red-blind, green-blind and blue-blind vision see (Gonzalez 1985,
// doi:10.1016/0304-3975(85)90224-5).
func extended(colors []string, count int) []string {
	colors = slices.Clone(colors)
	grid := grid()
	gaps := slices.Repeat([]float64{math.Inf(1)}, len(grid)) // squared, to the nearest colour
	note := func(seen look) {
		for i, c := range grid {
			gaps[i] = min(gaps[i], c.apart(seen))
		}
	}
	for _, c := range colors {
		var r, g, b uint8
		_, _ = fmt.Sscanf(c, "#%02x%02x%02x", &r, &g, &b)
		note(seen(r, g, b))
	}
	for len(colors) < count {
		best := 0
		for i, gap := range gaps {
			if gap > gaps[best] {
				best = i
			}
		}
		colors = append(colors, grid[best].hex)
		note(grid[best])
	}
	return colors
}

// look is a colour as each kind of vision sees it, in Oklab (Ottosson 2020).
type look struct {
	hex string
	lab [4][3]float64
}

// apart is the squared distance to another colour for whoever sees it as the
// smallest.
func (a look) apart(b look) float64 {
	least := math.Inf(1)
	for v := range a.lab {
		sum := 0.0
		for i := range 3 {
			d := a.lab[v][i] - b.lab[v][i]
			sum += d * d
		}
		least = min(least, sum*weights[v])
	}
	return least
}

// grid holds colours that can be told from the black and the white of lines.
func grid() []look {
	const step = 15
	var out []look
	for r := 0; r < 256; r += step {
		for g := 0; g < 256; g += step {
			for b := 0; b < 256; b += step {
				if c := seen(uint8(r), uint8(g), uint8(b)); c.lab[0][0] > 0.38 && c.lab[0][0] < 0.92 {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// visions turn linear red, green and blue into what is seen: normal, protanopia,
// deuteranopia, tritanopia (Machado, Oliveira and Fernandes 2009,
// doi:10.1109/TVCG.2009.113, severity 1).
var visions = [4][3][3]float64{
	{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// weights of squared distances: most people have normal vision and should see
// larger ones, hardly anyone is blue-blind.
var weights = [4]float64{0.35, 1, 1, 3}

// Oklab from linear red, green and blue, by way of cone responses.
var (
	cones = [3][3]float64{{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005}}
	oklab = [3][3]float64{{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099}, {0.0259040371, 0.7827717662, -0.8086757660}}
)

func seen(r, g, b uint8) look {
	linear := [3]float64{linear(r), linear(g), linear(b)}
	c := look{hex: fmt.Sprintf("#%02x%02x%02x", r, g, b)}
	for v, vision := range visions {
		light := times(vision, linear)
		for i := range light {
			light[i] = min(1, max(0, light[i]))
		}
		response := times(cones, light)
		for i := range response {
			response[i] = math.Cbrt(response[i])
		}
		c.lab[v] = times(oklab, response)
	}
	return c
}

// linear is the light of a channel in sRGB, 0..1.
func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}
