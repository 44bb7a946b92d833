// Package dataset reads the masks that other programs wrote: pictures as in PASCAL VOC and
// Cityscapes, label images, COCO, labelme, Label Studio, CVAT and YOLO. [Open] tells which
// format it is and returns a [Set] of masks, which are drawn one by one. What they become
// in a project is the business of the importer. Nothing in the files is trusted, and
// errors about them are for people.
//
// Each format has a file, with a function that makes a Set of the files and one that draws
// a [Mask]. What is peculiar to a format stands beside its name in dataset.go.
package dataset

import (
	"cmp"
	"context"
	"iter"
	"path"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/backup"
	"collie/segment/beside"
)

// Set is a data set: masks that another program wrote.
type Set struct {
	format format
	// Classes are names and colours by index; one without a name is the first
	// class of the project. nil: indices are those of the project's list.
	Classes  []segment.Class
	unlisted []string // names of classes that are added to a project only if a mask uses them
	Images   []string // of all masks, see Mask
	Photos   []string // names of the photographs among the files
	Masks    iter.Seq2[*Mask, error]
}

// format is a format of masks that can be read.
type format string

// The formats of masks. A folder of PASCAL VOC has SegmentationClass/*.png and
// perhaps SegmentationObject/*.png, both with folders in them where the images are
// in folders; PNGs in other folders are read as classes. So are TIFFs of one number per
// pixel. In formatLabels, which look the same, the numbers are objects of one class.
const (
	formatVOC      format = "voc"
	formatCOCO     format = "coco"
	formatPanoptic format = "coco-panoptic"
	formatLabelme  format = "labelme"
	formatStudio   format = "label-studio"
	formatCVAT     format = "cvat"
	formatYOLO     format = "yolo"
	formatLabels   format = "labels"
)

// Shapes reports whether the masks come as shapes or as annotations, not as pictures.
func (d *Set) Shapes() bool {
	return slices.Contains([]format{formatCOCO, formatLabelme, formatStudio, formatCVAT, formatYOLO}, d.format)
}

// Pictures reports whether the masks are pictures of classes. In these 255 can be a class.
func (d *Set) Pictures() bool { return d.format == formatVOC }

// ObjectsOnly reports whether the masks are label images, which tell objects apart and don't
// say what they are.
func (d *Set) ObjectsOnly() bool { return d.format == formatLabels }

// Lists reports whether the data set has a list of its classes with this one, which needn't
// be in a mask. Formats without a list say the name of a class with each shape.
func (d *Set) Lists(class string) bool {
	return !slices.Contains([]format{formatLabelme, formatStudio, formatCVAT}, d.format) && !slices.Contains(d.unlisted, class)
}

// Options for reading masks; the zero value is the default.
type Options struct {
	// Objects says that pictures outside folders of PASCAL VOC are label images: their
	// numbers are objects of one class, which the mapping gives for "objects". It
	// can be missing in a project of two classes, where it is the second. What has the
	// number 0 is in no object.
	Objects bool

	// Undecided leaves pixels that no shape or object covers undecided. By default
	// they are background, as in COCO and labelme.
	Undecided bool

	// Mapping gives values in masks the names of classes; "" leaves them undecided. A
	// value is a class's name in the data set or, without names, the index in decimal.
	// Classes that the project lacks are added when a mask that needs them is imported.
	// Values that the mapping lacks are matched by name; one that has no name, or whose
	// name the project lacks, is a problem of the masks that use it. The number 255 in
	// pictures is undecided unless the mapping has it.
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
	return o
}

// Open returns the data set in the files. It recognizes the format by names and
// contents; of several formats it reads the first of VOC, COCO, labelme, Label Studio,
// CVAT's XML, Cityscapes, masks in a folder of that name, and YOLO's text files, and
// yields an error for each file of the others. Errors are for people. It doesn't read
// files outside the data set, and reads masks on demand, so the files must stay readable.
// project are the classes of the project that the masks are for, if there is one. lend
// gives the memory for a mask, or waits for it until ctx ends.
func Open(ctx context.Context, files Files, o Options, project []segment.Class, lend func(ctx context.Context, bytes int64) (give func(), err error)) (*Set, error) {
	o = o.orDefault()
	o.context, o.classes, o.lend = ctx, project, lend
	var pictures, jsons []string
	list := "" // the file with the names of the classes
	for _, name := range files.Names {
		switch ext := strings.ToLower(path.Ext(name)); {
		case strings.HasPrefix(path.Base(name), "."):
		case ext == ".png", isTIFF(name):
			pictures = append(pictures, name)
		case ext == ".json":
			jsons = append(jsons, name)
		case strings.EqualFold(path.Base(name), "labelmap.txt"), list == "" && slices.Contains([]string{classNamesFile, pixelValuesFile, labelColorsFile}, strings.ToLower(path.Base(name))):
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
	cvat, otherXML, err := cvatFiles(files)
	if err != nil {
		return nil, err
	}
	cities := slices.DeleteFunc(slices.Clone(pictures), func(name string) bool { return !beside.Cityscapes(name) })
	masks, outlines := inFolder(pictures, "masks"), files.outlines()
	var chosen func() (*Set, error)
	var unread []*MaskError
	for _, found := range []struct {
		files []string
		open  func() (*Set, error)
	}{
		{classes, func() (*Set, error) {
			return openVOC(files, classPictures{names: classes, folder: "SegmentationClass", list: list, photos: files.photosOfVOC(), objects: files.objectsOfClasses()}, o)
		}},
		{documents.coco, func() (*Set, error) { return openCOCO(files, documents.coco, o) }},
		{documents.panoptic, func() (*Set, error) { return openPanoptic(files, documents.panoptic, o) }},
		{documents.labelme, func() (*Set, error) { return openLabelme(files, documents.labelme, o) }},
		{documents.studio, func() (*Set, error) { return openStudio(files, documents.studio, o) }},
		{cvat, func() (*Set, error) { return openCVAT(files, cvat, o) }},
		{cities, func() (*Set, error) { return openCityscapes(files, cities, list, o) }},
		{masks, func() (*Set, error) {
			return openVOC(files, classPictures{names: masks, folder: "masks", list: list, photos: files.photos("masks")}, o)
		}},
		{outlines, func() (*Set, error) { return openYOLO(files, outlines, o) }},
	} {
		switch {
		case len(found.files) == 0:
		case chosen == nil:
			chosen = found.open
		default:
			unread = append(unread, notRead(found.files)...)
		}
	}
	if chosen != nil {
		d, err := chosen()
		return d.without(append(unread, documents.bad...)), err
	}
	other := files.other()
	switch {
	case len(documents.bad) > 0:
		return nil, documents.bad[0].Err
	case other != "":
		return nil, segment.Errorf(segment.Unsupported, "This can't be imported: it is %s. %s", other, accepted)
	case files.Exported() && len(files.Scores()) > 0: // pictures beside them are no masks
		return &Set{Photos: files.photos(), Masks: func(func(*Mask, error) bool) {}}, nil
	case len(pictures) > 0:
		masks := masksAlone(pictures)
		return openVOC(files, classPictures{names: masks, list: list, photos: files.photosBut(masks)}, o)
	case len(files.Scores()) > 0:
		return &Set{Masks: func(func(*Mask, error) bool) {}}, nil
	case otherXML != nil:
		return nil, otherXML
	}
	return nil, segment.Errorf(segment.Unsupported, "No masks found. %s", accepted)
}

const accepted = "Collie reads masks as PNG or TIFF (PASCAL VOC, Cityscapes, label images), COCO JSON (also panoptic, with its PNGs in a zip archive), labelme JSON, Label Studio's JSON, XML of CVAT for images and .npz files with scores or embeddings, single or in a zip archive, single .npy files with scores, and outlines of YOLO with their data.yaml in a zip archive. Save masks in other formats as PNG."

// other says what files are that belong to no format of masks that is read; empty for
// others.
func (f Files) other() string {
	for _, name := range f.Names {
		for end, what := range map[string]string{
			"/data.yaml":           "a data set of YOLO without text files in a folder called labels",
			"/hypotheses.json":     "an export of Collie's hypotheses; export the labelling in another format instead",
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
func (d *Set) oneEach(names []string, folder string, draw func(m *Mask, name string) (give func(), err error)) {
	slices.Sort(names)
	for _, name := range names {
		_, below, _ := cutFolder(name, folder)
		d.Images = append(d.Images, Endless(below))
	}
	d.Masks = func(yield func(*Mask, error) bool) {
		for i, name := range names {
			m := &Mask{Image: d.Images[i], File: d.Images[i] + path.Ext(name)}
			m.Draw = func() (func(), error) { return draw(m, name) }
			if !yield(m, nil) {
				return
			}
		}
	}
}

// inTurn yields the masks of one file after the other. masks reports whether yield wants more.
func inTurn[F any](files []F, masks func(file F, yield func(*Mask, error) bool) bool) iter.Seq2[*Mask, error] {
	return func(yield func(*Mask, error) bool) {
		for _, file := range files {
			if !masks(file, yield) {
				return
			}
		}
	}
}

// OfFile makes an error about the content of a file, which has the masks of several images, a
// problem of that file. Others stay as they are and end the import.
func OfFile(name string, err error) error {
	if Faulty(err) {
		return &MaskError{name, err}
	}
	return err
}

// Faulty reports whether an error is about what is in the files, so that others can be
// read all the same.
func Faulty(err error) bool {
	switch segment.KindOf(err) {
	case segment.Invalid, segment.Unreadable, segment.Unsupported, segment.TooLarge:
		return true
	}
	return false
}

// without adds files that are not read to the problems of a data set.
func (d *Set) without(files []*MaskError) *Set {
	if d == nil || len(files) == 0 {
		return d
	}
	masks := d.Masks
	d.Masks = func(yield func(*Mask, error) bool) {
		for _, problem := range files {
			if !yield(nil, problem) {
				return
			}
		}
		masks(yield)
	}
	return d
}
