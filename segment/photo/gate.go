// Package photo is the gate that uploaded files pass before anything else in
// the program sees them. It recognizes the format by the first bytes, checks
// sizes before it decodes, bounds the memory of all uploads together, and
// returns upright, opaque 8-bit pixels. Hostile or broken files end here, with
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

	"collie/segment"
	"collie/segment/ledger"
)

// Limits bound what a gate accepts and how much it handles at once. The zero
// value of a field means its default.
type Limits struct {
	Bytes  int64 // size of a file
	Pixels int   // width × height
	Side   int   // width, height
	Memory int64 // bytes for all decoding at once; at least what the largest image takes
	Queue  int   // files of one user waiting to be decoded; others are refused
}

// OrDefault returns l with zeros replaced by the defaults.
func (l Limits) OrDefault() Limits {
	l.Bytes = cmp.Or(l.Bytes, 64<<20)
	l.Pixels = cmp.Or(l.Pixels, 40_000_000)
	l.Side = cmp.Or(l.Side, 16384)
	l.Memory = max(l.Memory, int64(l.Pixels)*bytesPerPixel+l.Bytes)
	l.Queue = cmp.Or(l.Queue, 32)
	return l
}

// bytesPerPixel is the memory for decoding an image: up to 8 in the decoder, 4
// as NRGBA.
const bytesPerPixel = 12

// streams is how many files of unknown size are read into memory at once.
const streams = 2

// Gate reads uploads. Safe for concurrent use.
type Gate struct {
	limits   Limits
	streams  *ledger.Ledger // places
	memory   *ledger.Ledger // bytes
	decoding func(ctx context.Context, decode func()) error
}

// NewGate returns a gate with the given limits.
func NewGate(limits Limits) *Gate {
	limits = limits.OrDefault()
	return &Gate{
		limits:   limits,
		streams:  ledger.New(streams, streams, limits.Queue),
		memory:   ledger.New(limits.Memory, limits.Memory/2, limits.Queue),
		decoding: func(_ context.Context, decode func()) error { decode(); return nil },
	}
}

// Limits returns the gate's limits.
func (g *Gate) Limits() Limits { return g.limits }

// Memory lends n bytes for pixels that are decoded or drawn elsewhere, from the
// memory for decoding photos; see [ledger.Ledger.Take]. Whoever needs more than there
// is gets all of it, so that whatever was accepted can be worked on. An error for
// people is an *Error.
func (g *Gate) Memory(ctx context.Context, n int64) (give func(), err error) {
	return take(ctx, g.memory, min(n, g.limits.Memory))
}

// take turns a ledger's errors into errors for people.
func take(ctx context.Context, l *ledger.Ledger, n int64) (give func(), err error) {
	give, err = l.Take(ctx, n)
	if errors.Is(err, ledger.ErrBusy) {
		return nil, refusef(Busy, "Too many images are being read right now. Nothing was changed; try again in a few seconds.")
	}
	return give, err
}

// DecodeWith makes the gate decode files through run, which can delay them and
// returns an error if it didn't run them. Call it before the first Read.
func (g *Gate) DecodeWith(run func(ctx context.Context, decode func()) error) { g.decoding = run }

// Photo is an image file that has passed a gate. Not safe for concurrent use.
type Photo struct {
	Format   string       // jpeg, png, webp, gif, bmp or tiff
	Original []byte       // the file, byte for byte; shared and read-only
	Pixels   *image.NRGBA // upright (EXIF orientation applied) and opaque (on white), from (0, 0)
	Pictures int          // in the file, of which Pixels is the first; 1 for an animation, too

	shown   *image.NRGBA // the display copy, once it is made
	release func()
}

// Close returns the photo's memory to the gate, which can then admit the next
// one. The pixels and the original must not be used afterwards. A second Close
// does nothing.
func (p *Photo) Close() { p.release() }

// Read reads a file from r and returns its pixels; the caller closes the photo.
// From an animation it reads the first frame. tone, if not nil, gets the image as
// stored in the file, with full bit depth and before rotation, and returns a
// replacement that covers its pixels. While open photos fill the gate's memory Read
// waits in a short queue. Errors for people are of type *Error; others come from r or
// ctx.
//
// If r can seek, Read measures the file before allocating memory; it should be
// a file that has arrived completely. Of other readers, such as members of
// archives, only a few are read at once. The file is in memory once, as
// Photo.Original. Decoding takes up to 12 more bytes per pixel, and still more
// for progressive JPEG and compressed TIFF; 4 of them remain as Photo.Pixels.
func (g *Gate) Read(ctx context.Context, r io.Reader, tone func(image.Image) image.Image) (*Photo, error) {
	file, arrived, err := g.arrived(ctx, r)
	if err != nil {
		return nil, err
	}
	defer arrived()
	format, size, err := g.measure(file)
	if err != nil {
		return nil, err
	}
	release, err := take(ctx, g.memory, int64(size.X)*int64(size.Y)*bytesPerPixel+file.Size())
	if err != nil {
		return nil, err
	}
	p, err := g.decode(ctx, format, file, size, tone)
	if err != nil {
		release()
		return nil, err
	}
	p.release = release
	return p, nil
}

// Size returns the size of the pixels that Read would return, without decoding
// them.
func (g *Gate) Size(ctx context.Context, r io.Reader) (image.Point, error) {
	file, arrived, err := g.arrived(ctx, r)
	if err != nil {
		return image.Point{}, err
	}
	defer arrived()
	format, size, err := g.measure(file)
	if err != nil {
		return image.Point{}, err
	}
	original, err := beginning(file, file.Size())
	if err == nil && orientation(format, original) >= 5 {
		size = image.Pt(size.Y, size.X)
	}
	return size, err
}

// arrived returns the content of r once it is complete and within the limit,
// with as little of it in memory as possible. done releases the memory that it
// counted.
func (g *Gate) arrived(ctx context.Context, r io.Reader) (file *io.SectionReader, done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if at, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	}); ok {
		size, err := at.Seek(0, io.SeekEnd)
		if err != nil {
			return nil, nil, fmt.Errorf("reading the upload: %w", err)
		}
		return io.NewSectionReader(at, 0, size), func() {}, g.tooLong(size)
	}
	done, err = take(ctx, g.streams, 1)
	if err != nil {
		return nil, nil, err
	}
	content, err := g.receive(contextReader{ctx, r})
	if err != nil {
		done()
		return nil, nil, err
	}
	return io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content))), done, nil
}

// Recognize returns an *Error unless a file that begins with head has an
// accepted format; the first 512 bytes are enough.
func Recognize(head []byte) error {
	_, err := recognize(head)
	return err
}

// receive reads a file up to the limit. A file whose first bytes aren't an
// image's is refused before the rest is read.
func (g *Gate) receive(r io.Reader) ([]byte, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("reading the upload: %w", err)
	}
	head = head[:n]
	if err := Recognize(head); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.MultiReader(bytes.NewReader(head), io.LimitReader(r, g.limits.Bytes+1-int64(n))))
	if err != nil {
		return nil, fmt.Errorf("reading the upload: %w", err)
	}
	return content, g.tooLong(int64(len(content)))
}

func (g *Gate) tooLong(size int64) error {
	if size > g.limits.Bytes {
		return refusef(TooLarge, "The file is larger than %s, which is the limit.", segment.LimitText(g.limits.Bytes))
	}
	return nil
}

// decode reads the file into memory and decodes it.
func (g *Gate) decode(ctx context.Context, f *format, file *io.SectionReader, size image.Point, tone func(image.Image) image.Image) (*Photo, error) {
	original, err := beginning(file, file.Size())
	if err != nil {
		return nil, err
	}
	if f.check != nil {
		if err := f.check(original, size); err != nil {
			return nil, err
		}
	}
	var pixels *image.NRGBA
	if late := g.decoding(ctx, func() { pixels, err = decode(f, original, size, tone) }); late != nil {
		err = late
	}
	p := &Photo{Format: f.name, Original: original, Pixels: pixels, Pictures: 1}
	if err == nil && f.pictures != nil {
		p.Pictures = f.pictures(original)
	}
	return p, err
}

// beginning reads up to n bytes of the file into memory.
func beginning(file *io.SectionReader, n int64) ([]byte, error) {
	b := make([]byte, min(n, file.Size()))
	if _, err := file.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the upload: %w", err)
	}
	return b, nil
}

// statedSize is how many bytes of a file are searched for the size that its
// decoder could not read.
const statedSize = 1 << 20

// measure recognizes the format, reads the size in the file's header and checks
// it against the limits.
func (g *Gate) measure(file *io.SectionReader) (f *format, size image.Point, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = f.broken(fmt.Errorf("panic: %v", p))
		}
	}()
	head, err := beginning(file, headSize)
	if err != nil {
		return nil, size, err
	}
	if f, err = recognize(head); err != nil {
		return nil, size, err
	}
	config, err := f.config(file)
	if err != nil {
		// Decoders report a size that overflows as unsupported; the error
		// should say that it is the size.
		if f.stated != nil {
			start, err := beginning(file, statedSize)
			if err != nil {
				return f, size, err
			}
			if width, height := f.stated(start); g.tooLarge(width, height) != nil {
				return f, size, g.tooLarge(width, height)
			}
		}
		return f, size, f.broken(err)
	}
	width, height := int64(config.Width), int64(config.Height)
	if width < 1 || height < 1 {
		return f, size, refusef(Unreadable, "The image has no pixels: its header says %d×%d.", width, height)
	}
	return f, image.Pt(config.Width, config.Height), g.tooLarge(width, height)
}

// tooLarge checks a size against the limits. Sides fit into 32 bits, so the
// number of pixels can't overflow.
func (g *Gate) tooLarge(width, height int64) error {
	side, pixels := int64(g.limits.Side), int64(g.limits.Pixels)
	switch {
	case width > side || height > side:
		return refusef(TooLarge, "The image is %d×%d pixels. The limit is %d pixels per side.", width, height, side)
	case width*height > pixels:
		return refusef(TooLarge, "The image is %d×%d pixels, which is %.1f megapixels. The limit is %.4g megapixels.",
			width, height, float64(width*height)/1e6, float64(pixels)/1e6)
	}
	return nil
}

// decode decodes the file and rotates its pixels upright. Decoders and image
// types can panic on hostile input, for example on a palette index out of
// range, so both happen here, on this goroutine, under recover.
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
	if f.mend != nil {
		f.mend(original, img)
	}
	if tone != nil {
		img = tone(img)
	}
	return upright(img, canvas, orientation(f, original)), nil
}

// contextReader fails once its context is done.
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
