// Package photo is the gate that uploaded files pass before anything else in
// the program sees them. It tells the format by the first bytes, checks sizes
// before it decodes, bounds the memory that all uploads together can take, and
// hands out upright, opaque 8-bit pixels: hostile or broken files end here, as
// an [Error] for the person who sent them.
package photo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime"

	"collie/segment/queue"
)

// bytesPerPixel are taken while an image is decoded: up to 8 in the decoder, 4
// as NRGBA.
const bytesPerPixel = 12

// Limits bound what a gate lets through and how much it takes on at once. The
// zero value of a field is its default.
type Limits struct {
	Bytes     int64 // size of a file
	Pixels    int   // width × height
	Side      int   // width, height
	Memory    int64 // bytes that decoding takes at once; at least what one image of the greatest size takes
	Receiving int   // files being received at once, each in memory; others wait
	Queue     int   // files that wait to be received, and files that wait to be decoded; others are refused
	Waiting   int64 // bytes of the files that wait to be decoded
}

// OrDefault returns l with the defaults in place of zeros.
func (l Limits) OrDefault() Limits {
	l.Bytes = cmp.Or(l.Bytes, 64<<20)
	l.Pixels = cmp.Or(l.Pixels, 40_000_000)
	l.Side = cmp.Or(l.Side, 16384)
	l.Memory = max(l.Memory, int64(l.Pixels)*bytesPerPixel+l.Bytes)
	l.Receiving = cmp.Or(l.Receiving, 8)
	l.Queue = cmp.Or(l.Queue, 32)
	l.Waiting = cmp.Or(l.Waiting, 256<<20)
	return l
}

// Gate reads uploads. Safe for concurrent use.
type Gate struct {
	limits    Limits
	receiving *queue.Queue // files
	memory    *queue.Queue // bytes
	decoding  func(ctx context.Context, decode func()) error
}

// NewGate returns a gate with the given limits.
func NewGate(limits Limits) *Gate {
	limits = limits.OrDefault()
	return &Gate{
		limits:    limits,
		receiving: queue.New(int64(limits.Receiving), limits.Queue, limits.Waiting),
		memory:    queue.New(limits.Memory, limits.Queue, limits.Waiting),
		decoding:  func(_ context.Context, decode func()) error { decode(); return nil },
	}
}

// DecodeWith has files decoded by calls through run, which may let them wait;
// its error is one of not having run them. It is set before the first Read.
func (g *Gate) DecodeWith(run func(ctx context.Context, decode func()) error) { g.decoding = run }

// Photo is an image file that has passed a gate. Not safe for concurrent use.
type Photo struct {
	Format   string       // jpeg, png, webp, gif, bmp or tiff
	Original []byte       // the file, byte for byte; shared, not to be changed
	Pixels   *image.NRGBA // upright (EXIF orientation applied) and opaque (on white), from (0, 0)

	shown   *image.NRGBA // the display copy, once it is made
	release func()
}

// Close gives the photo's share of the memory back to its gate, which then lets
// the next one in. The pixels and the original must not be used any more. A
// second Close does nothing.
func (p *Photo) Close() { p.release() }

// collectFrom is the weight in bytes from which on garbage is collected before a
// photo is decoded. The collector goes by the size of the heap, which such a
// photo takes past a limit in one step while those before it are still there.
const collectFrom = 128 << 20

// Read takes in the file that r delivers and returns its pixels; the caller
// closes the photo when done with it. Of an animation it reads the first frame.
// While as many files are being received as the gate takes, and while the photos
// that are open fill its memory, it waits in a short queue. An error that is meant for the person is an *Error; others come from r
// or ctx.
//
// The file is held in memory once, as Photo.Original. Beside it decoding takes
// up to 12 bytes per pixel, more for progressive JPEG and compressed TIFF,
// of which 4 remain as Photo.Pixels.
func (g *Gate) Read(ctx context.Context, r io.Reader) (*Photo, error) {
	return g.ReadToned(ctx, r, nil)
}

// ReadToned is Read with a function that sees the image as the file has it,
// with all its bits and before it is turned upright, and returns what to use in
// its place, of the same size.
func (g *Gate) ReadToned(ctx context.Context, r io.Reader, tone func(image.Image) image.Image) (*Photo, error) {
	format, original, err := g.receive(ctx, r)
	if err != nil {
		return nil, err
	}
	size, err := g.measure(format, original)
	if err != nil {
		return nil, err
	}
	weight := int64(size.X)*int64(size.Y)*bytesPerPixel + int64(len(original))
	release, err := enter(ctx, g.memory, weight, int64(len(original)))
	if err != nil {
		return nil, err
	}
	if weight > collectFrom {
		runtime.GC()
	}
	var pixels *image.NRGBA
	if late := g.decoding(ctx, func() { pixels, err = decode(format, original, size, tone) }); late != nil {
		err = late
	}
	if err != nil {
		release()
		return nil, err
	}
	return &Photo{Format: format.name, Original: original, Pixels: pixels, release: release}, nil
}

// receive reads the file up to the limit. What is no image by its first bytes
// is refused before the rest has been read.
func (g *Gate) receive(ctx context.Context, r io.Reader) (*format, []byte, error) {
	leave, err := enter(ctx, g.receiving, 1, 0)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
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

// enter takes a file's part of what a queue deals out; leave gives it back.
func enter(ctx context.Context, q *queue.Queue, weight, held int64) (leave func(), err error) {
	leave, err = q.Enter(ctx, weight, held)
	if errors.Is(err, queue.ErrFull) {
		return nil, refusef(Busy, "Too many images are being read at the moment. This one was not taken; try again in a few seconds.")
	}
	return leave, err
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
		// Decoders call a size that overflows a number of theirs unsupported;
		// people should be told that it is the size.
		if f.stated != nil {
			if width, height := f.stated(original); g.tooLarge(width, height) != nil {
				return size, g.tooLarge(width, height)
			}
		}
		return size, f.broken(err)
	}
	width, height := int64(config.Width), int64(config.Height)
	if width < 1 || height < 1 {
		return size, refusef(Unreadable, "The image has no pixels: its header says %d×%d.", width, height)
	}
	if err := g.tooLarge(width, height); err != nil {
		return size, err
	}
	size = image.Pt(config.Width, config.Height)
	if f.check != nil {
		err = f.check(original, size)
	}
	return size, err
}

// tooLarge holds a size against the limits. Sides fit into 32 bits, so that the
// number of pixels can't overflow.
func (g *Gate) tooLarge(width, height int64) error {
	side, pixels := int64(g.limits.Side), int64(g.limits.Pixels)
	switch {
	case width > side || height > side:
		return refusef(TooLarge, "The image is %d×%d pixels. Up to %d pixels per side are accepted.", width, height, side)
	case width*height > pixels:
		return refusef(TooLarge, "The image is %d×%d pixels, which is %.1f megapixels. Up to %g megapixels are accepted.",
			width, height, float64(width*height)/1e6, float64(pixels)/1e6)
	}
	return nil
}

// decode decodes the file and turns its pixels upright. Decoders and image types
// can panic on hostile input, for example on a palette index out of range, so
// both happen here, on this goroutine, under recover.
func decode(f *format, original []byte, size image.Point, tone func(image.Image) image.Image) (pixels *image.NRGBA, err error) {
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
	if tone != nil {
		img = tone(img)
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
