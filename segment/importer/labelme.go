package importer

import (
	"encoding/base64"
	"fmt"
	"image/color"
	"math"
	"path"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/labelset"
)

// labelmeFile is the part of a labelme JSON that says something of pixels.
type labelmeFile struct {
	ImagePath   string         `json:"imagePath"`
	ImageWidth  int            `json:"imageWidth"`
	ImageHeight int            `json:"imageHeight"`
	Shapes      []labelmeShape `json:"shapes"`
}

type labelmeShape struct {
	Label     string       `json:"label"`
	ShapeType string       `json:"shape_type"`
	Points    [][2]float64 `json:"points"`
	Mask      string       `json:"mask"` // base64 PNG of the box between the points
}

// openLabelme reads one JSON per image. Shapes are drawn in their order, later
// ones over earlier ones.
func openLabelme(files Files, names []string, o Options) (*Dataset, error) {
	slices.Sort(names)
	names, classes, err := labelmeClasses(files, names)
	if err != nil {
		return nil, err
	}
	return &Dataset{Format: Labelme, Classes: classes.list, Photos: files.photos(), Masks: func(yield func(*Mask, error) bool) {
		for _, name := range names {
			m, err := readLabelme(files, name, classes, o)
			if err != nil {
				err = &MaskError{path.Base(name), err}
			}
			if !yield(m, err) {
				return
			}
		}
	}}, nil
}

// classNames collects class names in order of appearance. The first has no name:
// it is what no shape covers, the first class of any project.
type classNames struct {
	list  []segment.Class
	index map[string]uint8
}

func newClassNames() *classNames {
	return &classNames{
		list:  []segment.Class{{}},
		index: map[string]uint8{labelset.LabelmeIgnore: segment.Void, labelset.LabelmeBackground: 0},
	}
}

// add gives a name an index. More than MaxClasses names are an error.
func (c *classNames) add(name string) error {
	if _, ok := c.index[name]; ok {
		return nil
	}
	if len(c.list) == segment.MaxClasses {
		return segment.Errorf(segment.TooLarge, "The data set has more than %d classes.", segment.MaxClasses)
	}
	c.index[name] = uint8(len(c.list))
	c.list = append(c.list, segment.Class{Name: name})
	return nil
}

// labelmeClasses reads all files once for the names in them, so that classes have
// the same index in all, and leaves out those that have no shapes.
func labelmeClasses(files Files, names []string) (with []string, classes *classNames, err error) {
	classes = newClassNames()
	for _, name := range names {
		var f labelmeFile
		// What can't be read is reported when the file's turn comes.
		if err := readJSON(files, name, &f); err == nil && f.Shapes == nil {
			continue
		}
		with = append(with, name)
		for _, s := range f.Shapes {
			if err := classes.add(strings.TrimSpace(s.Label)); err != nil {
				return nil, nil, err
			}
		}
	}
	return with, classes, nil
}

func readLabelme(files Files, name string, classes *classNames, o Options) (*Mask, error) {
	var f labelmeFile
	if err := readJSON(files, name, &f); err != nil {
		return nil, err
	}
	if f.ImagePath == "" {
		f.ImagePath = name
	}
	m, err := newMask(path.Base(strings.ReplaceAll(f.ImagePath, `\`, "/")), f.ImageWidth, f.ImageHeight, o.uncovered(), o)
	if err != nil {
		return nil, err
	}
	m.Regions = len(f.Shapes)
	for i, s := range f.Shapes {
		class := classes.index[strings.TrimSpace(s.Label)]
		if err := m.drawLabelme(s, class, o); err != nil {
			return nil, fmt.Errorf("shape %d (%.40q): %w", i, s.Label, err)
		}
	}
	return m, nil
}

// uncovered is what pixels are that no shape covers.
func (o Options) uncovered() uint8 {
	if o.Undecided {
		return segment.Void
	}
	return 0
}

// drawLabelme draws one shape. Lines and points have no area and are left out.
func (m *Mask) drawLabelme(s labelmeShape, class uint8, o Options) error {
	switch s.ShapeType {
	case "", "polygon":
		_, err := m.fill(flat(s.Points), class)
		return err
	case "rectangle", "circle", "mask":
		if len(s.Points) != 2 {
			return segment.Errorf(segment.Unreadable, "A %s has 2 points, not %d.", s.ShapeType, len(s.Points))
		}
		a, b := s.Points[0], s.Points[1]
		switch s.ShapeType {
		case "rectangle":
			_, err := m.fill([]float64{a[0], a[1], b[0], a[1], b[0], b[1], a[0], b[1]}, class)
			return err
		case "circle":
			_, err := m.fill(circle(a, math.Hypot(b[0]-a[0], b[1]-a[1])), class)
			return err
		}
		return m.stamp(s.Mask, a, b, class, o)
	}
	m.Lossy = append(m.Lossy, fmt.Sprintf("a shape of type %.20q has no area and was left out", s.ShapeType))
	return nil
}

func flat(points [][2]float64) []float64 {
	out := make([]float64, 0, 2*len(points))
	for _, p := range points {
		out = append(out, p[0], p[1])
	}
	return out
}

// circle is an outline of 64 corners.
func circle(centre [2]float64, radius float64) []float64 {
	const corners = 64
	var out []float64
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		out = append(out, centre[0]+radius*cos, centre[1]+radius*sin)
	}
	return out
}

// stamp sets the pixels that a crop, a base64 PNG, has above 0. a and b are the
// corners of its box, both within.
func (m *Mask) stamp(crop string, a, b [2]float64, class uint8, o Options) error {
	raw, err := base64.StdEncoding.DecodeString(crop)
	if err != nil {
		return segment.Errorf(segment.Unreadable, "Its mask is not base64.").Because(err)
	}
	img, err := decodePNG(raw, o)
	if err != nil {
		return err
	}
	size := img.Bounds().Size()
	if !(a[0] >= 0 && a[1] >= 0 && b[0] < float64(m.Width) && b[1] < float64(m.Height)) {
		return segment.Errorf(segment.Unreadable, "Its box (%g, %g) to (%g, %g) leaves the image of %d×%d pixels.", a[0], a[1], b[0], b[1], m.Width, m.Height)
	}
	left, top := int(math.Round(a[0])), int(math.Round(a[1]))
	if right, bottom := int(math.Round(b[0])), int(math.Round(b[1])); right-left+1 != size.X || bottom-top+1 != size.Y || right >= m.Width || bottom >= m.Height {
		return segment.Errorf(segment.Unreadable, "Its mask has %d×%d pixels and its box (%g, %g) to (%g, %g), both corners within, another size.", size.X, size.Y, a[0], a[1], b[0], b[1])
	}
	for y := range size.Y {
		for x := range size.X {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y > 0 {
				m.Pixels[(top+y)*m.Width+left+x] = class
			}
		}
	}
	return nil
}
