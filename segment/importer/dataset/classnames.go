package dataset

import (
	"fmt"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/labelset"
)

// tooManyClasses ends the reading of a whole data set.
type tooManyClasses struct{ error }

// classNames collects class names in order of appearance. The first has no
// name: it is everything outside the shapes, the first class of any project.
type classNames struct {
	list    []segment.Class
	index   map[string]uint8
	project []segment.Class // its classes; the first gets the pixels outside every shape
	mapping map[string]string
}

func newClassNames(o Options) *classNames {
	c := &classNames{list: []segment.Class{{}}, index: map[string]uint8{}, project: o.classes, mapping: o.Mapping}
	for name, index := range labelmeNames {
		if !c.own(name) {
			c.index[name] = index
		}
	}
	return c
}

// labelmeNames are the indices of names that are not classes in labelme. They are
// classes where the project has one of that name.
var labelmeNames = map[string]uint8{labelset.LabelmeIgnore: segment.Void, labelset.LabelmeBackground: 0}

// own reports whether the project has a class with exactly this name.
func (c *classNames) own(name string) bool {
	return slices.ContainsFunc(c.project, func(of segment.Class) bool { return of.Name == name })
}

// remarks says, for people, what became of names that are not classes. drawn counts
// the objects by name.
func (c *classNames) remarks(drawn map[string]int) (out []string) {
	for _, name := range []string{labelset.LabelmeIgnore, labelset.LabelmeBackground} {
		if n := drawn[name]; n > 0 && !c.own(name) {
			became := "undecided"
			if labelmeNames[name] != segment.Void {
				became = "the project's first class"
			}
			out = append(out, fmt.Sprintf("objects called %s, which is no class in labelme and became %s: %d", name, became, n))
		}
	}
	return out
}

// add gives a name an index. A byte has MaxClasses of them besides Void: where
// these are used up, the name of the project's first class gets the index of what
// is outside the shapes, which becomes the same class. Names can change their index
// until all have been added.
func (c *classNames) add(name string) error {
	if _, ok := c.index[name]; ok {
		return nil
	}
	if len(name) > maxOneName {
		return segment.Errorf(segment.TooLarge, "A class of the data set has a name of more than %d bytes, which is the limit. It begins with %.40q.", maxOneName, name)
	}
	at := len(c.list)
	switch {
	case at < segment.MaxClasses:
		c.list = append(c.list, segment.Class{})
	case c.isFirst(name):
		c.index[name] = 0
		return nil
	default:
		at = slices.IndexFunc(c.list, func(of segment.Class) bool { return c.isFirst(of.Name) })
		if at < 0 {
			return segment.Errorf(segment.TooLarge, "The data set has more than %d classes besides the one of the pixels outside every shape. A project can have %d in all.", segment.MaxClasses-1, segment.MaxClasses)
		}
		c.index[c.list[at].Name] = 0
	}
	c.index[name], c.list[at].Name = uint8(at), name
	return nil
}

// isFirst reports whether a name means the project's first class.
func (c *classNames) isFirst(name string) bool {
	if len(c.project) == 0 {
		return false
	}
	first := segment.Folded(c.project[0].Name)
	if to, mapped := c.mapping[name]; mapped && segment.Folded(strings.TrimSpace(to)) != first {
		return false
	}
	return segment.Folded(name) == first
}
