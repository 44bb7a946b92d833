package importer

import (
	"cmp"
	"errors"
	"slices"

	"collie/segment"
)

// documents are the JSON files of a data set by what they are. Files of other
// kinds are in none of the lists.
type documents struct {
	coco, labelme []string
	bad           []*MaskError // can't be read, or have no masks
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
		case format == COCO:
			d.coco = append(d.coco, name)
		case format == Labelme:
			d.labelme = append(d.labelme, name)
		}
	}
	return d, nil
}

// all returns a problem for each of the files.
func (d documents) all() []*MaskError {
	return append(append(d.notRead(d.coco), d.notRead(d.labelme)...), d.bad...)
}

func (documents) notRead(names []string) []*MaskError {
	var out []*MaskError
	for _, name := range names {
		out = append(out, &MaskError{name, segment.Errorf(segment.Unsupported, "It was not read, because the data set has masks in another format, too. Import it by itself.")})
	}
	return out
}

// errKnown ends the reading of a file whose kind is known.
var errKnown = errors.New("kind known")

// sniffJSON recognizes a JSON file by its names, and reads no more of it than that
// takes; "" is neither format. Files with COCO's other kinds of annotations are
// errors.
func sniffJSON(files Files, name string) (Format, error) {
	d, err := openJSON(files, name)
	if err != nil {
		return "", err
	}
	defer d.Close()
	if d.PeekKind() == '[' {
		return "", d.sniffTasks()
	}
	var images, annotations, shapes, segmentation, segments, items, categories bool
	annotated := false // there is at least one annotation
	err = d.members(func(member string) error {
		switch member {
		case "images":
			images = true
		case "shapes":
			shapes = true
		case "items":
			items = true
		case "categories":
			categories = true
		case "annotations":
			annotations = true
			if d.PeekKind() != '[' { // of another format, or to be refused when it is read
				return nil
			}
			return d.elements(member, func() error {
				annotated = true
				err := d.members(func(member string) error {
					segmentation = segmentation || member == "segmentation"
					segments = segments || member == "segments_info"
					return nil
				})
				if err == nil && images && segmentation {
					return errKnown
				}
				return err
			})
		}
		if shapes && !images || images && segmentation {
			return errKnown
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, errKnown):
		return "", err
	case images && segments:
		return "", segment.Errorf(segment.Unsupported, "%s is COCO's panoptic kind, which can't be imported; export instances instead.", name)
	case images && annotated && !segmentation:
		return "", segment.Errorf(segment.Unsupported, "The annotations in %s have no segmentation, so it has no masks.", name)
	case images && annotations:
		return COCO, nil
	case shapes:
		return Labelme, nil
	case items && categories:
		return "", segment.Errorf(segment.Unsupported, "%s is Datumaro's own JSON, which can't be imported; export COCO instances instead.", name)
	}
	return "", nil
}

// sniffTasks returns an error for a list of Label Studio's tasks, in its full or its
// short form.
func (d *document) sniffTasks() error {
	studio := false
	err := d.elements("", func() error {
		err := d.members(func(member string) error {
			studio = studio || slices.Contains([]string{"annotations", "predictions", "completions", "annotator", "annotation_id"}, member)
			return nil
		})
		return cmp.Or(err, errKnown) // the first one tells
	})
	if studio {
		return segment.Errorf(segment.Unsupported, "%s is Label Studio's own JSON, which can't be imported; export COCO from it instead, of polygons or of brushes.", d.name)
	}
	if err != nil && !errors.Is(err, errKnown) {
		return err
	}
	return nil
}
