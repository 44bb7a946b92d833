package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"collie/segment"
	"collie/segment/labelset"
)

// Limits of a data set of YOLO.
const (
	maxOutlines = 8 << 20 // bytes of an image's text file
	maxLists    = 10      // YAML files in which names of classes are looked for
)

// outlines are the text files of a data set of YOLO, in folders called labels. They have a
// line per object: the number of its class and the corners of its outline, in parts of the
// image's width and height.
func (f Files) outlines() []string {
	texts := slices.DeleteFunc(slices.Clone(f.Names), func(name string) bool {
		return !strings.EqualFold(path.Ext(name), ".txt") || strings.HasPrefix(path.Base(name), ".")
	})
	return inFolder(texts, "labels")
}

// openYOLO reads a text file per image. Its outlines are drawn as those of COCO are.
func openYOLO(files Files, names []string, o Options) (*Set, error) {
	categories, list, err := files.yoloNames()
	if err != nil {
		return nil, err
	}
	classes := newClassNames(o)
	for number := range len(categories) {
		if err := classes.add(categories[identifier(strconv.Itoa(number))]); err != nil {
			return nil, err
		}
	}
	d := &Set{format: formatYOLO, Classes: classes.list, Photos: files.photos()}
	photos := map[[2]string]string{} // by what is before the folder, and below it without ending
	for _, photo := range d.Photos {
		if before, below, in := cutFolder(photo, "images"); in {
			photos[[2]string{before, Endless(below)}] = photo
		}
	}
	slices.Sort(names)
	for _, name := range names {
		before, below, _ := cutFolder(name, "labels")
		d.Images = append(d.Images, cmp.Or(photos[[2]string{before, Endless(below)}], name))
	}
	sheet := &cocoFile{categories: categories, classes: classes, options: o}
	d.Masks = func(yield func(*Mask, error) bool) {
		for i, name := range names {
			m := &Mask{Image: d.Images[i], File: name}
			m.Draw = func() (func(), error) { return m.drawYOLO(files, name, list, sheet) }
			if !yield(m, nil) {
				return
			}
		}
	}
	return d, nil
}

// yoloNames returns the names of classes by number, without a gap, and the file with them: a
// YAML file, as training needs it, or Label Studio's classes.txt with a name per line.
func (f Files) yoloNames() (names map[identifier]string, list string, err error) {
	var lists []string
	for _, name := range f.Names {
		switch strings.ToLower(path.Ext(name)) {
		case ".yaml", ".yml":
			lists = append(lists, name)
		}
	}
	rank := func(name string) int {
		depth := 2 * strings.Count(name, "/")
		if path.Base(name) == "data.yaml" {
			depth--
		}
		return depth
	}
	slices.SortStableFunc(lists, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range lists[:min(len(lists), maxLists)] {
		b, err := f.Read(name, labelset.MaxBytes)
		if err != nil {
			return nil, "", err
		}
		var document struct {
			Names     yaml.Node `yaml:"names"`
			Keypoints yaml.Node `yaml:"kpt_shape"`
		}
		if err := yaml.Unmarshal(b, &document); err != nil {
			if name == lists[0] {
				return nil, "", segment.Errorf(segment.Unreadable, "%s is not YAML in the expected form.", name).Because(err)
			}
			continue
		}
		if !document.Keypoints.IsZero() {
			return nil, "", segment.Errorf(segment.Unsupported, "%s describes points of poses, which can't be imported.", name)
		}
		if !document.Names.IsZero() {
			names, err := namesIn(&document.Names)
			if err != nil {
				return nil, "", segment.Errorf(segment.Unreadable, "names in %s is neither a list of names nor one from numbers, from 0, to names.", name)
			}
			return names, name, nil
		}
	}
	for _, name := range f.Names {
		if strings.EqualFold(path.Base(name), "classes.txt") {
			b, err := f.readText(name, labelset.MaxBytes)
			if err != nil {
				return nil, "", err
			}
			names := map[identifier]string{}
			for line := range strings.Lines(strings.TrimSpace(string(b))) {
				names[identifier(strconv.Itoa(len(names)))] = strings.TrimSpace(line)
			}
			return names, name, nil
		}
	}
	return nil, "", segment.Errorf(segment.Unsupported, "The files in the folder labels are of YOLO, but nothing says which class a number is. Import them together with the data.yaml of the data set, in a zip archive.")
}

// errNames is returned for names that are neither of the forms of YOLO.
var errNames = errors.New("no names by number")

// namesIn reads a list of names, or names by number.
func namesIn(node *yaml.Node) (map[identifier]string, error) {
	names := map[identifier]string{}
	items := node.Content
	if node.Kind == yaml.SequenceNode { // as if it had the numbers
		items = nil
		for i, name := range node.Content {
			items = append(items, &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.Itoa(i)}, name)
		}
	}
	for i := 0; i+1 < len(items); i += 2 {
		number, err := strconv.Atoi(items[i].Value)
		if err != nil || items[i+1].Kind != yaml.ScalarNode {
			return nil, errNames
		}
		names[identifier(strconv.Itoa(number))] = strings.TrimSpace(items[i+1].Value)
	}
	for number := range len(names) {
		if _, known := names[identifier(strconv.Itoa(number))]; !known {
			return nil, errNames
		}
	}
	if len(names) == 0 {
		return nil, errNames
	}
	return names, nil
}

// drawYOLO draws the outlines of a text file, whose image says how large it is.
func (m *Mask) drawYOLO(files Files, name, list string, sheet *cocoFile) (give func(), err error) {
	b, err := files.readText(name, maxOutlines)
	if err != nil {
		return func() {}, err
	}
	size, err := m.SizeOf()
	if err != nil {
		return func() {}, err
	}
	var annotations []cocoAnnotation
	number, held := 0, 0
	for line := range bytes.Lines(b) {
		number++
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			continue
		}
		a, err := yoloObject(fields, float64(size.X), float64(size.Y))
		if err != nil {
			return func() {}, segment.Errorf(segment.Unreadable, "Line %d: %v", number, err)
		}
		if _, known := sheet.categories[a.Category]; !known {
			return func() {}, segment.Errorf(segment.Unreadable, "Line %d is of class %s, which %s doesn't name.", number, a.Category, list)
		}
		a.ID = identifier(strconv.Itoa(number))
		if held += annotationBytes + len(a.Segmentation); held > maxHeld {
			return func() {}, segment.Errorf(segment.TooLarge, "Its outlines are larger than %d MiB, which is the limit for one image.", maxHeld>>20)
		}
		annotations = append(annotations, a)
	}
	give, err = m.start(size.X, size.Y, segment.Void, objectBytes, sheet.options)
	if err == nil {
		m.trackObjects()
		err = m.drawCOCO(annotations, sheet)
	}
	return give, err
}

// yoloObject reads a line: a class and an outline, or a box, which has no segmentation, with 4
// numbers or, where a model has found it, 5. Errors are sentences for people.
func yoloObject(fields [][]byte, width, height float64) (a cocoAnnotation, err error) {
	class, err := strconv.ParseFloat(string(fields[0]), 64) // NumPy writes 3.0
	if err != nil || class != float64(int(class)) {
		return a, segment.Errorf(segment.Unreadable, "It begins with %.20q, not with the number of a class.", fields[0])
	}
	a.Category = identifier(strconv.Itoa(int(class)))
	corners := fields[1:]
	switch n := len(corners); {
	case n == 4, n == 5:
		return a, nil
	case n < 6, n%2 != 0:
		return a, segment.Errorf(segment.Unreadable, "It has %d numbers behind the class; an outline has an x and a y for each of 3 or more corners.", n)
	}
	text := []byte("[[")
	for i, corner := range corners {
		part, err := strconv.ParseFloat(string(corner), 64)
		if err != nil || !(part >= -1 && part <= 2) {
			return a, segment.Errorf(segment.Unreadable, "%.20q is no coordinate; those of YOLO are parts of the width and the height, from 0 to 1.", corner)
		}
		if i > 0 {
			text = append(text, ',')
		}
		side := width
		if i%2 == 1 {
			side = height
		}
		text = strconv.AppendFloat(text, part*side, 'f', 4, 64) // no pixel is that small
	}
	a.Segmentation = append(text, "]]"...)
	return a, nil
}
