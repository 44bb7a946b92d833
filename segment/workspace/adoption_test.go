package workspace_test

import (
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
