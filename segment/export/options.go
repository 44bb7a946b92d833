package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/engine"
)

// Options say what is exported and how. The zero value of a field means its
// default. The JSON form is used by the interface and the manifest.
type Options struct {
	Images     []string `json:"images,omitempty" doc:"identifiers of the images; the whole project if empty"`
	Drafts     *bool    `json:"drafts,omitempty" doc:"whether to include unfinished images; default true"`
	Approved   bool     `json:"approved,omitempty" doc:"whether to leave out images that are not approved, or have changed since; default false"`
	Guesses    *bool    `json:"guesses,omitempty" doc:"whether an image with nothing but a guess, which nobody has accepted, gets the guess as its labels; default false"`
	Undecided  string   `json:"undecided,omitempty" doc:"what undecided pixels become: 255 (default) or class 0" schema:"enum=void|background"`
	Pictures   *bool    `json:"pictures,omitempty" doc:"whether to include the images, upright and without metadata; default true for voc and yolo only"`
	Objects    string   `json:"objects,omitempty" doc:"what one object is: a connected region (default) or all regions of a class" schema:"enum=region|class"`
	Shapes     string   `json:"shapes,omitempty" doc:"for coco (default polygon, for regions without holes) and labelme (default mask)" schema:"enum=polygon|mask"`
	Background *bool    `json:"background,omitempty" doc:"whether class 0 is written as objects; default false while class 0 is called background or the like, because readers take whatever no object covers for background"`
	Split      *Split   `json:"split,omitempty" doc:"divides the images into sets for training, validation and testing; without it there are none. A backup ignores it"`
	Hypotheses *int     `json:"hypotheses,omitempty" doc:"number of hypotheses, for numpy and hypotheses; default 20" schema:"min=1,max=100"`
}

// Format is a format in which a project can be exported.
type Format struct {
	Name    string // in URLs and flags
	Title   string // for people
	Summary string // one line for people
	// Uses are the options that have an effect, besides images, drafts,
	// approved, undecided and pictures.
	Uses []string

	pictures, background bool
	shapes               string
	plain                bool // its files say nothing of sets
	evidence             bool // its files hold evidence, also of images without any
	encoder              func(*job) (encoder, error)
}

// Formats lists all formats in the order in which they are offered.
func Formats() []Format {
	return []Format{
		{Name: "index-png", Title: "Index masks", Summary: "PNG, one byte per pixel: the class index, 255 where undecided", plain: true, encoder: newIndexPNG},
		{Name: "colour-png", Title: "Colour masks", Summary: "RGB PNG in the colours of the classes", plain: true, encoder: newColourPNG},
		{Name: "voc", Title: "PASCAL VOC", Summary: "Palette PNGs by class and by object, lists, labelmap.txt", pictures: true, encoder: newVOC},
		{Name: "coco", Title: "COCO instances", Summary: "JSON with polygons, and RLE for regions with holes", Uses: []string{"objects", "shapes", "background"}, background: true, shapes: "polygon", encoder: newCOCO},
		{Name: "coco-panoptic", Title: "COCO panoptic", Summary: "JSON and PNGs in which every region has a number", Uses: []string{"objects"}, background: true, encoder: newPanoptic},
		{Name: "yolo", Title: "YOLO segmentation", Summary: "One text file of polygons per image, data.yaml", Uses: []string{"background"}, pictures: true, background: true, encoder: newYOLO},
		{Name: "labelme", Title: "labelme", Summary: "One JSON file per image", Uses: []string{"objects", "shapes", "background"}, background: true, shapes: "mask", plain: true, encoder: newLabelme},
		{Name: "cvat", Title: "CVAT for images 1.1", Summary: "Masks in annotations.xml", Uses: []string{"objects", "background"}, background: true, encoder: newCVAT},
		{Name: "datumaro", Title: "Datumaro", Summary: "JSON with RLE masks", Uses: []string{"objects", "background"}, background: true, encoder: newDatumaro},
		{Name: "cityscapes", Title: "Cityscapes", Summary: "Label, instance and colour PNGs named _gtFine_", encoder: newCityscapes},
		{Name: "label-images", Title: "Label images", Summary: "16-bit PNG: 0 is background, every other number an object (cellpose, StarDist)", Uses: []string{"background"}, background: true, encoder: newLabels},
		{Name: "numpy", Title: "NumPy", Summary: "Labels in labels.npz, probabilities per superpixel in probs.npz", Uses: []string{"hypotheses"}, plain: true, encoder: newNumPy},
		{Name: "hypotheses", Title: "Hypotheses", Summary: "Each hypothesis as an index PNG, with scores", Uses: []string{"hypotheses"}, plain: true, evidence: true, encoder: newHypotheses},
		{Name: "backup", Title: "Backup", Summary: "The whole project with its evidence, to import it again", evidence: true, encoder: newBackup},
	}
}

// formatOf finds a format by its name.
func formatOf(name string) (Format, error) {
	formats := Formats()
	if i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name }); i >= 0 {
		return formats[i], nil
	}
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return Format{}, segment.Errorf(segment.Invalid, "The format %q is unknown; use one of %s.", name, strings.Join(names, ", "))
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

// chooser chooses the images to export.
type chooser struct {
	options *Options
	wanted  map[string]bool // identifiers of those that have not come yet
}

func (o *Options) chooser() *chooser {
	wanted := make(map[string]bool, len(o.Images))
	for _, id := range o.Images {
		wanted[id] = true
	}
	return &chooser{o, wanted}
}

// take reports whether an image is exported, and if it was asked for why not.
func (c *chooser) take(im *segment.Image) (ok bool, why string) {
	if len(c.options.Images) > 0 && !c.wanted[im.ID] {
		return false, ""
	}
	delete(c.wanted, im.ID)
	if !*c.options.Drafts && im.Status() != segment.StatusDone {
		return false, "It is unfinished, and unfinished images were left out."
	}
	switch {
	case !c.options.Approved:
	case im.Review.Status != segment.Approved:
		return false, "It is not approved, and only approved images were exported."
	case im.Seq > im.Review.Seq:
		return false, "It has changed since it was approved, and only approved images were exported."
	}
	return true, ""
}

// mostMissing is how many missing images an error names.
const mostMissing = 5

// missing returns a NotFound for those that have not come.
func (c *chooser) missing() error {
	if len(c.wanted) == 0 {
		return nil
	}
	var named []string
	for _, id := range slices.Sorted(maps.Keys(c.wanted))[:min(len(c.wanted), mostMissing)] {
		named = append(named, fmt.Sprintf("%.40q", id))
	}
	list := strings.Join(named, ", ")
	if more := len(c.wanted) - len(named); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return segment.Errorf(segment.NotFound, "The project has no image %s.", list)
}
