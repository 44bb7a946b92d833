package importer

import (
	"context"
	"errors"
	"strings"

	"collie/segment"
	"collie/segment/access"
)

// matchClasses finds the project's class for each of the data set's values and
// adds missing ones to the project, unless it is a review.
func (i *importing) matchClasses(ctx context.Context, d *Dataset) error {
	p, err := i.workspace.Project(ctx, i.project)
	if err != nil {
		return err
	}
	i.meaning, i.classes, i.named = mean(p, d, i.mapping), 0, d.Classes != nil
	if i.mapping == nil {
		i.classes = len(p.Classes)
	}
	if i.review {
		return nil
	}
	missing := i.meaning.missing(d, i.mapping)
	if len(missing) > 0 && i.workspace.MayIn(ctx, i.project, access.Manage) != nil {
		return segment.Errorf(segment.Invalid, "The import needs classes that the project lacks: %s. Ask an owner of the project to add them first. Nothing was imported.", namesOf(missing))
	}
	for len(missing) > 0 {
		added, err := i.workspace.EditProject(ctx, i.project, withNew(p, missing))
		if moved := new(segment.ClassesMovedOn); errors.As(err, &moved) {
			added = moved.Project
		} else if err != nil {
			return err
		} else {
			for _, c := range missing {
				i.report.Classes = append(i.report.Classes, c.Name)
			}
		}
		p = added
		i.meaning = mean(p, d, i.mapping)
		missing = i.meaning.missing(d, i.mapping)
	}
	return nil
}

// named reports whether a class has the name, ignoring case and surrounding
// spaces, which projects don't store.
func named(name string) func(segment.Class) bool {
	name = strings.TrimSpace(name)
	return func(c segment.Class) bool { return strings.EqualFold(c.Name, name) }
}

func namesOf(classes []segment.Class) string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// withNew appends classes to the project's list, unless someone else has
// changed it meanwhile.
func withNew(p segment.Project, classes []segment.Class) segment.ProjectEdit {
	edit := segment.ProjectEdit{Base: p.Classes}
	for _, c := range p.Classes {
		edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c})
	}
	for _, c := range classes {
		edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c, New: true})
	}
	return edit
}
