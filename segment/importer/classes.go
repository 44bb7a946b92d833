package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/access"
)

// addClasses adds the classes to the project that a mask needs and that it lacks.
func (i *importing) addClasses(ctx context.Context, pixels []uint8) error {
	missing := i.meaning.missing(pixels)
	if len(missing) > 0 && i.workspace.MayIn(ctx, i.project, access.Manage) != nil {
		return segment.Errorf(segment.Invalid, "The mask needs classes that the project lacks: %s. Ask an owner of the project to add them first.", namesOf(missing))
	}
	for _, c := range missing {
		if _, err := segment.CleanName(fmt.Sprintf("class name %.40q", c.Name), c.Name); err != nil {
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
