package dataset

import (
	"image"
	"math"
	"strconv"
	"strings"

	"collie/segment"
)

// cvatShape is an element of an image, such as a polygon, with its attributes.
type cvatShape struct {
	kind string
	of   map[string]string
}

// drawCVATShape draws a shape as CVAT does where it exports masks: outlines as those of COCO.
func (m *Mask) drawCVATShape(s cvatShape, class uint8) (drawn bool, err error) {
	switch s.kind {
	case "polygon":
		outline, err := numbersIn(strings.ReplaceAll(s.of["points"], ";", ","))
		if err == nil {
			_, err = m.fill(outline, class)
		}
		return true, err
	case "box":
		at, err := s.numbers("xtl", "ytl", "xbr", "ybr")
		if err == nil {
			_, err = m.fill(turned([]float64{at[0], at[1], at[2], at[1], at[2], at[3], at[0], at[3]}, (at[0]+at[2])/2, (at[1]+at[3])/2, s.rotation()), class)
		}
		return true, err
	case "ellipse":
		at, err := s.numbers("cx", "cy", "rx", "ry")
		if err != nil {
			return true, err
		}
		_, err = m.fill(turned(ellipse(at[0], at[1], at[2], at[3]), at[0], at[1], s.rotation()), class)
		return true, err
	case "mask":
		return true, m.stampRuns(s, class)
	case "polyline", "points":
		return false, nil
	}
	return false, errKind
}

// rotation is that of the shape around its middle, in degrees clockwise.
func (s cvatShape) rotation() float64 {
	degrees, _ := strconv.ParseFloat(s.of["rotation"], 64) // without one it isn't turned
	return degrees
}

// ellipse is the outline of one around (x, y).
func ellipse(x, y, radiusX, radiusY float64) []float64 {
	var outline []float64
	for degree := range 360 {
		sin, cos := math.Sincos(float64(degree) * math.Pi / 180)
		outline = append(outline, x+radiusX*cos, y+radiusY*sin)
	}
	return outline
}

// turned turns an outline around (x, y), by degrees clockwise, and returns it.
func turned(outline []float64, x, y, degrees float64) []float64 {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	for i := 0; degrees != 0 && i < len(outline); i += 2 {
		dx, dy := outline[i]-x, outline[i+1]-y
		outline[i], outline[i+1] = x+dx*cos-dy*sin, y+dx*sin+dy*cos
	}
	return outline
}

// stampRuns sets the pixels of a mask: runs through the rows of its box, those outside it first.
func (m *Mask) stampRuns(s cvatShape, class uint8) error {
	at, err := s.numbers("left", "top", "width", "height")
	if err != nil {
		return err
	}
	runs, err := numbersIn(s.of["rle"])
	if err != nil {
		return err
	}
	box := image.Rect(int(at[0]), int(at[1]), int(at[0]+at[2]), int(at[1]+at[3]))
	if box.Empty() || !box.In(image.Rect(0, 0, m.Width, m.Height)) {
		return segment.Errorf(segment.Unreadable, "Its box of %g×%g pixels at (%g, %g) is not in the image of %d×%d pixels.", at[2], at[3], at[0], at[1], m.Width, m.Height)
	}
	pixel, all := 0, box.Dx()*box.Dy()
	for i, run := range runs {
		if !(run >= 0 && run <= float64(all-pixel)) {
			return segment.Errorf(segment.Unreadable, "Its runs of pixels are longer than its box of %d×%d.", box.Dx(), box.Dy())
		}
		for range int(run) {
			if i%2 == 1 {
				m.set((box.Min.Y+pixel/box.Dx())*m.Width+box.Min.X+pixel%box.Dx(), class)
			}
			pixel++
		}
	}
	return m.spend(pixel + len(runs))
}

// numbers returns attributes that are numbers.
func (s cvatShape) numbers(names ...string) ([]float64, error) {
	var values []string
	for _, name := range names {
		values = append(values, s.of[name])
	}
	return numbersIn(strings.Join(values, ","))
}

// numbersIn reads numbers between commas.
func numbersIn(list string) ([]float64, error) {
	out := make([]float64, 0, strings.Count(list, ",")+1)
	for text := range strings.SplitSeq(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return nil, segment.Errorf(segment.Unreadable, "%.20q is no number.", text)
		}
		out = append(out, v)
	}
	return out, nil
}
