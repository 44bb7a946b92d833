package importer

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"iter"
	"path"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/backup"
)

// format is a format of masks that can be read.
type format string

// The formats of masks. A folder of PASCAL VOC has SegmentationClass/*.png and
// perhaps SegmentationObject/*.png, both with folders in them where the images are
// in folders; PNGs in other folders are read as classes. So are TIFFs of one number per
// pixel. In formatLabels, which look the same, the numbers are objects of one class.
const (
	formatVOC     format = "voc"
	formatCOCO    format = "coco"
	formatLabelme format = "labelme"
	formatStudio  format = "label-studio"
	formatCVAT    format = "cvat"
	formatYOLO    format = "yolo"
	formatLabels  format = "labels"
)

// dataset is a set of masks that another program wrote.
type dataset struct {
	format format
	// Classes are names and colours by index; one without a name is the first
	// class of the project. nil: indices are those of the project's list.
	Classes  []segment.Class
	unlisted []string // names of classes that are added to a project only if a mask uses them
	Images   []string // of all masks, see imageMask
	Photos   []string // names of the photographs among the files
	Masks    iter.Seq2[*imageMask, error]
}

// imageMask is the labelling of one image. Masks are yielded one by one, without
// their pixels; each is valid until the next one.
type imageMask struct {
	Image string // file name of the image in the data set, or of the mask
	File  string // source of the mask, for people

	// Beside is the path of Image if it is relative to the file that names it; empty where no
	// file does.
	Beside string

	// sizeOf returns the size of the image as it is displayed, for files that don't say it.
	// It is set before Draw is called.
	sizeOf func() (image.Point, error)

	// Draw sets the following fields. give, which is never nil, returns the
	// memory; the pixels must not be used after that.
	Draw func() (give func(), err error)

	Width, Height int // pixels
	Pixels        []uint8
	objects       []int32  // shape or object that each pixel belongs to, or -1; nil where the data set has none
	object        int32    // that is being drawn
	effort        int64    // spent on shapes so far; see spend
	thin          int      // outlines of COCO without area
	Regions       int      // shapes, annotations or numbered objects in the file
	smooth        bool     // a border may fade from 0 to 255; see findWhite
	white         bool     // all numbers are 0 and 255, as programs write masks of one object
	Lossy         []string // what the labelling can't hold, for people
}

// maskError is a problem with one image's mask; the import continues with the
// others.
type maskError struct {
	Image string
	err   error
}

func (e *maskError) Error() string { return e.Image + ": " + e.err.Error() }

// Unwrap returns the problem itself.
func (e *maskError) Unwrap() error { return e.err }

// Options for reading masks; the zero value is the default.
type Options struct {
	// Objects says that pictures outside folders of PASCAL VOC are label images: their
	// numbers are objects of one class, which the mapping gives for [Value] "objects". It
	// can be missing in a project of two classes, where it is the second. What has the
	// number 0 is in no object.
	Objects bool

	// Undecided leaves pixels that no shape or object covers undecided. By default
	// they are background, as in COCO and labelme.
	Undecided bool

	// Mapping gives values in masks ([Value]) the names of classes; "" leaves
	// them undecided. Classes that the project lacks are added when a mask that
	// needs them is imported. Values that the mapping lacks are matched by name; one
	// that has no name, or whose name the project lacks, is a problem of the masks
	// that use it. The number 255 in pictures is undecided unless the mapping has it.
	Mapping map[string]string
	// PASCAL takes indices without names for the classes of PASCAL VOC.
	PASCAL bool

	// Limits of a mask; 0 means 40 million pixels and 16,384 per side.
	MaxPixels, MaxSide int

	classes []segment.Class // of the project
	context context.Context
	lend    func(ctx context.Context, bytes int64) (give func(), err error)
}

// orDefault returns o with the defaults in place of zeros.
func (o Options) orDefault() Options {
	o.MaxPixels = cmp.Or(o.MaxPixels, 40_000_000)
	o.MaxSide = cmp.Or(o.MaxSide, 16384)
	if o.context == nil {
		o.context = context.Background()
	}
	if o.lend == nil {
		o.lend = func(context.Context, int64) (func(), error) { return func() {}, nil }
	}
	return o
}

// openDataset returns the data set in the files. It recognizes the format by names and
// contents; of several formats it reads the first of VOC, COCO, labelme and Label
// Studio, and yields an error for each file of the others. Then come CVAT's XML, masks in a folder of that
// name, and YOLO's text files. Errors are for people. It doesn't
// read files outside the data set, and reads masks on demand, so the files must
// stay readable.
func openDataset(files Files, o Options) (*dataset, error) {
	o = o.orDefault()
	var pictures, jsons []string
	list := "" // the file with the names of the classes
	for _, name := range files.Names {
		switch ext := strings.ToLower(path.Ext(name)); {
		case strings.HasPrefix(path.Base(name), "."):
		case ext == ".png", isTIFF(name):
			pictures = append(pictures, name)
		case ext == ".json":
			jsons = append(jsons, name)
		case strings.EqualFold(path.Base(name), "labelmap.txt"), list == "" && slices.Contains([]string{classNamesFile, pixelValuesFile}, strings.ToLower(path.Base(name))):
			list = name
		}
	}
	classes := inFolder(pictures, "SegmentationClass")
	if o.Objects && len(pictures) > 0 && len(classes) == 0 {
		return openLabels(files, pictures, o), nil
	}
	documents, err := sniff(files, jsons)
	if err != nil {
		return nil, err
	}
	if len(classes) > 0 {
		d, err := openVOC(files, classes, "SegmentationClass", list, files.photosOfVOC(), o)
		return d.without(documents.all()), err
	}
	if len(documents.coco) > 0 {
		d, err := openCOCO(files, documents.coco, o)
		documents.coco = nil
		return d.without(documents.all()), err
	}
	if len(documents.labelme) > 0 {
		d, err := openLabelme(files, documents.labelme, o)
		documents.labelme = nil
		return d.without(documents.all()), err
	}
	if len(documents.studio) > 0 {
		d, err := openStudio(files, documents.studio, o)
		return d.without(documents.bad), err
	}
	cvat, otherXML, err := cvatFiles(files)
	if err != nil {
		return nil, err
	}
	if len(cvat) > 0 {
		d, err := openCVAT(files, cvat, o)
		return d.without(documents.bad), err
	}
	if masks := inFolder(pictures, "masks"); len(masks) > 0 {
		d, err := openVOC(files, masks, "masks", list, files.photos("masks"), o)
		return d.without(documents.bad), err
	}
	if outlines := files.outlines(); len(outlines) > 0 {
		d, err := openYOLO(files, outlines, o)
		return d.without(documents.bad), err
	}
	other := files.other()
	switch {
	case len(documents.bad) > 0:
		return nil, documents.bad[0].err
	case other != "":
		return nil, segment.Errorf(segment.Unsupported, "This can't be imported: it is %s. %s", other, accepted)
	case files.exported() && len(files.scores()) > 0: // pictures beside them are no masks
		return &dataset{Photos: files.photos(), Masks: func(func(*imageMask, error) bool) {}}, nil
	case len(pictures) > 0:
		masks := masksAlone(pictures)
		return openVOC(files, masks, "", list, files.photosBut(masks), o)
	case len(files.scores()) > 0:
		return &dataset{Masks: func(func(*imageMask, error) bool) {}}, nil
	case otherXML != nil:
		return nil, otherXML
	}
	return nil, segment.Errorf(segment.Unsupported, "No masks found. %s", accepted)
}

const accepted = "Collie reads masks as PNG or TIFF (PASCAL VOC, label images), COCO JSON, labelme JSON, Label Studio's JSON, XML of CVAT for images and .npz files with scores or embeddings, single or in a zip archive, single .npy files with scores, and outlines of YOLO with their data.yaml in a zip archive. Save masks in other formats as PNG."

// other says what files are that belong to no format of masks that is read; empty for
// others.
func (f Files) other() string {
	for _, name := range f.Names {
		for end, what := range map[string]string{
			"/data.yaml":           "a data set of YOLO without text files in a folder called labels",
			"/hypotheses.json":     "an export of Collie's hypotheses; export the labelling in another format instead",
			"_gtFine_labelIds.png": "a data set of Cityscapes",
			"/data/manifest.jsonl": "a backup of CVAT; export the task's data set as CVAT for images instead",
			"/" + backup.File:      "a backup of a project, which becomes a project of its own: choose Import a backup on the start page, or use server import without --project",
		} {
			if strings.HasSuffix("/"+name, end) {
				return what
			}
		}
	}
	return ""
}

// inFolder returns the files that are in a folder of that name, at any depth.
func inFolder(names []string, folder string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, _, in := cutFolder(name, folder)
		return !in
	})
}

// oneEach sorts the names of files and sets the masks to one of each, which is called like
// the image, with the folders below the given one.
func (d *dataset) oneEach(names []string, folder string, draw func(m *imageMask, name string) (give func(), err error)) {
	slices.Sort(names)
	for _, name := range names {
		_, below, _ := cutFolder(name, folder)
		d.Images = append(d.Images, endless(below))
	}
	d.Masks = func(yield func(*imageMask, error) bool) {
		for i, name := range names {
			m := &imageMask{Image: d.Images[i], File: d.Images[i] + path.Ext(name)}
			m.Draw = func() (func(), error) { return draw(m, name) }
			if !yield(m, nil) {
				return
			}
		}
	}
}

// inTurn yields the masks of one file after the other. masks reports whether yield wants more.
func inTurn[F any](files []F, masks func(file F, yield func(*imageMask, error) bool) bool) iter.Seq2[*imageMask, error] {
	return func(yield func(*imageMask, error) bool) {
		for _, file := range files {
			if !masks(file, yield) {
				return
			}
		}
	}
}

// ofFile makes an error about the content of a file, which has the masks of several images, a
// problem of that file. Others stay as they are and end the import.
func ofFile(name string, err error) error {
	if _, ok := OfData(err); ok {
		return &maskError{name, err}
	}
	return err
}

// without adds files that are not read to the problems of a data set.
func (d *dataset) without(files []*maskError) *dataset {
	if d == nil || len(files) == 0 {
		return d
	}
	masks := d.Masks
	d.Masks = func(yield func(*imageMask, error) bool) {
		for _, problem := range files {
			if !yield(nil, problem) {
				return
			}
		}
		masks(yield)
	}
	return d
}

// measured returns the size that the mask's file says, or else that of the image, which the
// report then says.
func (m *imageMask) measured(width, height int) (int, int, error) {
	if width != 0 && height != 0 {
		return width, height, nil
	}
	size, err := m.sizeOf()
	if err == nil {
		m.Lossy = append(m.Lossy, "the file doesn't say how large its image is; it was taken to have the size of the image here")
	}
	return size.X, size.Y, err
}

// applied estimates the memory for turning a mask into an event, in bytes.
const applied = 32 << 20

// start sets the mask's size and fills it; drawing can take more bytes per
// pixel than the mask's one.
func (m *imageMask) start(width, height int, fill uint8, more int, o Options) (give func(), err error) {
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
func (m *imageMask) spend(pixels int) error {
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
