package photo

import (
	"cmp"
	"image"
	"math"
)

// samples reads TIFF images that the decoder doesn't know: those that store each channel
// by itself, and grey ones of negative, 32-bit or floating-point numbers. Besides the
// image it takes 4 bytes per pixel at most.
type samples struct {
	directory
	size     image.Point
	channels int // 1, 3 or 4
	kind     uint32
	bits     int // per number
	bytes    int // that rows gives for a number
}

// samplesOf returns how to read the image of a directory; ok is false if the decoder does.
func samplesOf(d directory) (s samples, ok bool) {
	first := func(tag uint16, or uint32) uint32 {
		v, _ := d.value(tag, 0)
		return cmp.Or(v, or)
	}
	bits := first(bitsPerSampleTag, 1)
	s = samples{
		d, image.Pt(int(first(imageWidthTag, 0)), int(first(imageLengthTag, 0))),
		int(first(samplesPerPixelTag, 1)), first(sampleFormatTag, unsigned), int(bits), int(max(bits/8, 1)),
	}
	photometric, _ := d.value(photometricTag, 0)
	if s.channels == 1 {
		switch s.kind {
		case unsigned:
			ok = bits == 32
		case signed:
			ok = bits == 16 || bits == 32
		case floating:
			ok = bits == 32 || bits == 64
		}
		return s, ok && photometric == blackIsZero
	}
	for c := range d.find(bitsPerSampleTag).count {
		if b, _ := d.value(bitsPerSampleTag, c); b != bits || c > 3 {
			return s, false
		}
	}
	return s, first(planarTag, 1) == separate && (s.channels == 3 || s.channels == 4) && s.kind == unsigned && (bits == 8 || bits == 16) &&
		(photometric == blackIsZero || photometric == rgb)
}

// decode returns the image. Channels are red, green, blue and perhaps alpha; of other
// numbers the smallest is 1, the largest 65535, and 0 is where there is none.
func (s *samples) decode() (image.Image, error) {
	if s.channels == 1 {
		return s.grey()
	}
	associated := s.channels == 4 && s.fourth() == associatedAlpha
	if s.bytes == 1 {
		img := image.NewNRGBA(image.Rectangle{Max: s.size})
		if associated {
			return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}, s.fill(img.Pix)
		}
		return img, s.fill(img.Pix)
	}
	img := image.NewNRGBA64(image.Rectangle{Max: s.size})
	if associated {
		return &image.RGBA64{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}, s.fill(img.Pix)
	}
	return img, s.fill(img.Pix)
}

// fill puts the numbers of all channels where pixels of four have them. A fourth that the
// file lacks is opaque.
func (s *samples) fill(pix []uint8) error {
	for i := range pix {
		pix[i] = 0xff
	}
	for c := range s.channels {
		err := s.rows(c, func(x, y int, row []byte) error {
			to := pix[(4*(y*s.size.X+x)+c)*s.bytes:]
			for i := 0; i < len(row); i += s.bytes {
				if s.bytes == 1 {
					to[4*i] = row[i]
				} else {
					be.PutUint16(to[4*i:], s.order.Uint16(row[i:]))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// beyond are numbers that stand for missing data, as programs write the largest ones of
// 32 bits for it.
const beyond = 1e30

// grey reads an image of one channel.
func (s *samples) grey() (image.Image, error) {
	values := make([]float32, s.size.X*s.size.Y)
	none, named := s.number(noDataTag)
	lowest, highest := float32(beyond), float32(-beyond)
	err := s.rows(0, func(x, y int, row []byte) error {
		to := values[y*s.size.X+x:]
		for i := range len(row) / s.bytes {
			v := float32(s.numberIn(row[i*s.bytes:]))
			if !(v > -beyond && v < beyond) || named && v == float32(none) {
				v = float32(math.NaN())
			} else {
				lowest, highest = min(lowest, v), max(highest, v)
			}
			to[i] = v
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// A negative number that is farther below all others than they are apart, such as -9999,
	// stands for missing data without being named.
	second := highest
	for _, v := range values {
		if v > lowest && v < second {
			second = v
		}
	}
	if lowest < 0 && second < highest && second-lowest > highest-second {
		lowest = second
	}
	img := image.NewGray16(image.Rectangle{Max: s.size})
	scale := 0.0
	if highest > lowest {
		scale = 65534 / (float64(highest) - float64(lowest))
	}
	for i, v := range values {
		if v >= lowest { // and is not NaN
			be.PutUint16(img.Pix[2*i:], 1+uint16(math.Round((float64(v)-float64(lowest))*scale)))
		}
	}
	return img, nil
}

// numberIn is the number at the beginning of b.
func (s *samples) numberIn(b []byte) float64 {
	switch s.bytes {
	case 1:
		if s.kind == signed {
			return float64(int8(b[0]))
		}
		return float64(b[0])
	case 2:
		if s.kind == signed {
			return float64(int16(s.order.Uint16(b)))
		}
		return float64(s.order.Uint16(b))
	case 4:
		switch v := s.order.Uint32(b); s.kind {
		case floating:
			return float64(math.Float32frombits(v))
		case signed:
			return float64(int32(v))
		default:
			return float64(v)
		}
	}
	switch v := s.order.Uint64(b); s.kind {
	case floating:
		return math.Float64frombits(v)
	case signed:
		return float64(int64(v))
	default:
		return float64(v)
	}
}
