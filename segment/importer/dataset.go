package importer

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"iter"
	"path"
	"slices"
	"strings"

	"collie/segment"
)

// Limits of what is read from the files of a data set, in bytes.
const (
	maxPicture = 64 << 20
	maxJSON    = 256 << 20
)

// Format is a form of masks that can be read.
type Format string

// The formats of masks. A folder of PASCAL VOC has SegmentationClass/*.png; PNGs
// that lie about by themselves are read the same way.
const (
	VOC     Format = "voc"
	COCO    Format = "coco"
	Labelme Format = "labelme"
)

// Dataset is a set of masks that another program wrote.
type Dataset struct {
	Format Format
	// Classes are names and colours by index; one without a name is the first
	// class of the project. nil: indices mean the places in the project's list.
	Classes []segment.Class
	Photos  []string // names of the photographs among the files
	Masks   iter.Seq2[*Mask, error]
}

// Mask is the labelling of one image. Masks come one by one; each is the
// receiver's.
type Mask struct {
	Image         string // file name of the image as the data set gives it, or that of the mask
	Width, Height int    // pixels
	Pixels        []uint8
	Regions       int      // regions or shapes that the file has
	Lossy         []string // what the labelling can't hold, for people
}

// MaskError is a problem of one image's mask; the others go on.
type MaskError struct {
	Image string
	err   error
}

func (e *MaskError) Error() string { return e.Image + ": " + e.err.Error() }

// Unwrap gives the problem itself.
func (e *MaskError) Unwrap() error { return e.err }

// Options say how masks are read; the zero value is the default.
type Options struct {
	// Undecided leaves pixels that no shape covers undecided. By default they are
	// background, which is what COCO and labelme mean by them.
	Undecided bool

	// MaxPixels of a mask; 0 = 40 million.
	MaxPixels int
}

const defaultMaxPixels = 40_000_000

// Open looks at the files and returns the data set that they are. Which format
// it is follows from names and contents. Errors are for people. Nothing is read
// of files that aren't part of the data set, and masks are read when they are
// asked for; files must stay readable until then.
func Open(files Files, o Options) (*Dataset, error) {
	if o.MaxPixels == 0 {
		o.MaxPixels = defaultMaxPixels
	}
	var pictures, jsons []string
	labelmap := ""
	for _, name := range files.Names {
		switch ext := strings.ToLower(path.Ext(name)); {
		case strings.HasPrefix(path.Base(name), "."):
		case ext == ".png":
			pictures = append(pictures, name)
		case ext == ".json":
			jsons = append(jsons, name)
		case strings.EqualFold(path.Base(name), "labelmap.txt"):
			labelmap = name
		}
	}
	masks := slices.DeleteFunc(slices.Clone(pictures), func(name string) bool { return path.Base(path.Dir(name)) != "SegmentationClass" })
	if len(masks) > 0 {
		return openVOC(files, masks, labelmap, files.photos("SegmentationClass", "SegmentationObject"), o)
	}
	for _, name := range jsons {
		switch kind, err := sniffJSON(files, name); {
		case err != nil:
			return nil, err
		case kind == COCO:
			return openCOCO(files, name, o)
		case kind == Labelme:
			return openLabelme(files, jsons, o)
		}
	}
	if len(pictures) > 0 {
		return openVOC(files, pictures, labelmap, nil, o)
	}
	if len(files.scores()) > 0 {
		return &Dataset{Masks: func(func(*Mask, error) bool) {}}, nil
	}
	return nil, segment.Errorf(segment.Unsupported, "There are no masks in this that Collie can read. It reads palette PNGs (PASCAL VOC), COCO JSON, labelme JSON and .npz files of scores, alone or in a zip.")
}

// sniffJSON tells by its top-level names what a JSON file is; "" is neither.
func sniffJSON(files Files, name string) (Format, error) {
	var top map[string]json.RawMessage
	if err := readJSON(files, name, &top); err != nil {
		return "", err
	}
	_, images := top["images"]
	_, annotations := top["annotations"]
	_, shapes := top["shapes"]
	switch {
	case images && annotations:
		return COCO, nil
	case shapes:
		return Labelme, nil
	}
	return "", nil
}

func readJSON(files Files, name string, into any) error {
	b, err := files.read(name, maxJSON)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return segment.Errorf(segment.Unreadable, "%s is not JSON of the expected form.", name).Because(err)
	}
	return nil
}

// newMask returns a mask of the given size filled with fill.
func newMask(name string, width, height int, fill uint8, o Options) (*Mask, error) {
	if err := checkSize(width, height, o); err != nil {
		return nil, err
	}
	return &Mask{Image: name, Width: width, Height: height, Pixels: bytes.Repeat([]byte{fill}, width*height)}, nil
}

func checkSize(width, height int, o Options) error {
	if width < 1 || height < 1 || int64(width)*int64(height) > int64(o.MaxPixels) {
		return segment.Errorf(segment.TooLarge, "The mask has %d×%d pixels; accepted are up to %d million in all.", width, height, o.MaxPixels/1_000_000)
	}
	return nil
}

// decodePNG decodes a PNG, which it refuses before decoding when it is too large.
func decodePNG(b []byte, o Options) (image.Image, error) {
	c, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, segment.Errorf(segment.Unreadable, "The mask is not a PNG that can be read.").Because(err)
	}
	if err := checkSize(c.Width, c.Height, o); err != nil {
		return nil, err
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, segment.Errorf(segment.Unreadable, "The mask is a broken PNG.").Because(err)
	}
	return img, nil
}
