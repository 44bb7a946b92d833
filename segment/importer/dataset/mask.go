package dataset

import (
	"bytes"
	"image"
	"slices"

	"collie/segment"
)

// Mask is the labelling of one image. Masks are yielded one by one, without
// their pixels; each is valid until the next one.
type Mask struct {
	Image string // file name of the image in the data set, or of the mask
	File  string // source of the mask, for people

	// Beside is the path of Image if it is relative to the file that names it; empty where no
	// file does.
	Beside string

	// SizeOf returns the size of the image as it is displayed, for files that don't say it.
	// It is set before Draw is called.
	SizeOf func() (image.Point, error)

	// Draw sets the following fields. give, which is never nil, returns the
	// memory; the pixels must not be used after that.
	Draw func() (give func(), err error)

	Width, Height int // pixels
	Pixels        []uint8
	Objects       []int32  // shape or object that each pixel belongs to, or -1; nil where the data set has none
	object        int32    // that is being drawn
	effort        int64    // spent on shapes so far; see spend
	thin          int      // outlines of COCO without area
	Regions       int      // shapes, annotations or numbered objects in the file
	smooth        bool     // a border may fade from 0 to 255; see findWhite
	White         bool     // all numbers are 0 and 255, as programs write masks of one object
	Lossy         []string // what the labelling can't hold, for people
}

// MaskError is a problem with one image's mask; the import continues with the
// others.
type MaskError struct {
	Image string // or the name of the file that has the problem
	Err   error
}

func (e *MaskError) Error() string { return e.Image + ": " + e.Err.Error() }

// Unwrap returns the problem itself.
func (e *MaskError) Unwrap() error { return e.Err }

// measured returns the size that the mask's file says, or else that of the image, which the
// report then says.
func (m *Mask) measured(width, height int) (int, int, error) {
	if width != 0 && height != 0 {
		return width, height, nil
	}
	size, err := m.SizeOf()
	if err == nil {
		m.Lossy = append(m.Lossy, "the file doesn't say how large its image is; it was taken to have the size of the image here")
	}
	return size.X, size.Y, err
}

// applied estimates the memory for turning a mask into an event, in bytes.
const applied = 32 << 20

// start sets the mask's size and fills it; drawing can take more bytes per
// pixel than the mask's one.
func (m *Mask) start(width, height int, fill uint8, more int, o Options) (give func(), err error) {
	if err := checkSize(int64(width), int64(height), o); err != nil {
		return func() {}, err
	}
	give, err = o.lend(o.context, int64(width)*int64(height)*int64(1+more)+applied)
	if err != nil {
		return func() {}, err
	}
	m.Width, m.Height, m.Pixels = width, height, bytes.Repeat([]byte{fill}, width*height)
	return give, nil
}

// What the shapes of one image can take: painting all its pixels so often by rows, and
// of any image so many. That is seconds, during which others wait for the memory.
const (
	maxEffort = 100
	anyEffort = 1 << 28
)

// What takes as long as painting so many pixels by rows.
const (
	stepEffort   = 2 // a step along an outline
	cropEffort   = 8 // decoding a pixel of a shape's own mask
	columnEffort = 8 // painting a pixel by columns, which are far apart in memory
)

// spend counts what drawing a shape takes, in pixels painted.
func (m *Mask) spend(pixels int) error {
	if m.effort += int64(pixels); m.effort > maxEffort*int64(len(m.Pixels))+anyEffort {
		return segment.Errorf(segment.TooLarge, "Its shapes cover the image too many times over, or have too long outlines; together they are more work than the limit for one image.")
	}
	return nil
}

func checkSize(width, height int64, o Options) error {
	if width < 1 || height < 1 || max(width, height) > int64(o.MaxSide) || width*height > int64(o.MaxPixels) {
		return segment.Errorf(segment.TooLarge, "The mask has %d×%d pixels; the limit is %g million in total and %d per side.", width, height, float64(o.MaxPixels)/1e6, o.MaxSide)
	}
	return nil
}

// objectBytes is the memory per pixel for telling shapes apart: the number of the shape.
const objectBytes = 4

// trackObjects makes drawing remember which shape each pixel belongs to.
func (m *Mask) trackObjects() {
	m.Objects = slices.Repeat([]int32{-1}, len(m.Pixels))
}

// set gives a pixel the class of the shape that is being drawn.
func (m *Mask) set(pixel int, class uint8) {
	m.Pixels[pixel] = class
	if m.Objects != nil {
		m.Objects[pixel] = m.object
	}
}
