package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// without leaves a class out of the project's list and says what takes its place.
func without(p segment.Project, gone uint8, remap ...uint8) segment.ProjectEdit {
	var edit segment.ProjectEdit
	for _, c := range p.Classes {
		if c.ID != gone {
			edit.Classes = append(edit.Classes, segment.ClassEdit{Class: c})
		}
	}
	if len(remap) > 0 {
		edit.Remap = map[uint8]uint8{gone: remap[0]}
	}
	return edit
}

// mustEdit edits and returns the project.
func mustEdit(t *testing.T, w *workspace.Workspace, id string, edit segment.ProjectEdit) segment.Project {
	t.Helper()
	p, err := w.EditProject(t.Context(), id, edit)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A class in use is deleted, replaced and restored: the open image, its record and
// one opened from the disk follow at once, and the evidence stays.
func TestDeletedClass(t *testing.T) {
	dir := t.TempDir()
	w := mustOpenWorkspace(t, dir, asIs)
	var told []string
	w.Watch(func(id string) { told = append(told, id) })
	a := workspacetest.MustAnnotate(t, w)
	id, project := a.Image().ID, a.Image().ProjectID
	mustAppend(t, a, label("a", 0, [2]float64{10, 40}))
	mustAppend(t, a, label("b", 1, [2]float64{110, 40}))
	mustAppend(t, a, segment.Event{ID: "c", Kind: segment.Accept, Pick: &segment.Pick{Rank: 0}})
	before, pixels := a.State(), a.Pixels()
	p, err := w.Project(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}

	_, err = w.EditProject(t.Context(), project, without(p, 1))
	var inUse *workspace.ClassesInUse
	if segment.KindOf(err) != segment.Conflict || !errors.As(err, &inUse) || !cmp.Equal(inUse.Images, map[uint8]int{1: 1}) || !strings.Contains(err.Error(), `"object" (in 1 image)`) {
		t.Errorf("a class in use: %v, %v", err, inUse)
	}
	if diff := cmp.Diff(before, a.State()); diff != "" || told != nil {
		t.Errorf("what was refused changed the state (told %v):\n%s", told, diff)
	}

	check := func(what string, to uint8, classes []int, clicks int) {
		t.Helper()
		want := func(labels []uint8) []uint8 {
			out := slices.Clone(labels)
			for i, l := range out {
				if l == 1 {
					out[i] = to
				}
			}
			return out
		}
		again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), id)
		for where, a := range map[string]*annotation.Annotation{"open": a, "from the disk": again} {
			s := a.State()
			if diff := cmp.Diff(want(before.Labels), s.Labels) + cmp.Diff(want(before.Clicks), s.Clicks) + cmp.Diff(want(pixels), a.Pixels()); diff != "" {
				t.Errorf("%s, %s:\n%s", what, where, diff)
			}
			if got := a.Sequence().Classes(); !slices.Equal(got, classes) {
				t.Errorf("%s, %s: classes in play %v, want %v", what, where, got, classes)
			}
		}
		im, err := w.Image(t.Context(), id)
		if err != nil || im.Clicks != clicks || (im.Decided == 1) != (to != segment.Void) {
			t.Errorf("%s: record %+v, %v", what, im, err)
		}
		list, err := w.ImagesAfter(t.Context(), project, "", 1e6)
		if err != nil || !cmp.Equal(list, []segment.Image{im}) {
			t.Errorf("%s: list %+v, %v, want %+v", what, list, err, im)
		}
	}
	mustEdit(t, w, project, without(p, 1, 0))
	check("remapped", 0, []int{0}, 2)
	if _, err := a.Append(t.Context(), 3, label("x", 1, [2]float64{1, 1})); segment.KindOf(err) != segment.Invalid || !strings.Contains(err.Error(), "has been deleted") {
		t.Errorf("a label of a deleted class: %v", err)
	}
	if p, err = w.RestoreClass(t.Context(), project, 1); err != nil {
		t.Fatal(err)
	}
	check("restored", 1, []int{0, 1}, 2)
	if diff := cmp.Diff(pixels, a.Pixels()); diff != "" {
		t.Errorf("restored: %s", diff)
	}
	p = mustEdit(t, w, project, without(p, 1, segment.Void))
	check("deleted without another", segment.Void, []int{0}, 1)
	if !slices.Equal(told, []string{id, id, id}) {
		t.Errorf("told of %v, want three times %s", told, id)
	}

	// A new class never gets an old id, and a hypothesis fills what the deletion
	// left undecided.
	edit := without(p, segment.Void)
	edit.Classes = append(edit.Classes, segment.ClassEdit{Class: segment.Class{Name: "other"}, New: true})
	if p = mustEdit(t, w, project, edit); p.Classes[1].ID != 2 {
		t.Errorf("new class %+v", p.Classes[1])
	}
	mustAppend(t, a, label("d", 2, [2]float64{60, 70}))
	h, err := a.Sequence().At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, a, segment.Event{ID: "e", Kind: segment.Accept, Pick: &segment.Pick{Rank: 0, Digest: h.Digest.String()}})
	if diff := cmp.Diff(h.Labels, a.State().Labels); diff != "" {
		t.Errorf("labelling after the accept (-hypothesis +labelling):\n%s", diff)
	}
	accepted := a.State()
	again := mustOpen(t, mustOpenWorkspace(t, dir, asIs), id)
	again.State()
	if diff := cmp.Diff(accepted.Labels, again.State().Labels); diff != "" {
		t.Errorf("from the disk:\n%s", diff)
	}
	mustAppend(t, a, segment.Event{ID: "f", Kind: segment.Undo})
	mustAppend(t, a, segment.Event{ID: "g", Kind: segment.Undo})
	check("after undo", segment.Void, []int{0}, 1)
}

// A click on a class that was replaced stays a click when a hypothesis is
// accepted, and has its own class again when that is restored.
func TestAcceptKeepsRemappedClicks(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), asIs)
	a := workspacetest.MustAnnotate(t, w)
	project := a.Image().ProjectID
	edit := without(a.Project(), segment.Void)
	edit.Classes = append(edit.Classes, segment.ClassEdit{Class: segment.Class{Name: "third"}, New: true})
	p := mustEdit(t, w, project, edit)
	for i, at := range [][2]float64{{10, 40}, {110, 10}, {110, 70}} {
		mustAppend(t, a, label(string(rune('a'+i)), i, at))
	}
	clicks := a.State().Clicks
	p = mustEdit(t, w, project, without(p, 2, 1))
	mustAppend(t, a, segment.Event{ID: "pick", Kind: segment.Accept, Pick: &segment.Pick{Rank: 0}})
	if im, err := w.Image(t.Context(), a.Image().ID); err != nil || im.Clicks != 3 || im.Decided != 1 {
		t.Errorf("record %+v, %v", im, err)
	}
	if _, err := w.RestoreClass(t.Context(), p.ID, 2); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(clicks, a.State().Clicks); diff != "" {
		t.Errorf("clicks (-before +after):\n%s", diff)
	}
}

// Several people add, rename and reorder classes at the same moment, each from the
// list that they have read: a late one gets the current list, and in the end every
// change is stored and no class is deleted.
func TestClassesEditedAtOnce(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), asIs)
	read, err := w.CreateProject(t.Context(), "Shared", []segment.Class{{Name: "a"}, {Name: "b"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const people = 12
	var late int
	var mu sync.Mutex
	var work sync.WaitGroup
	for i := range people {
		name := fmt.Sprintf("of %d", i)
		work.Go(func() {
			for p := read; ; {
				edit := without(p, segment.Void)
				edit.Base = p.Classes
				edit.Classes = append(edit.Classes, segment.ClassEdit{Class: segment.Class{Name: name}, New: true})
				if i == 0 {
					a := slices.IndexFunc(edit.Classes, func(c segment.ClassEdit) bool { return c.Name == "a" })
					edit.Classes[a].Name = "renamed"
				}
				if i == 1 {
					edit.Classes[0], edit.Classes[1] = edit.Classes[1], edit.Classes[0]
				}
				_, err := w.EditProject(t.Context(), p.ID, edit)
				if err == nil {
					return
				}
				var moved *segment.ClassesMovedOn
				if segment.KindOf(err) != segment.Conflict || !errors.As(err, &moved) {
					t.Error(err)
					return
				}
				mu.Lock()
				late++
				mu.Unlock()
				p = moved.Project
			}
		})
	}
	work.Wait()
	p, err := w.Project(t.Context(), read.ID)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range p.Classes {
		names = append(names, c.Name)
	}
	if slices.Sort(names); len(names) != people+2 || !slices.Contains(names, "renamed") || !slices.Contains(names, "b") || len(p.Deleted) > 0 {
		t.Errorf("classes %q, deleted %v", names, p.Deleted)
	}
	if late < people-1 {
		t.Errorf("%d edits were late; all but one of %d were made from a list that had passed", late, people)
	}

	// What a base leaves open is not compared, and without one nothing is.
	edit := without(p, segment.Void)
	for _, c := range p.Classes {
		edit.Base = append(edit.Base, segment.Class{ID: c.ID})
	}
	edit.Classes[0].Name = "again"
	p = mustEdit(t, w, p.ID, edit)
	edit.Base, edit.Classes = read.Classes, edit.Classes[:1]
	if _, err := w.EditProject(t.Context(), p.ID, edit); segment.KindOf(err) != segment.Conflict {
		t.Errorf("from a list that has passed: %v", err)
	}
	edit.Base = nil
	if p = mustEdit(t, w, p.ID, edit); len(p.Classes) != 1 {
		t.Errorf("without a base: %v", p.Classes)
	}
}

// The audit log names what an edit has changed, and nothing else.
func TestEditsInTheAuditLog(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), asIs)
	p, err := w.CreateProject(t.Context(), "Zoo", []segment.Class{{Name: "bear"}, {Name: "cave"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	off := true
	for _, c := range []struct {
		edit segment.ProjectEdit
		want string
	}{
		{segment.ProjectEdit{Unaided: &off}, "learning: false"},
		{segment.ProjectEdit{Rest: &segment.Rest{Mode: segment.RestClass, Class: 1}}, "rest: 1"},
		{segment.ProjectEdit{Name: "Park"}, "name: Park"},
		{segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: p.Classes[1]}, {Class: p.Classes[0]}}}, "classes: order"},
		{segment.ProjectEdit{Classes: []segment.ClassEdit{
			{Class: segment.Class{ID: 0, Name: "panda"}}, {Class: segment.Class{ID: 1, Color: "#123456"}}, {Class: segment.Class{Name: "tree"}, New: true},
		}}, `classes: recoloured "cave", renamed "bear" to "panda", added "tree"`},
		{segment.ProjectEdit{
			Classes: []segment.ClassEdit{{Class: segment.Class{ID: 0}}}, Remap: map[uint8]uint8{1: 0, 2: segment.Void},
		}, `classes: deleted "cave", whose labels became "panda", deleted "tree", whose labels became undecided`},
		{segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 0}}, {Class: segment.Class{ID: 1}}}}, `classes: restored "cave"`},
	} {
		mustEdit(t, w, p.ID, c.edit)
		entries, err := w.EntriesBefore(t.Context(), 0, 1)
		if err != nil || len(entries) != 1 || entries[0].Detail != c.want {
			t.Errorf("the log says %+v, %v, want %q", entries, err, c.want)
		}
	}
}

// trashing is a store in which somebody moves a project to the trash at the moment after
// the projects were listed.
type trashing struct {
	segment.Store
	project string
}

func (s *trashing) Overviews(ctx context.Context, name string) ([]segment.Overview, error) {
	list, err := s.Store.Overviews(ctx, name)
	return list, errors.Join(err, s.TrashProject(ctx, s.project))
}

// A project that goes to the trash while the projects are listed leaves the others in
// the list.
func TestOverviewsWhileTrashed(t *testing.T) {
	store := &trashing{}
	w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store {
		store.Store = s
		return store
	})
	for _, name := range []string{"Stays", "Goes", "Stays, too"} {
		p, err := w.CreateProject(t.Context(), name, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if name == "Goes" {
			store.project = mustEdit(t, w, p.ID, without(p, 1)).ID // so that its images are counted again
		}
	}
	list, err := w.Overviews(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "Stays, too" || list[1].Name != "Stays" {
		t.Errorf("%+v, %v", list, err)
	}
}

// A project's own list of classes replaces itself, also where names are the same but for
// more than upper and lower case: both letters are a small sigma.
func TestReplaceByItself(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Greek", []segment.Class{{Name: "σ"}, {Name: "ς"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.ReplaceClasses(t.Context(), p.ID, p.Classes, nil, nil)
	if err != nil || !cmp.Equal(got.Classes, p.Classes) {
		t.Errorf("%+v, %v", got.Classes, err)
	}
	got, err = w.ReplaceClasses(t.Context(), p.ID, []segment.Class{{Name: "Σ"}, {Name: "ς"}}, nil, nil)
	if err != nil || got.Classes[0].ID != p.Classes[0].ID || got.Classes[0].Name != "Σ" {
		t.Errorf("in upper case: %+v, %v", got.Classes, err)
	}
}

// old is a store whose records of images are of a release that didn't list their classes.
// The one that is trashed goes to the trash right after the first list.
type old struct {
	segment.Store
	trashed string
}

func (s *old) ImagesAfter(ctx context.Context, projectID, after string, limit int) ([]segment.Image, error) {
	images, err := s.Store.ImagesAfter(ctx, projectID, after, limit)
	for i := range images {
		images[i].Classes = nil
	}
	if id := s.trashed; id != "" {
		s.trashed = ""
		err = errors.Join(err, s.TrashImages(ctx, projectID, []string{id}))
	}
	return images, err
}

// An image that goes to the trash while the uses of a class are counted doesn't count.
func TestEditWhileImageIsTrashed(t *testing.T) {
	store := &old{}
	w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store {
		store.Store = s
		return store
	})
	a := workspacetest.MustAnnotate(t, w)
	p := a.Project()
	gone, err := w.AddImage(t.Context(), p.ID, "gone.png", workspacetest.Halves(t))
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, mustOpen(t, w, gone.ID), label("a", 1, [2]float64{10, 10}))
	mustAppend(t, a, label("a", 1, [2]float64{10, 10}))
	store.trashed = gone.ID
	var inUse *workspace.ClassesInUse
	if _, err := w.EditProject(t.Context(), p.ID, without(p, 1)); !errors.As(err, &inUse) || inUse.Images[1] != 1 {
		t.Errorf("deleting a class that one other image uses: %v", err)
	}
}
