package workspace_test

import (
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// Changes to the classes of a project whose images are still arriving are kept.
func TestAdoptedWhileClassesChange(t *testing.T) {
	w := workspacetest.MustOpen(t)
	arriving := func(yield func(*workspace.Adopted, error) bool) {
		projects, err := w.Projects(t.Context())
		if err != nil || len(projects) != 1 {
			t.Fatalf("projects %v, %v", projects, err)
		}
		edit := segment.ProjectEdit{ByPosition: true, Classes: []segment.ClassEdit{{}, {}, {Class: segment.Class{Name: "tree"}}}}
		if _, err := w.EditProject(t.Context(), projects[0].ID, edit); err != nil {
			t.Fatal(err)
		}
	}
	p, err := w.AdoptProject(t.Context(), segment.Project{Name: "Zoo", Classes: segment.DefaultClasses()}, arriving)
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := w.Project(t.Context(), p.ID); err != nil || len(stored.Classes) != 3 || len(p.Classes) != 3 || stored.Name != "Zoo" {
		t.Errorf("adopted %+v, stored %+v, %v", p, stored, err)
	}
}

// A backup whose class ids contradict each other is refused with the id.
func TestAdoptedClassIDs(t *testing.T) {
	w := workspacetest.MustOpen(t)
	with := func(edit func(*segment.Project)) segment.Project {
		p := segment.Project{Name: "Zoo", Classes: segment.DefaultClasses()}
		edit(&p)
		return p
	}
	for says, p := range map[string]segment.Project{
		"two classes have the id 1":                with(func(p *segment.Project) { p.Classes[0].ID = 1 }),
		"the id 255, which means undecided":        with(func(p *segment.Project) { p.Classes[1].ID = segment.Void }),
		"gets the class id 7, but no class has it": with(func(p *segment.Project) { p.Rest = segment.Rest{Mode: segment.RestClass, Class: 7} }),
		"gets the class id 255":                    with(func(p *segment.Project) { p.Rest = segment.Rest{Mode: segment.RestClass, Class: segment.Void} }),
	} {
		_, err := w.AdoptProject(t.Context(), p, func(func(*workspace.Adopted, error) bool) {})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one with %q", err, says)
		}
	}
}
