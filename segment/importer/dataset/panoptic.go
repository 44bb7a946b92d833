package dataset

import (
	"errors"
	"image"
	"path"
	"slices"
	"strings"

	"collie/segment"
)

// panopticFile is a JSON file of COCO's panoptic kind: beside its images and categories it
// has the segments of a PNG for each image.
type panopticFile struct {
	*cocoFile
	named map[string][]string // paths of all files by their last part
}

// panopticImage is the annotation of an image.
type panopticImage struct {
	Image    identifier        `json:"image_id"`
	FileName string            `json:"file_name"` // of the PNG
	Segments []panopticSegment `json:"segments_info"`
}

type panopticSegment struct {
	ID       whole      `json:"id"` // R + 256·G + 65,536·B of its pixels
	Category identifier `json:"category_id"`
	Crowd    whole      `json:"iscrowd"` // 1 for several objects in one segment
}

// openPanoptic reads JSON files with the segments of PNGs. What is in no segment is undecided.
func openPanoptic(files Files, names []string, o Options) (*Set, error) {
	classes := newClassNames(o)
	out := &Set{format: formatPanoptic}
	var sets []*panopticFile
	named := map[string][]string{}
	for _, name := range files.Names {
		named[path.Base(name)] = append(named[path.Base(name)], name)
	}
	var masks []string
	var images imageNames
	for _, name := range names {
		f := &panopticFile{newCOCOFile(files, name, &images, classes, o), named}
		if err := f.scan(); err != nil {
			return nil, err
		}
		err := f.each(func(a *panopticImage) error {
			if place, known := f.places[a.Image]; known {
				out.Images = append(out.Images, f.images[place].FileName)
			}
			if picture := f.find(a.FileName); picture != "" {
				masks = append(masks, picture)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		sets = append(sets, f)
	}
	out.Classes, out.Photos = classes.list, files.photosBut(masks)
	out.Masks = inTurn(sets, (*panopticFile).masks)
	return out, nil
}

// each reads one annotation after the other.
func (f *panopticFile) each(do func(a *panopticImage) error) error {
	return f.annotations(func(d *Document) error {
		var a panopticImage
		if err := d.Into(&a); err != nil {
			return err
		}
		a.FileName = slashed(a.FileName)
		return do(&a)
	})
}

// find returns the path of a PNG that the file names: COCO's are in a folder beside it that is
// called like it, others beside it or in the only folder that has one of the name. Empty if
// there is none.
func (f *panopticFile) find(picture string) string {
	all := f.named[path.Base(picture)]
	for _, folder := range []string{Endless(f.name), path.Dir(f.name)} {
		if at := path.Join(folder, picture); slices.Contains(all, at) {
			return at
		}
	}
	if len(all) == 1 && strings.HasSuffix("/"+all[0], "/"+picture) {
		return all[0]
	}
	return ""
}

// masks yields the mask of one annotation after the other. It reports whether yield wants
// more.
func (f *panopticFile) masks(yield func(*Mask, error) bool) bool {
	err := f.each(func(a *panopticImage) error {
		place, known := f.places[a.Image]
		if !known || f.images[place].FileName == "" {
			problem := segment.Errorf(segment.Unreadable, "It refers to image %s, which is not in the file, or has no file_name there.", a.Image)
			return wanted(yield(nil, &MaskError{"the annotation of " + shortened([]byte(a.FileName)), problem}))
		}
		im := f.images[place]
		m := &Mask{Image: im.FileName, File: a.FileName, Beside: im.beside}
		m.Draw = func() (func(), error) { return m.drawPanoptic(a, f) }
		return wanted(yield(m, nil))
	})
	if err != nil && !errors.Is(err, errStopped) {
		yield(nil, OfFile(f.name, err))
	}
	return err == nil
}

// wanted ends the reading of a file whose masks are no longer wanted.
func wanted(more bool) error {
	if more {
		return nil
	}
	return errStopped
}

// drawPanoptic reads the PNG of an annotation.
func (m *Mask) drawPanoptic(a *panopticImage, f *panopticFile) (give func(), err error) {
	segments, err := f.segments(a)
	if err != nil {
		return func() {}, err
	}
	picture := f.find(a.FileName)
	if picture == "" {
		return func() {}, segment.Errorf(segment.Unreadable, "Its PNG %s is not among the files, or is there more than once. Put the JSON file and the folder with the PNGs into one zip archive.", shortened([]byte(a.FileName)))
	}
	size, pixel, err := measurePNG(f.files.opener(picture), true)
	if err != nil {
		return func() {}, err
	}
	give, err = m.start(size.X, size.Y, segment.Void, pixel+objectBytes, f.options)
	if err != nil {
		return give, err
	}
	img, err := decodePNG(f.files.opener(picture))
	if err == nil {
		err = m.takeSegments(img, segments)
	}
	if err != nil {
		return give, err
	}
	m.Regions = len(segments)
	byName := map[string]int{}
	for _, s := range a.Segments {
		byName[f.categories[s.Category]]++
	}
	m.Lossy = append(m.Lossy, f.classes.remarks(byName)...)
	return give, nil
}

// panopticPixel is what the pixels of a segment become.
type panopticPixel struct {
	class  uint8
	object int32 // -1 where the segment is no single object
}

// segments are those of an annotation by id.
func (f *panopticFile) segments(a *panopticImage) (map[int32]panopticPixel, error) {
	out := make(map[int32]panopticPixel, len(a.Segments))
	for i, s := range a.Segments {
		name, known := f.categories[s.Category]
		if !known {
			return nil, segment.Errorf(segment.Unreadable, "Its segment %d is of category %s, which is not in the file.", s.ID, s.Category)
		}
		if _, twice := out[int32(s.ID)]; twice || s.ID < 1 {
			return nil, segment.Errorf(segment.Unreadable, "Its segment number %d has the id %d. Ids are from 1, and each segment has its own.", i+1, s.ID)
		}
		p := panopticPixel{f.classes.index[name], int32(i)}
		if f.stuff[s.Category] || s.Crowd != 0 {
			p.object = -1
		}
		out[int32(s.ID)] = p
	}
	return out, nil
}

// takeSegments sets the pixels and objects to the segments of an image of the same size.
func (m *Mask) takeSegments(img image.Image, segments map[int32]panopticPixel) error {
	m.trackObjects()
	id := valueOf(img)
	if _, palette := img.(*image.Paletted); palette || id == nil {
		id = func(x, y int) int32 {
			c := colorAt(img, x, y)
			return int32(c.R) | int32(c.G)<<8 | int32(c.B)<<16
		}
	}
	var last int32 // neighbours mostly are of one segment
	at := panopticPixel{segment.Void, -1}
	for i := range m.Pixels {
		if now := id(i%m.Width, i/m.Width); now != last {
			var known bool
			if last, at = now, (panopticPixel{segment.Void, -1}); now != 0 {
				if at, known = segments[now]; !known {
					return segment.Errorf(segment.Unreadable, "The pixel at (%d, %d) is of segment %d, which its annotation doesn't list.", i%m.Width, i/m.Width, now)
				}
			}
		}
		m.Pixels[i], m.Objects[i] = at.class, at.object
	}
	return nil
}
