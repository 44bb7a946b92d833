package dataset

import (
	"math"
	"regexp"
	"slices"

	"collie/segment"
)

// objectsName is what a label image's objects are called in a mapping.
const objectsName = "objects"

const acceptedLabels = "A label image has one whole number per pixel, 0 for background and another one for each object: a PNG of 8 or 16 bits, grey or with a palette, or a TIFF of up to 32 bits."

// labelMark is what programs put behind the name of an image when they name its mask:
// cellpose, ilastik, MorphoLibJ and data sets.
var labelMark = regexp.MustCompile(`(?i)[-_](cp_masks|masks?|labels?|lbl|object[-_ ]identities|gt(?:fine|coarse)_labelids)$`)

// Unmarked is the name of a mask, which has no ending, without what programs put behind
// that of the image.
func Unmarked(name string) string { return labelMark.ReplaceAllString(name, "") }

// openLabels reads label images: a picture per image, in which 0 is what is outside all
// objects and every other number an object. Of all pictures it reads those in folders
// masks; without any, those with names of masks; without any, the PNGs, or else the
// TIFFs. The others can be the photographs.
func openLabels(files Files, pictures []string, o Options) *Set {
	folder, names := "masks", inFolder(pictures, "masks")
	if len(names) == 0 {
		folder, names = "", slices.DeleteFunc(slices.Clone(pictures), func(name string) bool { return Unmarked(Endless(name)) == Endless(name) })
	}
	if len(names) == 0 {
		names = masksAlone(pictures)
	}
	d := &Set{format: formatLabels, Classes: []segment.Class{{}, {Name: objectsName}}}
	d.oneEach(names, folder, func(m *Mask, name string) (func(), error) { return m.drawLabels(files, name, o) })
	d.Photos = files.photosBut(names)
	return d
}

// masksAlone returns the pictures that are masks if no folder tells which are: the PNGs whose
// names say so, if the others are the photographs that they are of; otherwise all PNGs, or
// without any the TIFFs.
func masksAlone(pictures []string) []string {
	pngs := slices.DeleteFunc(slices.Clone(pictures), isTIFF)
	if len(pngs) == 0 {
		return pictures
	}
	var masks, others []string
	of := map[string]bool{} // what the names say that the masks are of
	for _, name := range pngs {
		if image := Unmarked(Endless(name)); image != Endless(name) {
			masks, of[image] = append(masks, name), true
		} else {
			others = append(others, name)
		}
	}
	if len(masks) > 0 && !slices.ContainsFunc(others, func(name string) bool { return !of[Endless(name)] }) {
		return masks
	}
	return pngs
}

// drawLabels reads a label image.
func (m *Mask) drawLabels(files Files, name string, o Options) (give func(), err error) {
	size, pixel, err := measure(files, name, true, o)
	if err != nil {
		return func() {}, err
	}
	if give, err = m.start(size.X, size.Y, o.uncovered(), pixel+objectBytes, o); err != nil {
		return give, err
	}
	if err := m.takeLabels(files, name); err != nil {
		return give, err
	}
	for i, object := range m.Objects {
		if object >= 0 {
			m.Pixels[i] = 1
		}
	}
	m.tellUncovered(o)
	return give, nil
}

// takeLabels sets the objects to the numbers of a label image of the same size.
func (m *Mask) takeLabels(files Files, name string) error {
	m.trackObjects()
	seen, last := numbered{}, int32(0)
	err := eachNumber(files, name, m.Width, func(pixel int, v float64) error {
		if v == 0 {
			return nil
		}
		if !(v > 0 && v <= math.MaxInt32 && v == math.Trunc(v)) {
			return segment.Errorf(segment.Invalid, "The pixel at (%d, %d) has the number %.15g. %s", pixel%m.Width, pixel/m.Width, v, acceptedLabels)
		}
		object := int32(v)
		m.Objects[pixel] = object
		if object == last {
			return nil
		}
		last = object
		return seen.add(object)
	})
	m.Regions = len(seen)
	if len(seen) == 1 && seen[segment.Void] {
		m.Lossy = append(m.Lossy, "all objects have the number 255, so they are one object")
	}
	return err
}

// numbered are the objects that a picture numbers.
type numbered map[int32]bool

// add adds an object. An image can't have more than a limit.
func (n numbered) add(object int32) error {
	if !n[object] && len(n) == segment.MaxObjects {
		return segment.Errorf(segment.TooLarge, "The mask has more than %d objects, which is the limit of an image.", segment.MaxObjects)
	}
	n[object] = true
	return nil
}
