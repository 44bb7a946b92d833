package export

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/export/zipfile"
)

// Format is a format in which a project can be exported.
type Format struct {
	Name    string // in URLs and flags
	Title   string // for people
	Summary string // one line for people
	// Uses are the options that have an effect, besides images, drafts,
	// approved, undecided and pictures.
	Uses []string

	pictures, background bool   // defaults of the options of these names
	shapes               string // and of this one
	splits               bool   // sets are lists in splits/, because the files say nothing of them
	evidence             bool   // its files hold evidence, also of images without any
	encoder              func(*job) (encoder, error)
}

// Formats lists all formats in the order in which they are offered.
func Formats() []Format {
	return []Format{
		{Name: "index-png", Title: "Index masks", Summary: "PNG, one byte per pixel: the class index, 255 where undecided. Viewers show the colours of PASCAL VOC; Colour masks have those of the classes", splits: true, encoder: newIndexPNG},
		{Name: "colour-png", Title: "Colour masks", Summary: "RGB PNG in the colours of the classes", splits: true, encoder: newColourPNG},
		{Name: "voc", Title: "PASCAL VOC", Summary: "Palette PNGs by class and by object, lists, labelmap.txt", pictures: true, encoder: newVOC},
		{Name: "coco", Title: "COCO instances", Summary: "JSON with polygons, and RLE for regions with holes", Uses: []string{"objects", "shapes", "background"}, background: true, shapes: "polygon", encoder: newCOCO},
		{Name: "coco-panoptic", Title: "COCO panoptic", Summary: "JSON and PNGs in which every region has a number", Uses: []string{"objects"}, background: true, encoder: newPanoptic},
		{Name: "yolo", Title: "YOLO segmentation", Summary: "One text file of polygons per image, data.yaml", Uses: []string{"background"}, pictures: true, background: true, encoder: newYOLO},
		{Name: "labelme", Title: "labelme", Summary: "One JSON file per image", Uses: []string{"objects", "shapes", "background"}, background: true, shapes: "mask", splits: true, encoder: newLabelme},
		{Name: "cvat", Title: "CVAT for images 1.1", Summary: "Masks in annotations.xml", Uses: []string{"objects", "background"}, background: true, encoder: newCVAT},
		{Name: "datumaro", Title: "Datumaro", Summary: "JSON with RLE masks", Uses: []string{"objects", "background"}, background: true, encoder: newDatumaro},
		{Name: "cityscapes", Title: "Cityscapes", Summary: "Label, instance and colour PNGs named _gtFine_", encoder: newCityscapes},
		{Name: "label-images", Title: "Label images", Summary: "16-bit PNG: 0 is background, every other number an object (cellpose, StarDist)", Uses: []string{"background"}, background: true, encoder: newLabels},
		{Name: "numpy", Title: "NumPy", Summary: "Labels in labels.npz, probabilities per superpixel in probs.npz", Uses: []string{"hypotheses"}, splits: true, encoder: newNumPy},
		{Name: "hypotheses", Title: "Hypotheses", Summary: "Each hypothesis as an index PNG, with scores", Uses: []string{"hypotheses"}, splits: true, evidence: true, encoder: newHypotheses},
		{Name: "backup", Title: "Backup", Summary: "Images, labels, reviews and every step, to import them again as a project. Members and assignments are not in it", evidence: true, encoder: newBackup},
	}
}

// FormatNames are the names of Formats.
func FormatNames() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// formatOf finds a format by its name.
func formatOf(name string) (Format, error) {
	formats := Formats()
	if i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name }); i >= 0 {
		return formats[i], nil
	}
	return Format{}, segment.Errorf(segment.Invalid, "The format %q is unknown; use one of %s.", name, strings.Join(FormatNames(), ", "))
}

// Resolve checks the options against a format and fills in its defaults for a
// project with the given classes.
func (f Format) Resolve(o Options, classes []segment.Class) (Options, error) {
	yes, no, pictures := true, false, f.pictures
	background := f.background && segment.DefaultRest(classes).Mode != segment.RestClass
	for _, flag := range []struct {
		given **bool
		value *bool
	}{{&o.Drafts, &yes}, {&o.Guesses, &no}, {&o.Pictures, &pictures}, {&o.Background, &background}} {
		if *flag.given == nil {
			*flag.given = flag.value
		}
	}
	for _, word := range []struct {
		name    string
		given   *string
		choices []string // the default first
	}{
		{"undecided", &o.Undecided, []string{"void", "background"}},
		{"objects", &o.Objects, []string{"region", "class"}},
		{"shapes", &o.Shapes, shapes(f.shapes)},
	} {
		if *word.given == "" {
			*word.given = word.choices[0]
		}
		if !slices.Contains(word.choices, *word.given) {
			return Options{}, segment.Errorf(segment.Invalid, "The option %q can be %s, not %q.", word.name, strings.Join(word.choices, " or "), *word.given)
		}
	}
	if o.Split != nil {
		split, err := o.Split.resolve()
		if err != nil {
			return Options{}, err
		}
		o.Split = &split
	}
	if o.Hypotheses == nil {
		o.Hypotheses = new(engine.DefaultHypotheses)
	}
	if n := *o.Hypotheses; n < 1 || n > engine.MaxHypotheses {
		return Options{}, segment.Errorf(segment.Invalid, "The number of hypotheses can be 1 to %d, not %d.", engine.MaxHypotheses, n)
	}
	return o, nil
}

func shapes(first string) []string {
	if first == "mask" {
		return []string{"mask", "polygon"}
	}
	return []string{"polygon", "mask"}
}

// encoder writes a job in one format.
type encoder interface {
	// image returns what one image adds to the archive, without its picture: that
	// is added where s.pictureName says, if the options want pictures. It is called
	// concurrently.
	image(ctx context.Context, s *subject) (*piece, error)
	// document is the file about all images of a set; it has no name if the
	// format has no such file.
	document(set string) zipfile.Document
	// finish returns the files that follow those of the images.
	finish() ([]zipfile.Member, error)
}

// piece is what one image adds to the archive.
type piece struct {
	files   []zipfile.Member
	entries [][]byte // of the document
	out     int      // regions of the image's partition that these files have
	lossy   []string // sentences for people about what is not exact
	note    string   // sentences about why less than the image is there, although nothing is lost
	left    error    // of kind Damaged or NotFound: the image is left out, and nothing else is set

	report ImageReport // filled in when all is known
}

// asJSON marshals values that can't fail.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// single is embedded by the encoders of formats without a common document or
// further files.
type single struct{}

func (single) document(string) zipfile.Document  { return zipfile.Document{} }
func (single) finish() ([]zipfile.Member, error) { return nil, nil }
