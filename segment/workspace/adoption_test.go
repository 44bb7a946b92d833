package workspace_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/annotation"
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

// adoptable is an annotated image as a backup has it, and its events.
func adoptable(tb testing.TB, a *annotation.Annotation) (*workspace.Adopted, []segment.Event) {
	tb.Helper()
	workspacetest.MustAppend(tb, a, workspacetest.Label("red", 1, [2]float64{20, 40}))
	state := a.State()
	events, unread := a.Events(tb.Context(), state)
	hierarchy, lost := a.Hierarchy().MarshalBinary()
	graph, err := a.Graph().MarshalBinary()
	if err := errors.Join(unread, lost, err); err != nil {
		tb.Fatal(err)
	}
	sum := sha256.Sum256(a.PixelsOf(state))
	return &workspace.Adopted{Image: a.Image(), Hierarchy: hierarchy, Graph: graph, Labelling: hex.EncodeToString(sum[:])}, events
}

// adopt creates a project with a copy of an image.
func adopt(tb testing.TB, w *workspace.Workspace, im workspace.Adopted, events []segment.Event) (segment.Image, error) {
	tb.Helper()
	im.Original = workspacetest.Halves(tb)
	im.Events = func(yield func(segment.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
	p, err := w.AdoptProject(tb.Context(), segment.Project{Name: "Halves", Classes: segment.DefaultClasses()}, func(yield func(*workspace.Adopted, error) bool) { yield(&im, nil) })
	if err != nil {
		return segment.Image{}, err
	}
	images, err := w.ImagesAfter(tb.Context(), p.ID, "", 1)
	if err != nil || len(images) != 1 {
		tb.Fatalf("%d images, %v", len(images), err)
	}
	return images[0], nil
}

// The name of an image leads to no other folder, from a backup or an upload: exports hand
// it on.
func TestFileNames(t *testing.T) {
	w := workspacetest.MustOpen(t)
	long := strings.Repeat("a", segment.MaxName)
	im, events := adoptable(t, workspacetest.MustAnnotate(t, w))
	for name, want := range map[string]string{
		"sea/beach.png": "sea/beach.png", "../../beach.png": "beach.png", "/etc/beach.png": "beach.png", "sea/../../beach.png": "beach.png", `C:\sea\beach.png`: "beach.png",
		"..\u200e/..\u200f/beach.png": "beach.png", " ../beach.png": "beach.png", "\u200e/etc/beach.png": "beach.png", long + "/../" + long[:90] + ".png": long[:90] + ".png",
	} {
		im.Name = name
		if got, err := adopt(t, w, *im, events); err != nil || got.Name != want {
			t.Errorf("%q became %q, want %q, %v", name, got.Name, want, err)
		}
		if got, err := w.AddImage(t.Context(), im.ProjectID, name, workspacetest.Halves(t)); err != nil || got.Name != want {
			t.Errorf("%q was uploaded as %q, want %q, %v", name, got.Name, want, err)
		}
	}
}

// Names of people in a backup are bounded, and nothing in them can't be seen: they are
// stored with each event, and shown to everybody who opens the image.
func TestAdoptedNames(t *testing.T) {
	w := workspacetest.MustOpen(t)
	im, events := adoptable(t, workspacetest.MustAnnotate(t, w))
	by := func(clicker, reviewer string) error {
		own := slices.Clone(events)
		own[0].By = clicker
		im.Review = segment.Review{Status: segment.Approved, By: reviewer, At: segment.Now()}
		got, err := adopt(t, w, *im, own)
		if err != nil {
			return err
		}
		a := workspacetest.MustOpenImage(t, w, got.ID)
		stored, err := a.Events(t.Context(), a.State())
		if err != nil || stored[0].By != "ann" || got.Review.By != "ann" {
			t.Errorf("of %.20q and %.20q became %.20q and %.20q, %v", clicker, reviewer, stored[0].By, got.Review.By, err)
		}
		return nil
	}
	for what, name := range map[string]string{"a name": "ann", "spaces around it": strings.Repeat(" ", 1000) + "ann "} {
		if err := by(name, name); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, name := range map[string]string{"a long name": strings.Repeat("A", 1000), "another direction": "ann\u202egnp", "a zero": "a\x00b"} {
		for who, err := range map[string]error{"who clicked": by(name, "ann"), "who approved": by("ann", name)} {
			if segment.KindOf(err) != segment.Unreadable {
				t.Errorf("%s of %s: %v", what, who, err)
			}
		}
	}
}
