package importer

import (
	"context"
	"errors"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/access"
)

// matchClasses finds the project's class for each of the data set's, by name,
// and adds missing ones. Without names, indices are those of the project's
// list.
func (i *importing) matchClasses(ctx context.Context, classes []segment.Class) error {
	p, err := i.workspace.Project(ctx, i.project)
	if err != nil {
		return err
	}
	missing := lacking(p, classes)
	if len(missing) > 0 && i.workspace.MayIn(ctx, i.project, access.Manage) != nil {
		return segment.Errorf(segment.Invalid, "The data set has classes that the project lacks: %s. Ask an owner of the project to add them first. Nothing was imported.", namesOf(missing))
	}
	for ; len(missing) > 0; missing = lacking(p, classes) {
		added, err := i.workspace.EditProject(ctx, i.project, withNew(p, missing))
		if moved := new(segment.ClassesMovedOn); errors.As(err, &moved) {
			p = moved.Project
			continue
		}
		if err != nil {
			return err
		}
		p = added
		for _, c := range missing {
			i.report.Classes = append(i.report.Classes, c.Name)
		}
	}
	if classes == nil {
		for _, c := range p.Classes {
			i.ids = append(i.ids, c.ID)
		}
		return nil
	}
	for _, c := range classes {
		if c.Name == "" {
			i.ids = append(i.ids, p.Classes[0].ID)
			continue
		}
		i.ids = append(i.ids, p.Classes[slices.IndexFunc(p.Classes, named(c.Name))].ID)
	}
	return nil
}

// named reports whether a class has the name, ignoring case and surrounding
// spaces, which projects don't store.
func named(name string) func(segment.Class) bool {
	name = strings.TrimSpace(name)
	return func(c segment.Class) bool { return strings.EqualFold(c.Name, name) }
}

// lacking returns the classes whose names the project lacks.
func lacking(p segment.Project, classes []segment.Class) []segment.Class {
	var missing []segment.Class
	for _, c := range classes {
		if c.Name != "" && !slices.ContainsFunc(p.Classes, named(c.Name)) {
			missing = append(missing, c)
		}
	}
	return missing
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
