package superpixels

import "math"

// planes holds CIELAB, one float32 per channel and pixel, row-major.
type planes struct {
	width, height int
	l, a, b       []float32
}

// planesIn returns planes that use the first 3·width·height numbers of room.
func planesIn(room []float32, width, height int) *planes {
	n := width * height
	return &planes{width, height, room[:n], room[n : 2*n], room[2*n : 3*n]}
}

const (
	labBits           = 14                           // resolution of the tables of the CIELAB function f
	labUnit           = 1<<20 - 4                    // white in the sums of linear; three roundings stay below 1<<20
	labShift, labMask = 20 - labBits, 1<<labBits - 1 // from a sum to a place in these tables

	// The blur runs on f(X), f(Y) and f(Z), because L, a and b depend on them
	// linearly. A packed colour holds all three as integers: f(X) in the low
	// fieldBits bits, f(Y) in the next, f(Z) on top.
	fieldBits = 21
	fieldMask = 1<<fieldBits - 1
	fieldUnit = 1<<13 - 1       // f = 1 before the blur,
	blurUnit  = 256 * fieldUnit // and after it, whose weights sum to 256
)

var (
	// linear[c][v] is the contribution of channel c with value v to X, Y and
	// Z relative to the white point D65, in units of 1/labUnit: X in the low
	// 21 bits, Y in the next, Z on top, so that one addition serves all three.
	linear [3][256]uint64
	// labF[i] is f(i/2^labBits) of CIE 15:2004 §8.2.1, fieldF[i] the same in units of
	// 1/fieldUnit.
	labF   [1 << labBits]float32
	fieldF [1 << labBits]uint16
)

func init() {
	// Linear sRGB to XYZ, IEC 61966-2-1, rows divided by the D65 white.
	matrix := [3][3]float64{
		{0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047},
		{0.2126729, 0.7151522, 0.0721750},
		{0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883},
	}
	for v := range 256 {
		s := float64(v) / 255
		lin := s / 12.92
		if s > 0.04045 {
			lin = math.Pow((s+0.055)/1.055, 2.4)
		}
		for c := range 3 {
			for k := range 3 {
				linear[c][v] |= uint64(math.Round(matrix[k][c]*lin*labUnit)) << (21 * k)
			}
		}
	}
	for i := range labF {
		t := float64(i) / (1 << labBits)
		if t > 216.0/24389 {
			labF[i] = float32(math.Cbrt(t))
		} else {
			labF[i] = float32((float64(24389.0/27*t) + 16) / 116)
		}
		fieldF[i] = uint16(math.Round(float64(labF[i]) * fieldUnit))
	}
}

// labPixel converts one sRGB pixel.
func labPixel(r, g, b uint8) (l, a, bb float32) {
	sum := linear[0][r] + linear[1][g] + linear[2][b]
	fx, fy, fz := labF[sum>>labShift&labMask], labF[sum>>(21+labShift)&labMask], labF[sum>>(42+labShift)&labMask]
	return float32(116*fy) - 16, 500 * (fx - fy), 200 * (fy - fz)
}

// packRow sets a row of packed colours to one of an image. Alpha is ignored.
func packRow(dst []uint64, pix []uint8) {
	for x := range dst {
		px := pix[4*x : 4*x+4 : 4*x+4]
		sum := linear[0][px[0]] + linear[1][px[1]] + linear[2][px[2]]
		fx, fy, fz := fieldF[sum>>labShift&labMask], fieldF[sum>>(21+labShift)&labMask], fieldF[sum>>(42+labShift)&labMask]
		dst[x] = uint64(fx) | uint64(fy)<<fieldBits | uint64(fz)<<(2*fieldBits)
	}
}

// unpack returns the CIELAB colour of a packed one after the blur.
func unpack(packed uint64) (l, a, b float32) {
	fx, fy, fz := int32(packed&fieldMask), int32(packed>>fieldBits&fieldMask), int32(packed>>(2*fieldBits))
	return float32(116.0/blurUnit*float32(fy)) - 16, 500.0 / blurUnit * float32(fx-fy), 200.0 / blurUnit * float32(fy-fz)
}
