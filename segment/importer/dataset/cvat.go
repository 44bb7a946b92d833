package dataset

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"collie/segment"
)

const (
	maxElement     = 2 << 20 // bytes of one element of XML; its attributes can take 35 times as much
	maxDepth       = 16      // of elements in elements
	attributeBytes = 100     // memory of an attribute besides its text
)

// cvatFile is an XML file that is read element by element.
type cvatFile struct {
	*xml.Decoder
	name string
	file io.Closer
	in   *meter
	open []string // names of the elements around what is read next
}

// openXML opens an XML file; the caller closes it.
func openXML(files Files, name string) (*cvatFile, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	in := &meter{r: utf8In(file), left: maxJSON, value: maxElement}
	f := &cvatFile{Decoder: xml.NewDecoder(in), name: name, file: file, in: in}
	f.CharsetReader = func(encoding string, content io.Reader) (io.Reader, error) {
		if strings.EqualFold(encoding, "utf-16") { // which utf8In has read
			return content, nil
		}
		return nil, segment.Errorf(segment.Unsupported, "%s is in the encoding %.40q. Save it as UTF-8.", name, encoding)
	}
	return f, nil
}

// Close closes the file.
func (f *cvatFile) Close() { _ = f.file.Close() } // which was only read

// next returns the next token, io.EOF after the last. Other errors about the file are for
// people.
func (f *cvatFile) next() (xml.Token, error) {
	f.in.value = maxElement
	token, err := f.Token()
	switch syntax := new(xml.SyntaxError); {
	case err == nil:
	case err == io.EOF:
		return nil, err
	case errors.Is(err, errValue):
		return nil, segment.Errorf(segment.TooLarge, "%s, or one element of it, is too large; the limits are %d MiB and %d MiB.", f.name, maxJSON>>20, maxElement>>20)
	case segment.KindOf(err) != 0: // the encoding
		return nil, errors.Unwrap(err)
	case errors.As(err, &syntax), strings.HasPrefix(err.Error(), "xml: "):
		return nil, segment.Errorf(segment.Unreadable, "%s is not XML in the expected form.", f.name).Because(err)
	default:
		return nil, err // of the reader
	}
	switch token := token.(type) {
	case xml.StartElement:
		if len(f.open) == maxDepth {
			return nil, segment.Errorf(segment.Unreadable, "%s has elements in elements, deeper than %d.", f.name, maxDepth)
		}
		f.open = append(f.open, token.Name.Local)
	case xml.EndElement:
		f.open = f.open[:len(f.open)-1]
	}
	return token, nil
}

// inside reports whether the innermost elements have these names.
func (f *cvatFile) inside(names ...string) bool {
	return len(f.open) >= len(names) && slices.Equal(f.open[len(f.open)-len(names):], names)
}

// cvatFiles returns the XML files of CVAT among those of a data set: their outermost element is
// called annotations. other says why the first of the others isn't one, or can't be read.
func cvatFiles(files Files) (names []string, other, err error) {
	for _, name := range files.Names {
		if !strings.EqualFold(path.Ext(name), ".xml") || strings.HasPrefix(path.Base(name), ".") {
			continue
		}
		why, err := whyNotCVAT(files, name)
		switch {
		case err != nil:
			return nil, nil, err
		case why == nil:
			names = append(names, name)
		default:
			other = cmp.Or(other, why)
		}
	}
	slices.Sort(names)
	return names, other, nil
}

// whyNotCVAT says why an XML file is not of CVAT; nil if it is.
func whyNotCVAT(files Files, name string) (why, err error) {
	f, err := openXML(files, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for len(f.open) == 0 && err == nil {
		_, err = f.next()
	}
	switch {
	case f.inside("annotations"):
		return nil, nil
	case len(f.open) > 0:
		return segment.Errorf(segment.Unsupported, "%s is XML, but not of CVAT for images: its outermost element is %.40q, not \"annotations\". Boxes of PASCAL VOC and XML of LabelMe can't be imported. %s", name, f.open[0], accepted), nil
	case err == io.EOF:
		return segment.Errorf(segment.Unreadable, "%s is not XML in the expected form.", name), nil
	case segment.KindOf(err) != 0:
		return err, nil
	}
	return nil, err
}

// openCVAT reads files of 'CVAT for images', each with the shapes of all its images.
func openCVAT(files Files, names []string, o Options) (*Set, error) {
	set := &cvatSet{files: files, classes: newClassNames(o), photos: map[string]bool{}, options: o}
	d := &Set{format: formatCVAT, Photos: files.photos()}
	for _, photo := range d.Photos {
		set.photos[photo] = true
	}
	for _, name := range names {
		if err := set.scan(name); err != nil {
			return nil, err
		}
	}
	d.Classes, d.Images = set.classes.list, set.names.list
	d.Masks = inTurn(names, set.masks)
	return d, nil
}

// cvatSet is what the files of a data set have in common.
type cvatSet struct {
	files   Files
	classes *classNames
	photos  map[string]bool
	names   imageNames
	options Options
}

// image is the name of an image. In the archive of a project its photograph is in a folder for
// its subset, and images of several subsets can have one name.
func (s *cvatSet) image(of map[string]string) string {
	name := slashed(of["name"])
	if within := path.Join(of["subset"], name); s.photos["images/"+within] {
		return within
	}
	return name
}

// scan lists the images of a file and adds its labels to the classes.
func (s *cvatSet) scan(name string) error {
	f, err := openXML(s.files, name)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		token, err := f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		label := ""
		switch token := token.(type) {
		case xml.CharData:
			if f.inside("label", "name") {
				label = string(token)
			}
		case xml.StartElement:
			of := attributes(token)
			switch {
			case f.inside("annotations", "track"):
				return segment.Errorf(segment.Unsupported, "%s is of the kind 'CVAT for video', which can't be imported; export 'CVAT for images' or COCO from CVAT instead.", name)
			case f.inside("annotations", "image"):
				if err := s.names.add(name, s.image(of), ""); err != nil {
					return err
				}
			case f.inside("image", token.Name.Local):
				label = of["label"]
			}
		}
		if label = strings.TrimSpace(label); label != "" {
			if err := s.classes.add(label); err != nil {
				return err
			}
		}
	}
}

func attributes(element xml.StartElement) map[string]string {
	out := map[string]string{}
	for _, a := range element.Attr {
		out[a.Name.Local] = a.Value
	}
	return out
}

// masks yields the masks of a file's images. It reports whether yield wants more.
func (s *cvatSet) masks(name string, yield func(*Mask, error) bool) bool {
	f, err := openXML(s.files, name)
	if err != nil {
		return yield(nil, &MaskError{name, err})
	}
	defer f.Close()
	var m *Mask
	var size image.Point
	var shapes []cvatShape
	held := 0
	for {
		token, err := f.next()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return yield(nil, OfFile(name, err))
		}
		switch token := token.(type) {
		case xml.StartElement:
			of := attributes(token)
			switch {
			case f.inside("annotations", "image"):
				m, shapes, held = &Mask{Image: s.image(of), File: endOf(of["name"])}, nil, 0
				size.X, _ = strconv.Atoi(of["width"])
				size.Y, _ = strconv.Atoi(of["height"])
			case f.inside("image", token.Name.Local):
				held += annotationBytes
				for name, value := range of {
					held += attributeBytes + len(name) + len(value)
				}
				if held <= maxHeld {
					shapes = append(shapes, cvatShape{token.Name.Local, of})
				}
			}
		case xml.EndElement:
			if token.Name.Local != "image" || !f.inside("annotations") {
				continue
			}
			m.Draw = func() (func(), error) {
				if held > maxHeld {
					return func() {}, segment.Errorf(segment.TooLarge, "Its shapes are larger than %d MiB, which is the limit for one image.", maxHeld>>20)
				}
				return m.drawCVAT(size, shapes, s.classes, s.options)
			}
			if !yield(m, nil) {
				return false
			}
		}
	}
}

// drawCVAT draws shapes from the lowest z_order up, and those of one in their order.
func (m *Mask) drawCVAT(size image.Point, shapes []cvatShape, classes *classNames, o Options) (give func(), err error) {
	if size.X, size.Y, err = m.measured(size.X, size.Y); err != nil {
		return func() {}, err
	}
	give, err = m.start(size.X, size.Y, o.uncovered(), objectBytes, o)
	if err != nil {
		return give, err
	}
	m.trackObjects()
	height := func(s cvatShape) int { z, _ := strconv.Atoi(s.of["z_order"]); return z }
	slices.SortStableFunc(shapes, func(a, b cvatShape) int { return cmp.Compare(height(a), height(b)) })
	out := drawing{mask: m, classes: classes, groups: map[group]int32{}, drawn: map[string]int{}}
	for i, s := range shapes {
		if err := o.context.Err(); err != nil {
			return give, err
		}
		if s.kind == "tag" { // of the whole image
			continue
		}
		m.Regions++
		class := strings.TrimSpace(s.of["label"])
		m.object = int32(i)
		if id := s.of["group_id"]; id != "" && id != "0" {
			m.object = out.object(m.object, class, identifier(id))
		}
		area, err := m.drawCVATShape(s, classes.index[class])
		if err := out.note(s.kind, class, area, err); err != nil {
			return give, fmt.Errorf("%s %d (%.40q): %w", s.kind, i+1, class, err)
		}
	}
	m.Lossy = append(m.Lossy, out.lossy()...)
	m.tellUncovered(o)
	return give, nil
}
