package importer

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strconv"
	"strings"

	"collie/segment"
	"collie/segment/importer/dataset"
	"collie/segment/labelset"
	"collie/segment/mask"
)

// white is 255 as people see it where it can be a class.
var white = color.RGBA{255, 255, 255, 255}

// Value is a value in the masks of a data set and the class that it becomes.
type Value struct {
	Value string // the class's name in the data set or, without names, the index in decimal
	Name  string // in the data set; empty without names
	VOC   string // PASCAL VOC's class with the index, if the data set has no names
	Color string // #rrggbb, as in thumbnails
	// Class is the name of the class that the value becomes; "" is undecided,
	// or, where Unknown, not said.
	Class   string
	Unknown bool
	New     bool // the project lacks the class
	Masks   int  // with the value
	Pixels  int
}

// meaning is the class for each index of a data set.
type meaning struct {
	values [256]Value
	ids    [256]uint8
	added  [256]segment.Class // to a project that lacks it; without a name where none is
	listed [256]bool          // on the data set's list of classes, which are added together, used or not
	names  bool               // the data set names its classes
	places int                // classes of the project that indices without a mapping can name; 0 with one
}

// mean finds what the indices of a data set mean in a project. Without a
// mapping, names are matched by name, and indices without names are positions
// in the project's list. Classes that the project lacks are added, with a mapping
// only those that it names.
func mean(p segment.Project, d *dataset.Set, mapping map[string]string) *meaning {
	m := &meaning{names: d.Classes != nil}
	if mapping == nil {
		m.places = len(p.Classes)
	}
	for i := range segment.Void {
		v := &m.values[i]
		v.Color = mask.FormatColor(mask.VOCColor(uint8(i)))
		outside := i == 0 && d.Classes != nil && d.Classes[0].Name == ""
		if i < len(d.Classes) {
			v.Name = strings.TrimSpace(d.Classes[i].Name)
			if d.Classes[i].Color != "" {
				v.Color = d.Classes[i].Color
			}
		}
		m.listed[i] = mapping == nil && d.Lists(v.Name)
		if v.Value = v.Name; v.Name == "" && !outside {
			v.Value = strconv.Itoa(i)
			if d.Classes == nil && i < len(labelset.PASCAL) {
				v.VOC = labelset.PASCAL[i]
			}
		}
		given, ok := mapping[v.Value]
		switch {
		case ok && !outside:
			v.Class = strings.TrimSpace(given)
		case v.Name != "" && d.ObjectsOnly():
			if v.Unknown = len(p.Classes) != 2; !v.Unknown {
				v.Class = p.Classes[1].Name
			}
		case v.Name != "":
			v.Class = v.Name
		case (outside || d.Classes == nil && mapping == nil) && i < len(p.Classes):
			v.Class = p.Classes[i].Name
		default:
			v.Unknown = true
		}
		if ok || mapping == nil {
			m.added[i].Name = v.Class
			if i < len(d.Classes) && named(v.Class)(d.Classes[i]) {
				m.added[i].Color = d.Classes[i].Color
			}
		}
	}
	if d.Pictures() {
		given := strings.TrimSpace(mapping[dataset.WhiteValue])
		m.values[segment.Void] = Value{Value: dataset.WhiteValue, Color: mask.FormatColor(white), Class: given}
		m.added[segment.Void].Name = given
	}
	m.find(p)
	return m
}

// find finds the values' classes in the project.
func (m *meaning) find(p segment.Project) {
	for i := range m.values {
		v := &m.values[i]
		m.ids[i], v.New = segment.Void, v.Class != ""
		at := slices.IndexFunc(p.Classes, named(v.Class))
		if at >= 0 {
			v.Class, m.ids[i], v.New = p.Classes[at].Name, p.Classes[at].ID, false
		}
	}
}

// missing returns the classes that are added to the project for a mask: those that it
// needs and, where the data set lists its classes, the others of the list, too, so that
// a project that begins with some of the masks has them in the same order.
func (m *meaning) missing(pixels []uint8) []segment.Class {
	var out []segment.Class
	needed := false
	for i, v := range m.values {
		c := m.added[i]
		if !v.New || c.Name == "" {
			continue
		}
		uses := bytes.IndexByte(pixels, uint8(i)) >= 0
		needed = needed || uses
		if (uses || m.listed[i]) && !slices.ContainsFunc(out, named(c.Name)) {
			out = append(out, c)
		}
	}
	if !needed {
		return nil
	}
	return out
}

// count adds a mask's pixels to the values. Of 255 those count that may be a class.
func (m *meaning) count(of *dataset.Mask) {
	var counts [256]int
	for _, p := range of.Pixels {
		counts[p]++
	}
	if !of.White && m.values[segment.Void].Class == "" {
		counts[segment.Void] = 0
	}
	for i := range m.values {
		if n := counts[i]; n > 0 {
			m.values[i].Masks++
			m.values[i].Pixels += n
		}
	}
}

// used lists the values in the masks, except the pixels outside every shape.
func (m *meaning) used() []Value {
	var out []Value
	for _, v := range m.values {
		if v.Masks > 0 && v.Value != "" {
			out = append(out, v)
		}
	}
	return out
}

// check returns an error for a mask with values that don't become a class.
func (m *meaning) check(pixels []uint8) error {
	for _, p := range pixels {
		switch v := &m.values[p]; {
		case v.New && m.added[p].Name == "":
			return segment.Errorf(segment.Invalid, "The mask uses %q, which is neither in the mapping nor a class of the project. Map it to a class, or to nothing (null in JSON, --map '%s=' on the command line) to leave it undecided.", v.Value, v.Value)
		case !v.Unknown:
		case v.Name != "":
			return segment.Errorf(segment.Invalid, "Nothing says which class the %s of the label image have. Only in a project of two classes it is the second; otherwise map %q to a class.", v.Name, v.Value)
		case m.places > 0 && m.names:
			return segment.Errorf(segment.Invalid, "The mask uses class %d, to which the data set gives no name. Say what it means with a mapping.", p)
		case m.places > 0:
			return segment.Errorf(segment.Invalid, "The mask uses class %d, but the project has classes 0 to %d. Say what it means with a mapping, choose the names of PASCAL VOC (--names voc on the command line), or add a labelmap.txt to the data set. If each number is an object, choose that numbers are objects.", p, m.places-1)
		default:
			return segment.Errorf(segment.Invalid, "The mask uses class %d, which the mapping lacks. Map it to a class, or to nothing (null in JSON, --map %d= on the command line) to leave it undecided.", p, p)
		}
	}
	return nil
}

// translate turns the data set's indices into the project's class ids, in place.
func (m *meaning) translate(pixels []uint8) {
	for i, p := range pixels {
		pixels[i] = m.ids[p]
	}
}

// thumbnailSide is the longer side of a thumbnail in pixels.
const thumbnailSide = 240

// thumbnail draws a mask in the colours of its values as a PNG; undecided
// pixels are transparent, unless 255 may be a class.
func (m *meaning) thumbnail(of *dataset.Mask) ([]byte, error) {
	palette := make(color.Palette, 256)
	for i, v := range m.values[:segment.Void] {
		c, err := mask.ParseColor(v.Color)
		if err != nil {
			return nil, fmt.Errorf("a thumbnail of %s: %w", of.File, err)
		}
		palette[i] = c
	}
	palette[segment.Void] = color.RGBA{}
	if of.White {
		palette[segment.Void] = white
	}
	scale := min(1, thumbnailSide/float64(max(of.Width, of.Height)))
	img := image.NewPaletted(image.Rect(0, 0, max(1, int(float64(of.Width)*scale)), max(1, int(float64(of.Height)*scale))), palette)
	size := img.Rect.Max
	for y := range size.Y {
		row := of.Pixels[(2*y+1)*of.Height/(2*size.Y)*of.Width:]
		for x := range size.X {
			img.Pix[y*img.Stride+x] = row[(2*x+1)*of.Width/(2*size.X)]
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}
