package dataset

import (
	"cmp"
	"errors"

	"collie/segment"
)

// documents are the JSON files of a data set by what they are. Files of other
// kinds are in none of the lists.
type documents struct {
	coco, panoptic, labelme, studio []string
	bad                             []*MaskError // can't be read, or have no masks
}

// sniff tells what JSON files are.
func sniff(files Files, names []string) (documents, error) {
	var d documents
	for _, name := range names {
		format, err := sniffJSON(files, name)
		switch {
		case err != nil && segment.KindOf(err) == 0:
			return d, err
		case err != nil:
			d.bad = append(d.bad, &MaskError{name, err})
		case format == formatCOCO:
			d.coco = append(d.coco, name)
		case format == formatPanoptic:
			d.panoptic = append(d.panoptic, name)
		case format == formatLabelme:
			d.labelme = append(d.labelme, name)
		case format == formatStudio:
			d.studio = append(d.studio, name)
		}
	}
	return d, nil
}

// notRead returns a problem for each of the files but pictures, which can be photographs.
func notRead(names []string) []*MaskError {
	var out []*MaskError
	for _, name := range names {
		if !pictureEnding(name) {
			out = append(out, &MaskError{name, segment.Errorf(segment.Unsupported, "It was not read, because the data set has masks in another format, too. Import it by itself.")})
		}
	}
	return out
}

// errKnown ends the reading of a file whose kind is known.
var errKnown = errors.New("kind known")

// sniffJSON recognizes a JSON file by its names, and reads no more of it than that
// takes; "" stands for any other file. Files with COCO's other kinds of annotations are
// errors.
func sniffJSON(files Files, name string) (format, error) {
	d, err := OpenJSON(files, name)
	if err != nil {
		return "", err
	}
	defer d.Close()
	if d.PeekKind() == '[' {
		return d.sniffTasks()
	}
	var h hints
	err = d.Members(func(member string) error { return h.member(d, member) })
	if err != nil && !errors.Is(err, errKnown) {
		return "", err
	}
	return h.format(name)
}

// hints are what tells JSON files apart: the names of their members, and of their
// annotations' ones.
type hints struct {
	images, annotations, shapes, items, categories, via bool

	annotated              bool // there is at least one annotation
	segmentation, segments bool // in some annotation
	looked                 bool // into an object that has the name of none of these
}

// member notes a member of the file.
func (h *hints) member(d *Document, name string) error {
	switch name {
	case "images":
		h.images = true
	case "shapes":
		h.shapes = true
	case "items":
		h.items = true
	case "categories":
		h.categories = true
	case "_via_img_metadata":
		h.via = true
	case "annotations":
		h.annotations = true
		if d.PeekKind() == '[' { // else of another format, or to be refused when it is read
			return d.Elements(name, func() error { return h.annotation(d) })
		}
	default:
		if !h.looked && d.PeekKind() == '{' {
			h.looked = true // VIA's annotations by themselves are objects by image, all alike
			return d.Members(func(member string) error { h.via = h.via || member == "regions"; return nil })
		}
	}
	if h.shapes && !h.images {
		return errKnown
	}
	return h.enough()
}

// annotation notes the members of an annotation.
func (h *hints) annotation(d *Document) error {
	h.annotated = true
	err := d.Members(func(member string) error {
		h.segmentation = h.segmentation || member == "segmentation"
		h.segments = h.segments || member == "segments_info"
		return nil
	})
	return cmp.Or(err, h.enough())
}

// enough returns errKnown when further annotations don't matter.
func (h *hints) enough() error {
	if h.images && (h.segmentation || h.segments) {
		return errKnown
	}
	return nil
}

// format returns the format of a file with the hints, or the error of one that can't
// be imported.
func (h *hints) format(name string) (format, error) {
	switch {
	case h.images && h.segments:
		return formatPanoptic, nil
	case h.images && h.annotated && !h.segmentation:
		return "", segment.Errorf(segment.Unsupported, "The annotations in %s have no segmentation, so it has no masks.", name)
	case h.images && h.annotations:
		return formatCOCO, nil
	case h.shapes:
		return formatLabelme, nil
	case h.via:
		return "", segment.Errorf(segment.Unsupported, "%s is VIA's own JSON, which can't be imported; export annotations as COCO from VIA instead.", name)
	case h.items && h.categories:
		return "", segment.Errorf(segment.Unsupported, "%s is Datumaro's own JSON, which can't be imported; export COCO instances instead.", name)
	}
	return "", nil
}

// sniffTasks recognizes a list of Label Studio's tasks by the first one. In the short form that
// Label Studio also exports, and without annotations, they are an error.
func (d *Document) sniffTasks() (format, error) {
	data, annotated, short, studio := false, false, false, false
	err := d.Elements("", func() error {
		err := d.Members(func(member string) error {
			data = data || member == "data"
			annotated = annotated || member == "annotations"
			short = short || member == "annotator" || member == "annotation_id"
			studio = studio || member == "predictions" || member == "completions"
			return nil
		})
		return cmp.Or(err, errKnown)
	})
	switch {
	case data && annotated: // without data it is CreateML's
		return formatStudio, nil
	case short:
		return "", segment.Errorf(segment.Unsupported, "%s is Label Studio's JSON-MIN, which can't be imported; export JSON from it instead.", d.name)
	case studio:
		return "", segment.Errorf(segment.Unsupported, "The tasks of Label Studio in %s have no annotations.", d.name)
	case err != nil && !errors.Is(err, errKnown):
		return "", err
	}
	return "", nil
}
