// Package photo is the gate that uploaded files pass before anything else in
// the program sees them. It tells the format by the first bytes, checks sizes
// before it decodes, bounds the memory that all uploads together can take, and
// hands out upright, opaque 8-bit pixels: hostile or broken files end here, as
// an [Error] for the person who sent them.
package photo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"sync"
)

// Limits bound what a gate lets through. The zero value of a field is its
// default.
type Limits struct {
	Bytes  int64 // size of a file; default 64 MiB
	Pixels int   // width × height; default 40,000,000
	Side   int   // width, height; default 16,384
}

func (l Limits) orDefault() Limits {
	if l.Bytes == 0 {
		l.Bytes = 64 << 20
	}
	if l.Pixels == 0 {
		l.Pixels = 40_000_000
	}
	if l.Side == 0 {
		l.Side = 16384
	}
	return l
}

// Gate reads uploads. Safe for concurrent use.
type Gate struct {
	limits Limits
	memory *memory
}

// NewGate returns a gate with the given limits. Its memory is enough for one
// image of the greatest size at a time, or several smaller ones.
func NewGate(limits Limits) *Gate {
	limits = limits.orDefault()
	return &Gate{limits: limits, memory: newMemory(int64(limits.Pixels)*bytesPerPixel + limits.Bytes)}
}

// Photo is an image file that has passed a gate.
type Photo struct {
	Format   string       // jpeg, png, webp, gif, bmp or tiff
	Original []byte       // the file, byte for byte; shared, not to be changed
	Pixels   *image.NRGBA // upright (EXIF orientation applied) and opaque (on white), from (0, 0)

	release func()
}

// Close gives the photo's share of the memory back to its gate, which then lets
// the next one in. The pixels and the original must not be used any more. A
// second Close does nothing.
func (p *Photo) Close() { p.release() }

// Read takes in the file that r delivers and returns its pixels; the caller
// closes the photo when done with it. Of an animation it reads the first frame.
// While the photos that are open fill the gate's memory it waits in a short
// queue. An error that is meant for the person is an *Error; others come from r
// or ctx.
//
// The file is held in memory once, as Photo.Original. Beside it decoding takes
// up to 12 bytes per pixel, more for progressive JPEG and compressed TIFF,
// of which 4 remain as Photo.Pixels.
func (g *Gate) Read(ctx context.Context, r io.Reader) (*Photo, error) {
	format, original, err := g.receive(ctx, r)
	if err != nil {
		return nil, err
	}
	size, err := g.measure(format, original)
	if err != nil {
		return nil, err
	}
	weight := int64(size.X)*int64(size.Y)*bytesPerPixel + int64(len(original))
	if err := g.memory.acquire(ctx, weight, int64(len(original))); err != nil {
		return nil, err
	}
	release := sync.OnceFunc(func() { g.memory.release(weight) })
	pixels, err := decode(format, original, size)
	if err != nil {
		release()
		return nil, err
	}
	return &Photo{Format: format.name, Original: original, Pixels: pixels, release: release}, nil
}

// receive reads the file up to the limit. What is no image by its first bytes
// is refused before the rest has been read.
func (g *Gate) receive(ctx context.Context, r io.Reader) (*format, []byte, error) {
	r = contextReader{ctx, r}
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, fmt.Errorf("reading the upload: %w", err)
	}
	head = head[:n]
	format, err := recognize(head)
	if err != nil {
		return nil, nil, err
	}
	rest := io.LimitReader(r, g.limits.Bytes+1-int64(n))
	original, err := io.ReadAll(io.MultiReader(bytes.NewReader(head), rest))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the upload: %w", err)
	}
	if int64(len(original)) > g.limits.Bytes {
		return nil, nil, refusef(TooLarge, "The file is larger than %s, which is the most that is accepted.", inMiB(g.limits.Bytes))
	}
	return format, original, nil
}

// measure reads the size that the file's header states and holds it against the
// limits.
func (g *Gate) measure(f *format, original []byte) (size image.Point, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = f.broken(fmt.Errorf("panic: %v", p))
		}
	}()
	config, err := f.config(bytes.NewReader(original))
	if err != nil {
		return size, f.broken(err)
	}
	width, height := int64(config.Width), int64(config.Height)
	side, pixels := int64(g.limits.Side), int64(g.limits.Pixels)
	switch {
	case width < 1 || height < 1:
		return size, refusef(Unreadable, "The image has no pixels: its header says %d×%d.", width, height)
	case width > side || height > side:
		return size, refusef(TooLarge, "The image is %d×%d pixels. Up to %d pixels per side are accepted.", width, height, side)
	case width*height > pixels:
		return size, refusef(TooLarge, "The image is %d×%d pixels, which is %.1f megapixels. Up to %g megapixels are accepted.",
			width, height, float64(width*height)/1e6, float64(pixels)/1e6)
	}
	size = image.Pt(config.Width, config.Height)
	if f.check != nil {
		err = f.check(original, size)
	}
	return size, err
}

// decode decodes the file and turns its pixels upright. Decoders and image types
// can panic on hostile input, for example on a palette index out of range, so
// both happen here, on this goroutine, under recover.
func decode(f *format, original []byte, size image.Point) (pixels *image.NRGBA, err error) {
	defer func() {
		if p := recover(); p != nil {
			pixels, err = nil, f.broken(fmt.Errorf("panic: %v", p))
		}
	}()
	img, err := f.decode(bytes.NewReader(original))
	if err != nil {
		return nil, f.broken(err)
	}
	canvas := image.Rectangle{Max: size}
	if !img.Bounds().In(canvas) || img.Bounds().Empty() || !f.frames && img.Bounds() != canvas {
		return nil, f.broken(fmt.Errorf("header says %v, pixels are %v", canvas, img.Bounds()))
	}
	return upright(img, canvas, orientation(f, original)), nil
}

// contextReader ends reading when its context does.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func inMiB(n int64) string { return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20)) }
