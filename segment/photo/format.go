package photo

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// headSize is how many bytes of a file are needed to recognize its format.
const headSize = 512

const accepted = "Use JPEG, PNG, WebP, GIF, BMP or TIFF."

// format is an accepted file format. Decoders are called by name, never through
// image.Decode, which would try whatever some import has registered.
type format struct {
	name   string // as stored with the image
	title  string // as people write it
	magic  string // first bytes; ? matches any byte
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error) // the first of several frames
	exif   func(file []byte) int                // orientation, 0 if not set
	stated func(file []byte) (w, h int64)       // the size in the header, for files whose config fails; can be nil
	check  func([]byte, image.Point) error      // checks the file before it is decoded; can be nil
	mend   func([]byte, image.Image)            // corrects what the decoder makes of the file; can be nil
	frames bool                                 // the image can cover a part of the canvas

	pictures func([]byte) int // counts the pictures in the file; can be nil
}

var formats = []*format{
	{name: "jpeg", title: "JPEG", magic: "\xff\xd8\xff", config: jpeg.DecodeConfig, decode: jpeg.Decode, exif: jpegOrientation},
	{name: "png", title: "PNG", magic: "\x89PNG\r\n\x1a\n", config: png.DecodeConfig, decode: png.Decode, exif: pngOrientation, stated: pngSize},
	{name: "webp", title: "WebP", magic: "RIFF????WEBP", config: webp.DecodeConfig, decode: webp.Decode, exif: webpOrientation},
	{name: "gif", title: "GIF", magic: "GIF8?a", config: gif.DecodeConfig, decode: gif.Decode, frames: true},
	{name: "bmp", title: "BMP", magic: "BM", config: bmp.DecodeConfig, decode: bmp.Decode, stated: bmpSize},
	{name: "tiff", title: "TIFF", magic: "II*\x00", config: tiffConfig, decode: decodeTIFF, exif: tiffOrientation, stated: tiffSize, check: checkTIFF, mend: mendTIFF, pictures: tiffPictures},
	{name: "tiff", title: "TIFF", magic: "MM\x00*", config: tiffConfig, decode: decodeTIFF, exif: tiffOrientation, stated: tiffSize, check: checkTIFF, mend: mendTIFF, pictures: tiffPictures},
}

// refused are formats that people take for images, and what helps besides using
// another format; naming them helps more than 'unknown'.
var refused = []struct{ magic, title, instead string }{
	{"????ftyphei", heic, jpegInstead},
	{"????ftyphev", heic, jpegInstead},
	{"????ftypmif1", heic, jpegInstead},
	{"????ftypmsf1", heic, jpegInstead},
	{"????ftypavi", "an AVIF image", ""},
	{"????ftypcrx ", raw, developed},
	{"????ftypqt  ", "a video", frames}, // beside each live photo of an iPhone
	{"????ftypisom", "a video", frames},
	{"????ftypmp4", "a video", frames},
	{"II*\x00????CR\x02", raw, developed},
	{"IIU\x00", raw, developed},
	{"IIRO", raw, developed},
	{"FUJIFILMCCD-RAW", raw, developed},
	{"II+\x00", "a BigTIFF image", ""},
	{"MM\x00+", "a BigTIFF image", ""},
	{"\x00\x00\x00\x0cJXL ", "a JPEG XL image", ""},
	{"\xff\x0a", "a JPEG XL image", ""},
	{"\x00\x00\x00\x0cjP  ", "a JPEG 2000 image", ""},
	{"\x76\x2f\x31\x01", "an OpenEXR image", ""},
	{"8BPS", "a Photoshop document", ""},
	{"%PDF", "a PDF document", "Save its pages as PNG. "},
	{strings.Repeat("?", 128) + "DICM", "a DICOM image", exported},
	{"ZISRAWFILE", "a Zeiss CZI image", exported},
	{"\xda\xce\xbe\x0a", "a Nikon ND2 image", exported},
	{"\x89HDF\r\n\x1a\n", "an HDF5 file", exported},
	{"\x93NUMPY", "a NumPy array", exported},
	{"PK\x03\x04", "a zip archive", "Upload it alone, not inside another archive. "},
	{"Rar!\x1a\x07", "a RAR archive", zipped},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", zipped},
	{"\x1f\x8b", "a gzip archive", zipped},
}

const (
	heic        = "a HEIC photo"
	jpegInstead = "Save a copy as JPEG; with Most Compatible under Settings, Camera, Formats, an iPhone takes JPEG from then on. "
	raw         = "a camera's raw file"
	developed   = "Export it as JPEG from the camera's program, or take JPEG pictures beside the raw ones. "
	exported    = "Export its pictures as PNG or TIFF. "
	frames      = "Save its frames as JPEG or PNG. "
	zipped      = "Pack the images into a zip archive. "
)

// recognize returns the format of a file by its first bytes.
func recognize(head []byte) (*format, error) {
	if len(head) == 0 {
		return nil, refusef(Unreadable, "The file is empty.")
	}
	const flags, animated = 20, 0x02 // of an extended WebP
	if hasMagic(head, "RIFF????WEBPVP8X") && len(head) > flags && head[flags]&animated != 0 {
		return nil, refusef(Unsupported, "The file is an animated WebP image, which Collie can't read; save one of its frames as PNG. %s", accepted)
	}
	for _, r := range refused { // first: some are TIFFs inside
		if hasMagic(head, r.magic) {
			return nil, refusef(Unsupported, "The file is %s, which Collie can't read. %s%s", r.title, r.instead, accepted)
		}
	}
	for _, f := range formats {
		if hasMagic(head, f.magic) {
			return f, nil
		}
	}
	text := strings.ToLower(string(bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n")))
	switch {
	case strings.Contains(text, "<svg"):
		return nil, refusef(Unsupported, "The file is an SVG drawing, which Collie can't read. %s", accepted)
	case strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html") || strings.Contains(text, "<script"):
		return nil, refusef(Unsupported, "The file is an HTML page, not an image. %s", accepted)
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.Contains(text, "<annotation"):
		return nil, refusef(Unsupported, "The file looks like annotations, not like an image. Upload the images first, then open their project and choose \"Import masks\".")
	}
	return nil, refusef(Unsupported, "The file is not in a known image format. %s", accepted)
}

func hasMagic(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// broken is the error for a file of format f whose decoder returned err, unless that is
// one already.
func (f *format) broken(err error) *Error {
	var (
		inJPEG jpeg.UnsupportedError
		inPNG  png.UnsupportedError
		inTIFF tiff.UnsupportedError
		format tiff.FormatError
		own    *Error
	)
	if errors.As(err, &own) {
		return own
	}
	e := refusef(Unreadable, "The file starts like a %s image but is damaged or incomplete.", f.title)
	switch {
	case errors.As(err, &inTIFF), errors.As(err, &format) && strings.HasPrefix(string(format), "wrong number of samples"):
		e = refusef(Unsupported, "The file is a TIFF image of a kind that Collie can't read. Save it in grey or RGB, with whole numbers of 8 or 16 bits and without JPEG compression, or as PNG. %s", accepted)
	case errors.As(err, &inJPEG), errors.As(err, &inPNG), errors.Is(err, bmp.ErrUnsupported):
		e = refusef(Unsupported, "The file is a %s image of a rare kind that Collie can't read; save it as PNG. %s", f.title, accepted)
	}
	e.err = err
	return e
}
