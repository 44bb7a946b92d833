package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"collie/segment"
)

// labelmeFile is a labelme JSON without its shapes, which are read one after
// the other.
type labelmeFile struct {
	name          string
	image, beside string
	width, height int
	shapes        int // the number of them; -1 without a list, or if the file can't be read
}

type labelmeShape struct {
	Label     identifier    `json:"label"`
	ShapeType string        `json:"shape_type"`
	Points    labelmePoints `json:"points"`
	Mask      string        `json:"mask"`     // base64 PNG of the box between the points
	GroupID   *identifier   `json:"group_id"` // shapes of one label and one group are one object
}

// class is the name of the shape's class.
func (s *labelmeShape) class() string { return strings.TrimSpace(string(s.Label)) }

// labelmePoints are the corners of a shape.
type labelmePoints [][2]float64

// UnmarshalJSON reads corners, no more than an outline can have.
func (p *labelmePoints) UnmarshalJSON(b []byte) error {
	if bytes.Count(b, []byte(",")) > 3*maxVertices || bytes.Count(b, []byte("[")) > maxVertices+1 {
		return segment.Errorf(segment.TooLarge, "A shape has more than %d corners.", maxVertices)
	}
	if err := json.Unmarshal(b, (*[][2]float64)(p)); err != nil || *p == nil {
		return err
	}
	// encoding/json has put zeros for missing numbers and passed over further ones.
	err := eachOutline(b, func(corner []float64) error {
		if len(corner) != 2 {
			return errCorner
		}
		return nil
	})
	if err != nil {
		return errCorner
	}
	return nil
}

var errCorner = segment.Errorf(segment.Unreadable, "A shape has a point that is not two numbers, x and y.")

// openLabelme reads one JSON per image. Shapes are drawn in their order, later
// ones over earlier ones.
func openLabelme(files Files, names []string, o Options) (*Set, error) {
	slices.Sort(names)
	classes := newClassNames(o)
	var with []labelmeFile
	for _, name := range names {
		// Errors are reported when the file's turn comes.
		f, err := scanLabelme(files, name, classes)
		if err := o.context.Err(); err != nil {
			return nil, err
		}
		if tooMany := new(tooManyClasses); errors.As(err, &tooMany) {
			return nil, tooMany.error
		}
		if err != nil || f.shapes >= 0 {
			with = append(with, f)
		}
	}
	var images imageNames
	for _, f := range with {
		if err := images.add(f.name, f.image, ""); err != nil {
			return nil, err
		}
	}
	return &Set{format: formatLabelme, Classes: classes.list, Images: images.list, Photos: files.photos(), Masks: func(yield func(*Mask, error) bool) {
		for _, f := range with {
			m := &Mask{Image: f.image, File: path.Base(f.name), Beside: f.beside}
			m.Draw = func() (func(), error) { return m.readLabelme(files, f, classes, o) }
			if !yield(m, nil) {
				return
			}
		}
	}}, nil
}

// eachShape calls do with the shapes of a list, one after the other.
func eachShape(d *Document, do func(i int, s labelmeShape) error) (count int, err error) {
	err = d.Elements("shapes", func() error {
		var s labelmeShape
		if err := d.Into(&s); err != nil {
			return err
		}
		count++
		return do(count-1, s)
	})
	return count, err
}

// scanLabelme reads a file without its shapes, and the names of their classes,
// so that classes have the same index in all files.
func scanLabelme(files Files, name string, classes *classNames) (labelmeFile, error) {
	f := labelmeFile{name: name, shapes: -1}
	d, err := OpenJSON(files, name)
	if err != nil {
		return f, err
	}
	defer d.Close()
	err = d.Members(func(member string) (err error) {
		switch member {
		case "imagePath":
			if d.PeekKind() == '"' {
				f.image, err = d.text()
			}
		case "imageWidth":
			f.width, err = d.number()
		case "imageHeight":
			f.height, err = d.number()
		case "shapes":
			f.shapes, err = eachShape(d, func(_ int, s labelmeShape) error {
				if err := classes.add(s.class()); err != nil {
					return &tooManyClasses{err}
				}
				return nil
			})
		}
		return err
	})
	if err == nil {
		err = d.end()
	}
	if err != nil {
		f.shapes = -1
	}
	if f.image == "" {
		f.image = name
	}
	f.image, f.beside = slashed(f.image), relative(name, f.image)
	return f, err
}

// cropBytes is the memory per pixel of a shape's mask.
const cropBytes = 4

// group is the label and the group of shapes that are one object.
type group struct {
	label string
	id    identifier
}

// readLabelme draws the shapes of a file.
func (m *Mask) readLabelme(files Files, f labelmeFile, classes *classNames, o Options) (give func(), err error) {
	if f.shapes < 0 { // scanning failed: reading finds the same error
		_, err := scanLabelme(files, f.name, newClassNames(o))
		return func() {}, err
	}
	if f.width, f.height, err = m.measured(f.width, f.height); err != nil { // files of 2018 and before have no size
		return func() {}, err
	}
	d, err := OpenJSON(files, f.name)
	if err != nil {
		return func() {}, err
	}
	defer d.Close()
	give, err = m.start(f.width, f.height, o.uncovered(), cropBytes+objectBytes, o)
	if err != nil {
		return give, err
	}
	m.trackObjects()
	shapes := drawing{mask: m, classes: classes, groups: map[group]int32{}, drawn: map[string]int{}}
	err = d.Members(func(member string) (err error) {
		if member == "shapes" {
			m.Regions, err = eachShape(d, func(i int, s labelmeShape) error {
				return cmp.Or(shapes.draw(i, s), o.context.Err())
			})
		}
		return err
	})
	m.Lossy = append(m.Lossy, shapes.lossy()...)
	m.tellUncovered(o)
	if shapes.unknown > 0 && len(shapes.drawn) == 0 && err == nil {
		err = segment.Errorf(segment.Unsupported, "It has only shapes that can't be read, such as %.40q; use polygons, rectangles, circles or masks.", shapes.kind)
	}
	return give, err
}

// drawing is what becomes of the shapes of a file.
type drawing struct {
	mask    *Mask
	classes *classNames
	groups  map[group]int32 // the first shape of each
	drawn   map[string]int  // shapes with area, by class
	flat    int
	unknown int
	kind    string // of the last unknown one
}

// draw draws shape i.
func (d *drawing) draw(i int, s labelmeShape) error {
	m, class := d.mask, s.class()
	m.object = int32(i)
	if s.GroupID != nil {
		m.object = d.object(m.object, class, *s.GroupID)
	}
	area, err := m.drawLabelme(s, d.classes.index[class])
	if err := d.note(s.ShapeType, class, area, err); err != nil {
		return fmt.Errorf("shape %d (%.40q): %w", i, s.Label, err)
	}
	return nil
}

// note counts a shape by what drawing it has returned: whether it has an area, and an error,
// which is returned unless it is about the kind of the shape.
func (d *drawing) note(kind, class string, area bool, err error) error {
	switch {
	case errors.Is(err, errKind):
		d.unknown++
		d.kind = kind
		return nil
	case err != nil:
		return err
	case area:
		d.drawn[class]++
	default:
		d.flat++
	}
	return nil
}

// object returns the number of the object that a shape with a group belongs to: its own if it is
// the first of the group.
func (d *drawing) object(own int32, label string, id identifier) int32 {
	g := group{label, id}
	if _, known := d.groups[g]; !known {
		d.groups[g] = own
	}
	return d.groups[g]
}

// lossy says what the labelling lacks.
func (d *drawing) lossy() []string {
	out := d.classes.remarks(d.drawn)
	if d.flat > 0 {
		out = append(out, fmt.Sprintf("shapes without area, such as lines and points, skipped: %d", d.flat))
	}
	if d.unknown > 0 {
		out = append(out, fmt.Sprintf("shapes of kinds that can't be read, such as %.40q, skipped: %d", d.kind, d.unknown))
	}
	return out
}

// tellUncovered says in the report how many pixels outside every shape became the
// project's first class, unless that is a background.
func (m *Mask) tellUncovered(o Options) {
	if o.Undecided || len(o.classes) == 0 || segment.DefaultRest(o.classes).Mode == segment.RestClass {
		return
	}
	if n := bytes.Count(m.Pixels, []byte{0}); n > 0 {
		m.Lossy = append(m.Lossy, fmt.Sprintf("pixels outside every shape, which became the project's first class, %q: %d", o.classes[0].Name, n))
	}
}

// uncovered is the value of pixels outside every shape.
func (o Options) uncovered() uint8 {
	if o.Undecided {
		return segment.Void
	}
	return 0
}
