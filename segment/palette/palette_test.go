package palette

import (
	"fmt"
	"math"
	"testing"
)

// lab is a colour in CIELAB, as seen with a vision of Viénot, Brettel and Mollon
// 1999: measures other than those that the palette is made by.
func lab(t *testing.T, hex, vision string) [3]float64 {
	t.Helper()
	var c [3]uint8
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &c[0], &c[1], &c[2]); err != nil {
		t.Fatalf("%q: %v", hex, err)
	}
	r, g, b := math.Pow(float64(c[0])/255, 2.2), math.Pow(float64(c[1])/255, 2.2), math.Pow(float64(c[2])/255, 2.2)
	switch vision {
	case "red-blind":
		r, g, b = 0.1124*r+0.8876*g, 0.1124*r+0.8876*g, 0.0040*r-0.0040*g+b
	case "green-blind":
		r, g, b = 0.2928*r+0.7072*g, 0.2928*r+0.7072*g, -0.0223*r+0.0223*g+b
	}
	f := func(v float64) float64 { return math.Cbrt(max(0, v)) }
	x, y, z := f((0.4124*r+0.3576*g+0.1805*b)/0.9505), f(0.2126*r+0.7152*g+0.0722*b), f((0.0193*r+0.1192*g+0.9505*b)/1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// Classes can be distinguished by their colours, even by people who don't see red
// or green; less well with many classes.
func TestPalette(t *testing.T) {
	const most = 255
	colors := Colors(most)
	if len(colors) != most {
		t.Fatalf("%d colours of %d", len(colors), most)
	}
	visions := map[string][][3]float64{}
	for _, vision := range []string{"normal", "red-blind", "green-blind"} {
		for _, c := range colors {
			visions[vision] = append(visions[vision], lab(t, c, vision))
		}
	}
	for _, tt := range []struct {
		first           int
		normal, deficit float64 // CIE76 distances; 2.3 is just noticeable
	}{{20, 20, 11}, {40, 16, 6}, {64, 10, 4.5}, {most, 5, 0.5}} {
		for vision, seen := range visions {
			want := tt.normal
			if vision != "normal" {
				want = tt.deficit
			}
			least, pair := math.Inf(1), ""
			for i, p := range seen[:tt.first] {
				for j, q := range seen[:i] {
					if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < least {
						least, pair = d, colors[i]+" and "+colors[j]
					}
				}
			}
			if least < want {
				t.Errorf("of the first %d, %s are %.1f apart for %s vision, want %.1f", tt.first, pair, least, vision, want)
			}
		}
	}
}
