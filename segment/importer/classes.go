package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/labelset"
)

// addClasses adds the classes to the project that a mask needs and that it lacks.
func (i *importing) addClasses(ctx context.Context, pixels []uint8) error {
	missing := i.meaning.missing(pixels)
	if len(missing) > 0 && i.workspace.MayIn(ctx, i.project, access.Manage) != nil {
		return segment.Errorf(segment.Invalid, "The mask needs classes that the project lacks: %s. Ask an owner of the project to add them first.", namesOf(missing))
	}
	for _, c := range missing {
		if _, err := segment.CleanName(fmt.Sprintf("class name %q", c.Name), c.Name); err != nil {
			return segment.Errorf(segment.Invalid, "%v Give it another name with a mapping.", err)
		}
	}
	for ; len(missing) > 0; missing = i.meaning.missing(pixels) {
		p, err := i.workspace.EditProject(ctx, i.project, i.withNew(missing))
		if moved := new(segment.ClassesMovedOn); errors.As(err, &moved) {
			p = moved.Project
		} else if err != nil {
			return err
		} else {
			for _, c := range missing {
				i.report.Classes = append(i.report.Classes, c.Name)
			}
		}
		i.last = p
		i.meaning.find(p)
	}
	return nil
}

// named reports whether a class has the name, as names count as the same, without surrounding
// spaces, which projects don't store.
func named(name string) func(segment.Class) bool {
	key := segment.Folded(strings.TrimSpace(name))
	return func(c segment.Class) bool { return segment.Folded(c.Name) == key }
}

func namesOf(classes []segment.Class) string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// withNew appends classes to the project's list, unless someone else has
// changed it meanwhile. All that this import adds are in the data set's order.
func (i *importing) withNew(classes []segment.Class) segment.ProjectEdit {
	edit := segment.ProjectEdit{Base: i.last.Classes}
	for _, c := range i.last.Classes {
		edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c})
	}
	for _, c := range classes {
		edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c, New: true})
	}
	place := func(c segment.ClassEdit) int {
		if !c.New && !slices.Contains(i.report.Classes, c.Name) {
			return -1
		}
		return slices.IndexFunc(i.meaning.values[:], func(v Value) bool { return named(v.Class)(c.Class) })
	}
	slices.SortStableFunc(edit.Classes, func(a, b segment.ClassEdit) int { return place(a) - place(b) })
	return edit
}

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
