package workspace_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"slices"
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
		_, err := w.AdoptProject(t.Context(), p, none)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one with %q", err, says)
		}
	}
}

// Deleted classes of a backup are stored like others, whatever is around their names.
func TestAdoptedDeletedClasses(t *testing.T) {
	w := workspacetest.MustOpen(t)
	deleted := segment.DeletedClass{
		Class: segment.Class{ID: 7, Name: strings.Repeat(" ", 1000) + "sky\u200e", Color: "#AABBCC"}, Target: segment.Void, Deleted: segment.Now(),
	}
	p, err := w.AdoptProject(t.Context(), segment.Project{Name: "Zoo", Classes: segment.DefaultClasses(), Deleted: []segment.DeletedClass{deleted}}, none)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := w.Project(t.Context(), p.ID)
	if want := (segment.Class{ID: 7, Name: "sky", Color: "#aabbcc"}); err != nil || len(stored.Deleted) != 1 || stored.Deleted[0].Class != want {
		t.Errorf("stored %.200v, %v", stored.Deleted, err)
	}
}

// none yields no image.
func none(func(*workspace.Adopted, error) bool) {}

// Names of people in a backup are bounded, and nothing in them can't be seen: they are
// stored with each event, and shown to everybody who opens the image.
func TestAdoptedNames(t *testing.T) {
	w := workspacetest.MustOpen(t)
	a := workspacetest.MustAnnotate(t, w)
	workspacetest.MustAppend(t, a, workspacetest.Label("red", 1, [2]float64{20, 40}))
	state := a.State()
	events, err := a.Events(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(a.PixelsOf(state))
	hierarchy, failed := a.Hierarchy().MarshalBinary()
	graph, err := a.Graph().MarshalBinary()
	if err := errors.Join(failed, err); err != nil {
		t.Fatal(err)
	}
	adopt := func(clicker, reviewer string) error {
		own := slices.Clone(events)
		own[0].By = clicker
		im := &workspace.Adopted{
			Image: a.Image(), Original: workspacetest.Halves(t), Hierarchy: hierarchy, Graph: graph, Labelling: hex.EncodeToString(sum[:]),
			Events: func(yield func(segment.Event, error) bool) { yield(own[0], nil) },
		}
		im.Review = segment.Review{Status: segment.Approved, By: reviewer, At: segment.Now()}
		p, err := w.AdoptProject(t.Context(), a.Project(), one(im))
		if err != nil {
			return err
		}
		images, err := w.ImagesAfter(t.Context(), p.ID, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		adopted := workspacetest.MustOpenImage(t, w, images[0].ID)
		events, err := adopted.Events(t.Context(), adopted.State())
		if err != nil || events[0].By != "ann" || images[0].Review.By != "ann" {
			t.Errorf("of %.20q and %.20q became %.20q and %.20q, %v", clicker, reviewer, events[0].By, images[0].Review.By, err)
		}
		return nil
	}
	for what, name := range map[string]string{"a name": "ann", "spaces around it": strings.Repeat(" ", 1000) + "ann "} {
		if err := adopt(name, name); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, name := range map[string]string{"a long name": strings.Repeat("A", 1000), "another direction": "ann\u202egnp", "a zero": "a\x00b"} {
		for who, err := range map[string]error{"who clicked": adopt(name, "ann"), "who approved": adopt("ann", name)} {
			if segment.KindOf(err) != segment.Unreadable {
				t.Errorf("%s of %s: %v", what, who, err)
			}
		}
	}
}

// one yields one image.
func one(im *workspace.Adopted) iter.Seq2[*workspace.Adopted, error] {
	return func(yield func(*workspace.Adopted, error) bool) { yield(im, nil) }
}
