package dataset

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"collie/segment"
)

// Limits of a COCO file.
const (
	maxCOCOCategories = 10_000
	maxHeld           = 32 << 20 // bytes of annotations in memory at once
	annotationBytes   = 150      // memory of an annotation besides its text
	listedStrays      = 20       // named in the report
)

// cocoFile is the relevant part of a COCO instances file without the
// annotations, which are read for some images at a time.
type cocoFile struct {
	files      Files
	name       string
	images     []cocoImage
	places     map[identifier]int    // of images by id
	categories map[identifier]string // names by id
	stuff      map[identifier]bool   // which of them don't have single objects
	names      *imageNames           // of all files
	parents    [][2]string           // name and supercategory of each category
	classes    *classNames
	strays     []error
	stray      int
	options    Options
}

type cocoImage struct {
	ID       identifier `json:"id"`
	FileName string     `json:"file_name"`
	Width    whole      `json:"width"`
	Height   whole      `json:"height"`
	beside   string
}

type cocoAnnotation struct {
	ID           identifier      `json:"id"`
	Image        identifier      `json:"image_id"`
	Category     identifier      `json:"category_id"`
	Area         area            `json:"area"`
	Segmentation json.RawMessage `json:"segmentation"` // outlines, or {size, counts} with counts as numbers or as text
}

// openCOCO reads JSON files with all images of a set each. A pixel has one class:
// where annotations overlap the smaller one wins, as in COCO's panoptic data.
func openCOCO(files Files, names []string, o Options) (*Set, error) {
	classes := newClassNames(o)
	out := &Set{format: formatCOCO, Photos: files.photos()}
	var sets []*cocoFile
	var images imageNames
	for _, name := range names {
		f := newCOCOFile(files, name, &images, classes, o)
		if err := f.scan(); err != nil {
			return nil, err
		}
		out.unlisted = append(out.unlisted, f.heading())
		sets = append(sets, f)
	}
	out.Classes, out.Images = classes.list, images.list
	out.Masks = inTurn(sets, (*cocoFile).masks)
	return out, nil
}

func newCOCOFile(files Files, name string, names *imageNames, classes *classNames, o Options) *cocoFile {
	return &cocoFile{files: files, name: name, names: names, places: map[identifier]int{}, categories: map[identifier]string{}, stuff: map[identifier]bool{}, classes: classes, options: o}
}

// scan reads the images and categories of a file.
func (f *cocoFile) scan() error {
	d, err := OpenJSON(f.files, f.name)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Members(func(member string) error {
		switch member {
		case "images":
			return d.Elements(member, func() error { return f.addImage(d) })
		case "categories":
			return d.Elements(member, func() error { return f.addCategory(d) })
		case "annotations": // read later, but refused before classes are added to the project
			return d.Elements(member, d.Skip)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.end()
}

func (f *cocoFile) addImage(d *Document) error {
	var im cocoImage
	if err := d.Into(&im); err != nil {
		return err
	}
	if _, twice := f.places[im.ID]; twice {
		return segment.Errorf(segment.Unreadable, "%s has two images with the id %s.", f.name, im.ID)
	}
	im.FileName, im.beside = slashed(im.FileName), relative(f.name, im.FileName)
	if err := f.names.add(f.name, im.FileName, im.ID); err != nil {
		return err
	}
	f.places[im.ID] = len(f.images)
	f.images = append(f.images, im)
	return nil
}

func (f *cocoFile) addCategory(d *Document) error {
	var c struct {
		ID     identifier      `json:"id"`
		Name   string          `json:"name"`
		Parent json.RawMessage `json:"supercategory"` // text, or something that is of no use here
		Thing  json.RawMessage `json:"isthing"`       // 0 for stuff
	}
	if err := d.Into(&c); err != nil {
		return err
	}
	label := strings.TrimSpace(c.Name)
	switch other, twice := f.categories[c.ID]; {
	case twice && other == label: // VIA repeats its list
		return nil
	case twice:
		return segment.Errorf(segment.Unreadable, "%s has two categories with the id %s.", f.name, c.ID)
	}
	if len(f.categories) == maxCOCOCategories {
		return segment.Errorf(segment.TooLarge, "%s lists more than %d categories, which is the limit.", f.name, maxCOCOCategories)
	}
	f.categories[c.ID], f.stuff[c.ID] = label, string(c.Thing) == "0"
	var parent string
	_ = json.Unmarshal(c.Parent, &parent)
	f.parents = append(f.parents, [2]string{label, endOf(strings.TrimSpace(parent))})
	return f.classes.add(label)
}

// heading is the name that Roboflow gives the list of categories. It comes first, as one more
// category, whose supercategory is "none"; all others have it as theirs. Empty without one.
func (f *cocoFile) heading() string {
	if len(f.parents) < 2 || f.parents[0][1] != "none" {
		return ""
	}
	heading := f.parents[0][0]
	for _, c := range f.parents[1:] {
		if c[1] != heading || c[0] == heading {
			return ""
		}
	}
	return heading
}

// masks draws the images in their order. The annotations of as many as fit into
// memory are read in one pass over the file. It reports whether yield wants more.
func (f *cocoFile) masks(yield func(*Mask, error) bool) bool {
	for from := 0; from == 0 || from < len(f.images); {
		held, end, err := f.hold(from)
		if err != nil {
			yield(nil, OfFile(f.name, err))
			return false
		}
		for _, stray := range f.strays {
			if !yield(nil, stray) {
				return false
			}
		}
		f.strays = nil
		for i := from; i < end; i++ {
			if f.images[i].FileName == "" {
				if !yield(nil, &MaskError{fmt.Sprintf("image %s", f.images[i].ID), segment.Errorf(segment.Unreadable, "It has no file_name.")}) {
					return false
				}
				delete(held, i)
				continue
			}
			m := &Mask{Image: f.images[i].FileName, File: f.images[i].FileName, Beside: f.images[i].beside}
			m.Draw = func() (func(), error) { return f.draw(m, f.images[i], held[i]) }
			if !yield(m, nil) {
				return false
			}
			delete(held, i)
		}
		from = max(end, 1)
	}
	return true
}

// draw draws the annotations of an image.
func (f *cocoFile) draw(m *Mask, im cocoImage, held *cocoHeld) (give func(), err error) {
	if held == nil {
		held = &cocoHeld{}
	}
	switch {
	case held.unknown != nil:
		return func() {}, held.unknown
	case held.tooMuch:
		return func() {}, segment.Errorf(segment.TooLarge, "Its annotations are larger than %d MiB, which is the limit for one image.", maxHeld>>20)
	}
	width, height, err := m.measured(int(im.Width), int(im.Height))
	if err != nil {
		return func() {}, err
	}
	give, err = m.start(width, height, segment.Void, objectBytes, f.options)
	if err == nil {
		m.trackObjects()
		err = m.drawCOCO(held.annotations, f)
	}
	return give, err
}

// cocoHeld are the annotations of an image.
type cocoHeld struct {
	annotations []cocoAnnotation
	bytes       int
	tooMuch     bool  // they don't fit into memory
	unknown     error // one of them has no category, or one that the file lacks
}

// hold reads the annotations of as many images as fit into memory, starting at
// an index, and returns them by index, with the index after the last.
func (f *cocoFile) hold(from int) (held map[int]*cocoHeld, end int, err error) {
	held, end = map[int]*cocoHeld{}, len(f.images)
	bytes, number := 0, 0
	f.stray = 0
	one := func(d *Document) error {
		var a cocoAnnotation
		if err := d.Into(&a); err != nil {
			return err
		}
		if number++; a.ID == "" {
			a.ID = identifier(fmt.Sprintf("number %d", number))
		}
		place, known := f.places[a.Image]
		if !known {
			f.noteStray(a, from)
			return nil
		}
		if place < from || place >= end {
			return nil
		}
		h := held[place]
		if h == nil {
			h = new(cocoHeld)
			held[place] = h
		}
		switch _, ok := f.categories[a.Category]; {
		case a.Category == "":
			h.unknown = segment.Errorf(segment.Unreadable, "Its annotation %s has no category_id.", a.ID)
		case !ok:
			h.unknown = segment.Errorf(segment.Unreadable, "Its annotation %s is of category %s, which is not in the file.", a.ID, a.Category)
		}
		if h.tooMuch {
			return nil
		}
		n := annotationBytes + len(a.Segmentation)
		h.annotations, h.bytes, bytes = append(h.annotations, a), h.bytes+n, bytes+n
		for bytes > maxHeld && end > from+1 {
			end--
			if h := held[end]; h != nil {
				bytes -= h.bytes
				delete(held, end)
			}
		}
		if bytes > maxHeld {
			*h, bytes = cocoHeld{tooMuch: true}, 0
		}
		return nil
	}
	err = f.annotations(one)
	if from == 0 && f.stray > listedStrays {
		f.strays = append(f.strays, &MaskError{"more annotations", segment.Errorf(segment.Unreadable, "%d more refer to images that are not in the file.", f.stray-listedStrays)})
	}
	return held, end, err
}

// annotations calls read to read one annotation after the other.
func (f *cocoFile) annotations(read func(d *Document) error) error {
	d, err := OpenJSON(f.files, f.name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Members(func(member string) error {
		if member != "annotations" {
			return nil
		}
		return d.Elements(member, func() error { return read(d) })
	})
}

// noteStray records, in the first pass, an annotation without a known image.
func (f *cocoFile) noteStray(a cocoAnnotation, from int) {
	if f.stray++; from == 0 && f.stray <= listedStrays {
		f.strays = append(f.strays, &MaskError{fmt.Sprintf("annotation %s", a.ID), segment.Errorf(segment.Unreadable, "It refers to image %s, which is not in the file.", a.Image)})
	}
}

// drawCOCO draws the annotations of one image onto an empty mask.
func (m *Mask) drawCOCO(annotations []cocoAnnotation, f *cocoFile) error {
	for i, a := range annotations {
		if a.Area == 0 {
			annotations[i].Area = area(m.measure(a.Segmentation))
		}
	}
	slices.SortStableFunc(annotations, func(a, b cocoAnnotation) int { return cmp.Compare(b.Area, a.Area) })
	m.Regions = len(annotations)
	drawn, flat := 0, 0
	byName := map[string]int{} // those drawn
	for i, a := range annotations {
		if err := f.options.context.Err(); err != nil {
			return err
		}
		m.object = int32(i)
		name := f.categories[a.Category]
		n, err := m.drawSegmentation(a.Segmentation, f.classes.index[name])
		if err != nil {
			return fmt.Errorf("annotation %s: %w", a.ID, err)
		}
		if drawn += n; n == 0 {
			flat++
		} else {
			byName[name]++
		}
	}
	switch {
	case flat > 0 && !slices.ContainsFunc(annotations, func(a cocoAnnotation) bool { return segmented(a.Segmentation) }):
		return segment.Errorf(segment.Unsupported, "Its annotations have no segmentation, so it has no mask.")
	case flat > 0:
		m.Lossy = append(m.Lossy, fmt.Sprintf("annotations without pixels, such as boxes without a segmentation, skipped: %d", flat))
	}
	if m.thin > 0 {
		m.Lossy = append(m.Lossy, fmt.Sprintf("outlines of fewer than 3 corners, which have no area, skipped: %d", m.thin))
	}
	m.Lossy = append(m.Lossy, f.classes.remarks(byName)...)
	covered := 0
	for i, p := range m.Pixels {
		if p != segment.Void {
			covered++
		} else {
			m.Pixels[i] = f.options.uncovered()
		}
	}
	m.tellUncovered(f.options)
	if drawn > covered {
		m.Lossy = append(m.Lossy, fmt.Sprintf("annotations overlap on %d pixels; the smaller one was used there", drawn-covered))
	}
	return nil
}
