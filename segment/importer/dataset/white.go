package dataset

import (
	"fmt"
	"strconv"

	"collie/segment"
)

// WhiteValue is what 255 is called in a mapping.
const WhiteValue = "255"

const whiteIsUndecided = "all values are 0 or 255, and 255 is undecided unless it is given a class"

// Masks of one object whose border fades from black to white: a class for each grey of it
// would be of no use. Numbered classes have fewer numbers, or larger areas.
const (
	fadingLevels = 8   // greys on either side of the middle, at least
	nearly       = 32  // how far a grey can be from black or white that compression made of it
	fadingShare  = 0.2 // of the pixels with other greys, at most
	levelShare   = .01 // of the pixels with one of these, at most
)

// findWhite finds out whether the mask has the values 0 and 255 and no other, as
// programs write masks of one object. A fading border, where the mask may have one, is cut
// in its middle first.
func (m *Mask) findWhite() {
	var counts [256]int
	for _, p := range m.Pixels {
		counts[p]++
	}
	if counts[0] == 0 || counts[segment.Void] == 0 {
		return
	}
	levels := present(counts[1:segment.Void])
	if m.White = levels == 0; m.White || !m.smooth || !fades(&counts, len(m.Pixels)) {
		return
	}
	for i, p := range m.Pixels {
		m.Pixels[i] = 0
		if p >= 128 {
			m.Pixels[i] = segment.Void
		}
	}
	m.White = true
	m.Lossy = append(m.Lossy, fmt.Sprintf("the borders fade over %d levels of grey; values under 128 were taken for 0, the others for 255", levels))
}

// fades reports whether the greys between black and white are those of a border.
func fades(counts *[256]int, pixels int) bool {
	if present(counts[1:128]) < fadingLevels || present(counts[128:segment.Void]) < fadingLevels {
		return false
	}
	between := 0
	for _, n := range counts[nearly : 256-nearly] {
		if between += n; float64(n) > levelShare*float64(pixels) {
			return false
		}
	}
	return float64(between) <= fadingShare*float64(pixels)
}

// present is how many values occur.
func present(counts []int) (n int) {
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	return n
}

// mapsGrey reports whether the mapping has a number between 0 and 255, which then is no
// shade of a border.
func (o *Options) mapsGrey() bool {
	for value := range o.Mapping {
		if n, err := strconv.Atoi(value); err == nil && n > 0 && n < segment.Void {
			return true
		}
	}
	return false
}
