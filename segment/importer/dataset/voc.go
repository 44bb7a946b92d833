package dataset

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"maps"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"collie/segment"
	"collie/segment/labelset"
	"collie/segment/mask"
)

// classPictures are the masks of a data set that has a picture of classes for each image.
type classPictures struct {
	names   []string
	folder  string            // that the names of images begin below, if they are in one
	list    string            // the file with the names of the classes, or empty
	photos  []string          // of the data set
	objects map[string]string // the picture of the objects of each, if there is one
	least   int32             // number of an object there; smaller ones are none
}

// openVOC reads one PNG or TIFF per image, which has the name of its image, with the
// folders below the given one. Pixels of palette and 8-bit grey PNGs and of TIFFs are
// class indices, 255 void; those of RGB PNGs are looked up in the labelmap, or in
// the colour map of PASCAL VOC without one, unless all are grey and some not there.
func openVOC(files Files, p classPictures, o Options) (*Set, error) {
	d := &Set{format: formatVOC, Photos: p.photos}
	if p.list != "" {
		b, err := files.readText(p.list, labelset.MaxBytes)
		if err != nil {
			return nil, err
		}
		if d.Classes, err = classesIn(strings.ToLower(path.Base(p.list)), string(b), o.classes); err != nil {
			return nil, err
		}
	}
	colors := colorTable(d.Classes)
	if d.Classes == nil && o.PASCAL {
		d.Classes = named(labelset.PASCAL)
	}
	smooth := d.Classes == nil && !o.mapsGrey()
	d.oneEach(p.names, p.folder, func(m *Mask, name string) (func(), error) {
		m.smooth = smooth
		return m.drawVOC(files, name, &p, colors, o)
	})
	return d, nil
}

// Lists of classes besides labelmap.txt. The masks beside them are of numbers, or have the
// colours of PASCAL VOC.
const (
	classNamesFile  = "class_names.txt" // of labelme's script for PASCAL VOC: a name per line
	pixelValuesFile = "_classes.csv"    // of Roboflow: a number and a name per line, from 0
)

// classesIn reads a list of classes, for a project with some; nil if the file has another one.
func classesIn(name, text string, project []segment.Class) ([]segment.Class, error) {
	switch name {
	case labelColorsFile:
		return labelColors(text, project)
	case classNamesFile:
		return labelset.Read(strings.NewReader(text), labelset.Text)
	case pixelValuesFile:
		var names strings.Builder
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			value, class, _ := strings.Cut(line, ",")
			if i == 0 && value == "Pixel Value" {
				continue
			}
			if value != strconv.Itoa(i-1) { // it says which classes each image has, or has gaps
				return nil, nil
			}
			names.WriteString(class + "\n")
		}
		return labelset.Read(strings.NewReader(names.String()), labelset.Text)
	}
	return labelset.Read(strings.NewReader(text), labelset.VOC)
}

// photosOfVOC lists the photographs of a data set of PASCAL VOC: the pictures in
// JPEGImages, since labelme's script puts others of the same names, with the masks drawn
// over them, into folders of their own, or else all that are no masks.
func (f Files) photosOfVOC() []string {
	photos := f.photos("SegmentationClass", "SegmentationObject")
	if in := inFolder(photos, "JPEGImages"); len(in) > 0 {
		return in
	}
	return photos
}

// colorTable gives the class of each colour, those of PASCAL VOC if the classes have none.
func colorTable(classes []segment.Class) map[color.RGBA]uint8 {
	table := map[color.RGBA]uint8{mask.VOCColor(segment.Void): segment.Void}
	if !slices.ContainsFunc(classes, func(c segment.Class) bool { return c.Color != "" }) {
		for id := range segment.MaxClasses {
			table[mask.VOCColor(uint8(id))] = uint8(id)
		}
	}
	for i, c := range classes {
		if rgb, err := mask.ParseColor(c.Color); err == nil {
			table[rgb] = uint8(i)
		}
	}
	return table
}

// cutFolder returns the path to a folder that a file is in, at any depth, and the
// file's path below it; in no folder of this name, in any case, it is the whole path. labelme's
// scripts used to put PNG behind the names of folders with masks.
func cutFolder(name, folder string) (before, below string, in bool) {
	parts := strings.Split(name, "/")
	for i, part := range parts[:len(parts)-1] {
		if strings.EqualFold(part, folder) || strings.EqualFold(part, folder+"PNG") {
			return path.Join(parts[:i]...), path.Join(parts[i+1:]...), true
		}
	}
	return "", name, false
}

// objectsOfClasses gives each file in a folder SegmentationClass the one of the same
// name in the folder SegmentationObject beside it, if that exists.
func (f Files) objectsOfClasses() map[string]string {
	objects, of := map[[2]string]string{}, map[string]string{}
	for _, name := range f.Names {
		if before, below, in := cutFolder(name, "SegmentationObject"); in {
			objects[[2]string{before, below}] = name
		}
	}
	for _, name := range f.Names {
		if before, below, in := cutFolder(name, "SegmentationClass"); in {
			of[name] = objects[[2]string{before, below}]
		}
	}
	return of
}

// drawVOC reads the picture of the classes and, if there is one, that of the objects.
func (m *Mask) drawVOC(files Files, name string, p *classPictures, colors map[color.RGBA]uint8, o Options) (give func(), err error) {
	objects := p.objects[name]
	size, pixel, err := measure(files, name, false, o)
	if err != nil {
		return func() {}, err
	}
	if objects != "" {
		switch of, more, err := measure(files, objects, true, o); {
		case err != nil:
			return func() {}, &MaskError{objects, err}
		case of != size:
			return func() {}, segment.Errorf(segment.Invalid, "%s has %d×%d pixels, but the mask of the classes has %d×%d.", objects, of.X, of.Y, size.X, size.Y)
		default:
			pixel = max(pixel, more) + objectBytes
		}
	}
	give, err = m.start(size.X, size.Y, 0, pixel, o)
	if err != nil {
		return give, err
	}
	if err := m.takeClasses(files, name, colors); err != nil {
		return give, err
	}
	if _, said := o.Mapping[WhiteValue]; m.White && !said {
		m.Lossy = append(m.Lossy, whiteIsUndecided)
	}
	if objects == "" {
		return give, nil
	}
	if isTIFF(objects) {
		err = m.takeLabels(files, objects)
	} else {
		var img image.Image
		if img, err = decodePNG(files.opener(objects)); err == nil {
			err = m.takeObjects(img, p.least)
		}
	}
	if err != nil {
		return give, &MaskError{objects, err}
	}
	return give, nil
}

// takeClasses sets the pixels to the classes of a picture of the same size.
func (m *Mask) takeClasses(files Files, name string, colors map[color.RGBA]uint8) error {
	if isTIFF(name) {
		err := m.takeNumbers(files, name)
		m.findWhite()
		return err
	}
	img, err := decodePNG(files.opener(name))
	if err != nil {
		return err
	}
	err = m.take(img, colors)
	if len(m.Pixels) >= collectFrom {
		runtime.GC() // of the picture, before what follows takes as much again
	}
	return err
}

// collectFrom is how many pixels a picture has at least that is collected at once.
const collectFrom = 8 << 20

// takeObjects sets the objects to the values or colours of an image of the same
// size. The values 0 and, of 8 bits, 255 and their colours in PASCAL VOC are no object, nor are
// values below the least.
func (m *Mask) takeObjects(img image.Image, least int32) error {
	m.trackObjects()
	value := valueOf(img)
	_, deep := img.(*image.Gray16)
	black, void := mask.VOCColor(0), mask.VOCColor(segment.Void)
	seen := numbered{}
	for i := range m.Objects {
		var object int32
		var none bool
		if x, y := i%m.Width, i/m.Width; value != nil {
			object = value(x, y)
			none = object == 0 || object < least || object == segment.Void && !deep
		} else {
			c := colorAt(img, x, y)
			object, none = int32(c.R)<<16|int32(c.G)<<8|int32(c.B), c == black || c == void
		}
		if !none {
			m.Objects[i] = object
			if err := seen.add(object); err != nil {
				return err
			}
		}
	}
	m.Regions = len(seen)
	return nil
}

// take sets the pixels to the classes of an image of the same size.
func (m *Mask) take(img image.Image, colors map[color.RGBA]uint8) error {
	switch img := img.(type) {
	case *image.Paletted:
		m.copy(img.Pix, img.Stride)
		return nil
	case *image.Gray:
		m.copy(img.Pix, img.Stride)
		m.findWhite()
		return nil
	}
	for i := range m.Pixels {
		x, y := i%m.Width, i/m.Width
		c := colorAt(img, x, y)
		class, ok := colors[c]
		switch {
		case ok:
			m.Pixels[i] = class
		case m.takeGrey(img):
			return nil
		case c.A < 255:
			return segment.Errorf(segment.Unreadable, "The pixel at (%d, %d) is transparent, so it has the colour of no class. Save the mask without transparency.", x, y)
		default:
			return segment.Errorf(segment.Unreadable, "The pixel at (%d, %d) has the colour %s, which belongs to no class; the nearest colour of one is %s. Use a palette PNG, or an RGB PNG in exactly the colours that are in a labelmap.txt.", x, y, written(c), written(nearest(colors, c)))
		}
	}
	return nil
}

// nearest is the colour of a class that is most like another one.
func nearest(colors map[color.RGBA]uint8, to color.RGBA) color.RGBA {
	away := func(c color.RGBA) int {
		r, g, b := int(c.R)-int(to.R), int(c.G)-int(to.G), int(c.B)-int(to.B)
		return r*r + g*g + b*b
	}
	return slices.MinFunc(slices.Collect(maps.Keys(colors)), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(away(a), away(b)), cmp.Compare(colors[a], colors[b]))
	})
}

// written is a colour as it is written in labelmap.txt.
func written(c color.RGBA) string { return fmt.Sprintf("%d,%d,%d", c.R, c.G, c.B) }

// takeGrey sets the pixels to the values of a grey picture that was saved in colour,
// and reports whether it is one. Otherwise the pixels are useless.
func (m *Mask) takeGrey(img image.Image) bool {
	for i := range m.Pixels {
		c := colorAt(img, i%m.Width, i/m.Width)
		if c.R != c.G || c.G != c.B || c.A < 255 {
			return false
		}
		m.Pixels[i] = c.R
	}
	m.findWhite()
	return true
}

// copy sets the pixels to numbers in rows.
func (m *Mask) copy(pix []uint8, stride int) {
	for y := range m.Height {
		copy(m.Pixels[y*m.Width:(y+1)*m.Width], pix[y*stride:])
	}
}

// colorAt is the colour of a pixel of a decoded PNG. Other than img.At it allocates
// nothing, and it is called for every pixel.
func colorAt(img image.Image, x, y int) color.RGBA {
	c := img.(image.RGBA64Image).RGBA64At(x, y)
	return color.RGBA{uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8), uint8(c.A >> 8)}
}
