package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/storage/workspacetest"
)

// A project's own list of classes replaces itself, also where names are the same but for
// more than upper and lower case: both letters are a small sigma.
func TestReplaceByItself(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Greek", []segment.Class{{Name: "σ"}, {Name: "ς"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.ReplaceClasses(t.Context(), p.ID, p.Classes, nil)
	if err != nil || !cmp.Equal(got.Classes, p.Classes) {
		t.Errorf("%+v, %v", got.Classes, err)
	}
	got, err = w.ReplaceClasses(t.Context(), p.ID, []segment.Class{{Name: "Σ"}, {Name: "ς"}}, nil)
	if err != nil || got.Classes[0].ID != p.Classes[0].ID || got.Classes[0].Name != "Σ" {
		t.Errorf("in upper case: %+v, %v", got.Classes, err)
	}
}

// As many classes as a project can have replace any others while nothing is labelled;
// afterwards no class gets the id of another, which labels could mean.
func TestReplaceByAsManyAsFit(t *testing.T) {
	w := workspacetest.MustOpen(t)
	a := workspacetest.MustAnnotate(t, w)
	defer a.Close()
	project := a.Image().ProjectID
	replace := func(name string, n int) (segment.Project, error) {
		list := make([]segment.Class, n)
		for i := range list {
			list[i].Name = fmt.Sprint(name, i)
		}
		return w.ReplaceClasses(owner(t), project, list, nil)
	}
	for _, step := range []struct {
		name string
		n    int
	}{{"first", segment.MaxClasses}, {"second", segment.MaxClasses}, {"third", 200}, {"fourth", segment.MaxClasses}} {
		p, err := replace(step.name, step.n)
		if err != nil || len(p.Classes) != step.n || p.Classes[step.n-1].Name != fmt.Sprint(step.name, step.n-1) {
			t.Fatalf("%s: %d classes, %v", step.name, len(p.Classes), err)
		}
	}
	refused := func(when string) {
		t.Helper()
		if _, err := replace("last", 1); err == nil || !strings.Contains(err.Error(), "deleted ones keep their places") {
			t.Errorf("%s: %v", when, err)
		}
	}
	im, err := w.AddImage(owner(t), project, "second.png", workspacetest.Halves(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.TrashImage(owner(t), im.ID); err != nil {
		t.Fatal(err)
	}
	refused("with an image in the trash")
	if _, err := w.Restore(owner(t), im.ID); err != nil {
		t.Fatal(err)
	}
	workspacetest.MustAppend(t, a, segment.Event{ID: "a", Kind: segment.Label, Class: 7, Superpixels: []int32{0}})
	workspacetest.MustAppend(t, a, segment.Event{ID: "b", Kind: segment.Undo})
	refused("with a label, though undone")
}

// Of the classes that replace others none becomes what nobody clicks, except the one that
// was chosen for it and stays.
func TestReplaceTheRest(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Beach", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	choose := func(place uint8) {
		t.Helper()
		rest := segment.Rest{Mode: segment.RestClass, Class: place}
		if p, err = w.EditProject(t.Context(), p.ID, segment.ProjectEdit{Rest: &rest}); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(name string, n int, more ...string) {
		t.Helper()
		var list []segment.Class
		for i := range n - len(more) {
			list = append(list, segment.Class{Name: fmt.Sprint(name, i)})
		}
		for _, name := range more {
			list = append(list, segment.Class{Name: name})
		}
		if p, err = w.ReplaceClasses(t.Context(), p.ID, list, nil); err != nil {
			t.Fatal(err)
		}
	}
	undecided := func(when string) {
		t.Helper()
		if got := p.PresentRest(); got.Mode != segment.RestUndecided {
			t.Errorf("%s the rest is %v, want undecided", when, got)
		}
	}
	replace("first", segment.MaxClasses)
	choose(5)
	replace("second", segment.MaxClasses, "first5")
	if c, ok := p.Class(int(p.PresentRest().Class)); !ok || c.Name != "first5" {
		t.Errorf("the rest is %v, %q, want first5", p.Rest, c.Name)
	}
	replace("third", segment.MaxClasses)
	undecided("without the class")
	choose(5)
	replace("fourth", 3)
	undecided("among few classes")
	replace("fifth", segment.MaxClasses)
	undecided("among many again")
}
