// Package npz reads scores of a classifier, and embeddings, from NumPy's archives and
// scores from its files of one array.
//
// Everything it reads is taken for hostile: sizes are checked before memory is
// taken, inflated bytes are counted, and errors, which are for people, name the
// array and the first place where it is wrong.
package npz

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strings"

	"collie/crf"
	"collie/segment"
	"collie/segment/archive"
)

// Limits of what is read; the zero value is the default.
type Limits struct {
	// Values of the array, of ValueBytes each; 0 = 256 MiB of them.
	Values int
	// Size of the image in pixels, which a grid of embeddings can't exceed; zero if
	// nobody knows it yet.
	Size image.Point
}

// defaultValues is the largest number of values of an array: 256 MiB as
// float32, enough for 12 megapixels and 5 classes or 3 megapixels and 21.
const defaultValues = 256 << 20 / ValueBytes

// anyRatio is more than deflate can reach, 1032.
const anyRatio = 2000

// ValueBytes is the size of a value in memory.
const ValueBytes = 4

// scoreNames are the names of the scores in an archive of several arrays,
// without _chw.
var scoreNames = []string{"scores", "probs"}

// ReadScores reads the scores in a .npz archive of the given size in bytes, as
// numpy.savez or numpy.savez_compressed write it, or in a .npy file, as numpy.save does.
//
// A single array can have any name; of several, exactly one must be called
// scores or probs, or scores_chw or probs_chw, and the others are ignored, but for a
// [Map] and the names of the columns, text in an array called classes. It
// is little-endian float16, float32 or float64 or uint8 (255 means 1), in C or
// Fortran order. Three axes are height × width × classes, or classes × height ×
// width when the name ends in _chw; two are superpixels × classes. There can be
// up to 255 classes; values must be finite and not negative.
//
// Errors wrap ErrFormat, ErrLimit or ErrValue, or are those of r. What an array
// inflates to is bounded by its shape, which is within the limits, whatever its
// share of the archive: one-hot scores of ordinary photographs deflate to less
// than a four hundredth.
func ReadScores(r io.ReaderAt, size int64, limits Limits) (*Scores, error) {
	s, _, err := Read(r, size, limits)
	if err == nil && s == nil {
		err = fmt.Errorf("%w: it holds embeddings", ErrFormat)
	}
	return s, err
}

// Read reads scores as ReadScores does or, if an array is called embeddings
// or embeddings_chw, embeddings: the other result is nil. Embeddings are height ×
// width × dimensions, or dimensions × height × width, with up to 1536
// dimensions and values between ±1e6.
func Read(r io.ReaderAt, size int64, limits Limits) (*Scores, *Embeddings, error) {
	if limits.Values == 0 {
		limits.Values = defaultValues
	}
	if alone(r) {
		s, err := readArray(io.NewSectionReader(r, 0, size), size, "scores", ofScores, limits)
		if err = told("scores", ofScores, err); err != nil && !errors.Is(err, ErrFormat) {
			err = fmt.Errorf("%w; embeddings must be in a .npz, in an array called embeddings", err)
		}
		return s, nil, err
	}
	a, err := archive.Open(r, size, archive.Limits{Ratio: anyRatio})
	switch {
	case segment.KindOf(err) == segment.Unreadable:
		return nil, nil, fmt.Errorf("%w: it is not a .npz file (a zip of .npy arrays), or it is damaged or incomplete", ErrFormat)
	case err != nil:
		return nil, nil, refused(fmt.Errorf("it is not a .npz file (a zip of .npy arrays): %w", err))
	}
	member, name, err := choose(a)
	if err != nil {
		return nil, nil, err
	}
	c := ofScores
	if embeds(name) {
		c = ofEmbeddings
	}
	s, err := readMember(member, name, c, limits)
	switch {
	case err != nil:
		return nil, nil, told(name, c, err)
	case c == ofEmbeddings:
		return nil, &Embeddings{Name: name, Width: s.Width, Height: s.Height, Dims: s.Classes, Values: s.Values}, nil
	}
	if s.Names, err = s.readNames(a); err != nil {
		return nil, nil, err
	}
	if s.Width == 0 {
		s.Map, err = s.readMap(a, limits)
	}
	return s, nil, err
}

// alone reports whether a file is an array and no archive.
func alone(r io.ReaderAt) bool {
	start := make([]byte, len(magic))
	n, _ := r.ReadAt(start, 0) // what can't be read is no archive either
	return string(start[:n]) == magic
}

// told says which array an error is about, and nothing without one.
func told(name string, c *contents, err error) error {
	switch {
	case err == nil:
		return nil
	case c == ofScores && !errors.Is(err, ErrFormat):
		return fmt.Errorf("array %s: %w%s", quote(name), err, taken(name))
	}
	return fmt.Errorf("array %s: %w", quote(name), err)
}

// contents is what the values of an array can be.
type contents struct {
	what      string  // they are called
	axes      string  // of an accepted shape
	column    string  // what the columns are
	names     string  // that an array needs whose columns come first
	flat      bool    // two axes are accepted
	columns   int     // most
	less      string  // what to do about too many values
	low, high float64 // of a value
	bounds    string  // the same in words
}

var (
	ofScores = &contents{
		"scores", "height × width × classes (classes × height × width when called probs_chw or scores_chw) or superpixels × classes",
		"classes", "probs_chw or scores_chw", true, crf.MaxLabels, "write them per superpixel", 0, math.MaxFloat32, "finite, between 0 and 3.4e+38",
	}
	ofEmbeddings = &contents{
		"embeddings", "height × width × dimensions (dimensions × height × width when called embeddings_chw)",
		"dimensions", "embeddings_chw", false, mostDims, "use a coarser grid", -mostInPoints, mostInPoints, "finite, between -1,000,000 and 1,000,000",
	}
)

// onePerPixel is what an error adds about an array with one score for each pixel.
const onePerPixel = "; an array of two dimensions is superpixels × classes: for the probability p of the second class at each pixel write numpy.stack([1 - p, p], axis=2)"

// columnsFirst is what an error adds about an array whose columns may come first.
func (c *contents) columnsFirst() string {
	return fmt.Sprintf("; an array of %s × height × width must be called %s", c.column, c.names)
}

// taken is what an error adds about an array that is taken for scores without being
// called so.
func taken(name string) string {
	if isScores(name) {
		return ""
	}
	return "; an array of embeddings must be called embeddings"
}

// isScores reports whether an array of this name holds scores, even beside others.
func isScores(name string) bool {
	return slices.Contains(scoreNames, strings.TrimSuffix(name, "_chw"))
}

// embeds reports whether an array of this name holds embeddings.
func embeds(name string) bool { return strings.TrimSuffix(name, "_chw") == "embeddings" }

// refused wraps an error of package archive in one of this package.
func refused(err error) error {
	if segment.KindOf(err) == segment.TooLarge {
		return fmt.Errorf("%w: %w", ErrLimit, err)
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// choose returns the member with the scores or embeddings, and its name.
func choose(a *archive.Archive) (*archive.File, string, error) {
	var arrays, named []*archive.File
	for f := range a.Files() {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		arrays = append(arrays, f)
		if embeds(name) || isScores(name) {
			named = append(named, f)
		}
	}
	if len(arrays) == 1 {
		if arrays[0].Name == "labels.npy" {
			return nil, "", fmt.Errorf("%w: it holds labels, not scores; save them as a PNG whose pixels are class indices", ErrFormat)
		}
		named = arrays
	}
	switch {
	case len(arrays) == 0:
		return nil, "", fmt.Errorf("%w: the archive has no .npy arrays; write it with numpy.savez or numpy.savez_compressed", ErrFormat)
	case len(named) != 1:
		return nil, "", fmt.Errorf("%w: %d of the %d arrays in the archive are called scores, probs, embeddings, or one of these with _chw; use exactly one, or for scores a single array of any name",
			ErrFormat, len(named), len(arrays))
	}
	return named[0], strings.TrimSuffix(named[0].Name, ".npy"), nil
}

// find returns the array of a name in an archive, or nil.
func find(a *archive.Archive, name string) *archive.File {
	for f := range a.Files() {
		if f.Name == name+".npy" {
			return f
		}
	}
	return nil
}

// readMember reads the array in a member of an archive.
func readMember(f *archive.File, name string, c *contents, limits Limits) (*Scores, error) {
	body, err := f.Open()
	if err != nil {
		return nil, refused(err)
	}
	defer body.Close()
	return readArray(body, f.Size, name, c, limits)
}

// readArray reads an array of the given size in bytes.
func readArray(r io.Reader, size int64, name string, c *contents, limits Limits) (*Scores, error) {
	in := bufio.NewReader(r)
	h, err := readHeader(in)
	if err != nil {
		return nil, err
	}
	a, err := h.layout(strings.HasSuffix(name, "_chw"), c, limits)
	if err != nil {
		return nil, err
	}
	if int64(h.bytes)+int64(a.values)*int64(a.kind.size) != size {
		return nil, fmt.Errorf("%w: shape %s of %s needs %d bytes after the header of %d, but the file has %d in total",
			ErrFormat, shapeText(h.shape), a.kind.descr, a.values*a.kind.size, h.bytes, size)
	}
	s := a.scores(name)
	if err := a.fill(s.Values, in); err != nil {
		return nil, err
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) { // the end, where zip compares the checksum
		return nil, broken(err)
	}
	return s, nil
}

// broken says what an error in the middle of an array means.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends early", ErrFormat)
	}
	return refused(err)
}

// layout is how an array's values lie in the file and where they belong.
type layout struct {
	shape   []int
	kind    kind
	fortran bool
	chw     bool
	values  int
	of      *contents
}

// layout checks the header against what the array can be, before memory is taken.
func (h header) layout(chw bool, c *contents, limits Limits) (layout, error) {
	a := layout{of: c, shape: h.shape, fortran: h.fortran, chw: chw && len(h.shape) == 3, values: 1}
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.descr == h.descr })
	if at < 0 {
		return a, fmt.Errorf("%w: its type is %s; use '<f2', '<f4', '<f8' (float16, 32 and 64, little-endian) or '|u1' (uint8)",
			ErrFormat, quote(h.descr))
	}
	a.kind = kinds[at]
	if len(a.shape) != 3 && !(c.flat && len(a.shape) == 2) {
		return a, fmt.Errorf("%w: its shape is %s; use %s", ErrFormat, shapeText(a.shape), c.axes)
	}
	for _, n := range a.shape {
		if n == 0 {
			return a, fmt.Errorf("%w: its shape is %s, which is empty", ErrFormat, shapeText(a.shape))
		}
	}
	if err := a.checkGrid(limits.Size); err != nil {
		return a, err
	}
	for _, n := range a.shape {
		if n > limits.Values/a.values {
			return a, fmt.Errorf("%w: its shape is %s, the limit is %d values; %s", ErrLimit, shapeText(a.shape), limits.Values, c.less)
		}
		a.values *= n
	}
	if k := a.classes(); k > c.columns {
		hint := ""
		switch {
		case len(a.shape) == 3 && !a.chw:
			hint = c.columnsFirst()
		case len(a.shape) == 2 && c == ofScores:
			hint = onePerPixel
		}
		return a, fmt.Errorf("%w: its shape is %s, so it has %d %s; the limit is %d%s", ErrLimit, shapeText(a.shape), k, c.column, c.columns, hint)
	}
	return a, nil
}

// checkGrid refuses embeddings on a grid finer than the image. That is what is wrong
// with them even if they have too many values as well.
func (a layout) checkGrid(pixels image.Point) error {
	if width, height := a.size(); a.of == ofEmbeddings && pixels.X > 0 && (width > pixels.X || height > pixels.Y) {
		hint := ""
		if !a.chw && a.shape[1] <= pixels.Y && a.shape[2] <= pixels.X {
			hint = a.of.columnsFirst()
		}
		return tooFine(width, height, pixels, hint)
	}
	return nil
}

// tooFine is the error for a grid of embeddings with more places than the image has
// pixels.
func tooFine(width, height int, pixels image.Point, hint string) error {
	return fmt.Errorf("%w: its grid of %d×%d embeddings is finer than the image of %d×%d pixels; use one of up to that size%s", ErrSize, width, height, pixels.X, pixels.Y, hint)
}

// size is the width and height of the image or the grid; 0 of superpixels.
func (a layout) size() (width, height int) {
	if len(a.shape) != 3 {
		return 0, 0
	}
	first := 0
	if a.chw {
		first = 1
	}
	return a.shape[first+1], a.shape[first]
}

func (a layout) classes() int {
	if a.chw {
		return a.shape[0]
	}
	return a.shape[len(a.shape)-1]
}

// scores makes the empty result.
func (a layout) scores(name string) *Scores {
	s := &Scores{Name: name, Classes: a.classes(), Rows: a.values / a.classes(), Values: make([]float32, a.values)}
	s.Width, s.Height = a.size()
	return s
}

func shapeText(shape []int) string {
	s := strings.Trim(fmt.Sprint(shape), "[]")
	return "(" + strings.ReplaceAll(s, " ", ", ") + ")"
}
