package photo

import (
	"bytes"
	"slices"
)

// Numbers is a TIFF file of one number per pixel, such as a mask, to be read as they are
// stored: as integers of up to 64 bits, floating-point numbers or places in a palette.
type Numbers struct{ samples samples }

// NumbersOf finds the numbers in a TIFF file, which must stay as it is. Errors are of type
// *Error.
func NumbersOf(file []byte) (*Numbers, error) {
	const save = "Save one number per pixel, of 1, 8, 16 or 32 bits, without compression or with LZW, deflate or PackBits."
	if hasMagic(file, "II+\x00") || hasMagic(file, "MM\x00+") {
		return nil, refusef(Unsupported, "The file is a BigTIFF, which Collie can't read. Save it as a plain TIFF.")
	}
	s, _ := samplesOf(firstDirectory(bytes.NewReader(file)))
	photometric, _ := s.value(photometricTag, 0)
	fill, _ := s.value(fillOrderTag, 0)
	compression, _ := s.value(compressionTag, 0)
	pages := tiffPictures(file)
	sizes := map[uint32][]int{unsigned: {1, 8, 16, 32, 64}, signed: {8, 16, 32, 64}, floating: {32, 64}}[s.kind]
	switch {
	case s.size.X == 0 || s.size.Y == 0:
		return nil, refusef(Unreadable, "The file is not a readable TIFF.")
	case pages > 1:
		return nil, refusef(Unsupported, "The TIFF has %d pictures, such as the layers of a stack. Save each as a file of its own.", pages)
	case s.channels != 1 || photometric > blackIsZero && photometric != indexed:
		return nil, refusef(Unsupported, "The TIFF is a picture with colours, not with one number per pixel. %s", save)
	case !slices.Contains(sizes, s.bits) || s.bits == 1 && fill > 1: // from the lowest bit on
		return nil, refusef(Unsupported, "The numbers in the TIFF are of a kind that Collie can't read. %s", save)
	case !slices.Contains([]uint32{0, uncompressed, lzwCompression, deflate, oldDeflate, packBits}, compression):
		return nil, refusef(Unsupported, "The TIFF is compressed in a way that Collie can't read. %s", save)
	}
	return &Numbers{s}, nil
}

// Size is the size of the image that the file states, which can be any.
func (n *Numbers) Size() (width, height int64) {
	return int64(uint32(n.samples.size.X)), int64(uint32(n.samples.size.Y))
}

// Each calls put with the numbers of a row of a strip or tile and where in the image they
// begin, until it returns an error. The row is only valid during the call. Of what is in
// the file one row is in memory besides it, so check the size before. Integers of more
// than 53 bits are rounded. An error of the file is of type *Error.
func (n *Numbers) Each(put func(x, y int, row []float64) error) error {
	s := &n.samples
	var numbers []float64
	var stopped error
	err := s.rows(0, func(x, y int, row []byte) error {
		numbers = numbers[:0]
		for i := 0; i < len(row); i += s.bytes {
			numbers = append(numbers, s.numberIn(row[i:]))
		}
		stopped = put(x, y, numbers)
		return stopped
	})
	if err != nil && stopped == nil {
		return &Error{Reason: Unreadable, Detail: "The TIFF is damaged or incomplete.", err: err}
	}
	return err
}
