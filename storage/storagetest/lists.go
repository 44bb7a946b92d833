package storagetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
)

// TestDamagedProject checks that a project whose record makes no sense, as that of a newer
// program can, is missing in lists and named, and keeps no other out of them. damage runs
// a statement of SQL.
func TestDamagedProject(t *testing.T, s Store, damage func(statement string) error) {
	ctx := t.Context()
	defer closeStore(t, s)
	for column, value := range map[string]string{"classes": "[", "deleted_classes": "{}", "rest": "by magic"} {
		bad, good := newProject("bad by its "+column), newProject("good")
		im := newImage(bad.ID, "of the bad one")
		must(t, errors.Join(s.CreateProject(ctx, bad), s.CreateProject(ctx, good), s.CreateImage(ctx, im, 0)))
		must(t, damage(fmt.Sprintf("UPDATE project SET %s = '%s' WHERE id = '%s'", column, value, bad.ID)))
		projects, err := s.Projects(ctx)
		if len(projects) != 1 || projects[0].ID != good.ID || segment.KindOf(err) != segment.Damaged || !strings.Contains(err.Error(), bad.Name) {
			t.Errorf("%s: projects %+v, %v", column, projects, err)
		}
		overviews, err := s.Overviews(ctx, "")
		if len(overviews) != 1 || overviews[0].ID != good.ID || segment.KindOf(err) != segment.Damaged || !strings.Contains(err.Error(), bad.Name) {
			t.Errorf("%s: overviews %+v, %v", column, overviews, err)
		}
		if _, err := s.Project(ctx, bad.ID); segment.KindOf(err) != segment.Damaged {
			t.Errorf("%s: the project itself: %v", column, err)
		}
		must(t, s.TrashProject(ctx, bad.ID))
		if projects, err := s.Projects(ctx); len(projects) != 1 || err != nil {
			t.Errorf("%s: when it is in the trash: %+v, %v", column, projects, err)
		}
		must(t, s.TrashProject(ctx, good.ID))
	}
}

// TestDamagedImage checks that EveryImage names an image whose record makes no sense, and
// goes on. damage damages the classes of an image.
func TestDamagedImage(t *testing.T, s Store, damage func(id string) error) {
	ctx := t.Context()
	defer closeStore(t, s)
	p := newProject("p")
	must(t, s.CreateProject(ctx, p))
	var want, got []string
	for _, name := range []string{"first", "bad", "last"} {
		im := newImage(p.ID, name)
		must(t, s.CreateImage(ctx, im, 0))
		if name == "bad" {
			must(t, damage(im.ID))
		}
		want = append(want, fmt.Sprint(im.ID, im.ProjectID, im.Name, name == "bad"))
	}
	for im, err := range s.EveryImage(ctx) {
		bad := segment.KindOf(err) == segment.Damaged
		if err != nil && !bad {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(im.ID, im.ProjectID, im.Name, bad))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}

// testOrder checks in which order lists come.
func testOrder(t *testing.T, s Store) {
	ctx := t.Context()
	late := newProject("late") // by the clock of another server
	late.Created = late.Created.Add(-time.Hour)
	var want []string
	for _, p := range []segment.Project{newProject("first"), late, newProject("second"), newProject("third")} {
		must(t, s.CreateProject(ctx, p))
	}
	projects, err := s.Projects(ctx)
	must(t, err)
	var names []string
	for _, p := range projects {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"third", "second", "late", "first"}, names); diff != "" {
		t.Errorf("projects are not newest first (-want +got):\n%s", diff)
	}

	for i := range 12 { // two digits: order of upload is not that of names
		im := newImage(late.ID, fmt.Sprint(i))
		want = append(want, im.Name)
		must(t, s.CreateImage(ctx, im, 0))
	}
	images, err := s.ImagesAfter(ctx, late.ID, "", 1e6)
	must(t, err)
	names = nil
	for _, im := range images {
		names = append(names, im.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("images are not in order of upload (-want +got):\n%s", diff)
	}
	places(t, s, images)
	testParts(t, s, late.ID, projects[0].ID, images)
}

// testParts checks the parts of a project's list, before and after an image of it
// goes to the trash.
func testParts(t *testing.T, s Store, project, other string, images []segment.Image) {
	t.Helper()
	ctx := t.Context()
	must(t, s.CreateImage(ctx, newImage(other, "of another project"), 0))
	check := func(want []segment.Image) {
		t.Helper()
		var got []segment.Image
		for after := ""; ; after = got[len(got)-1].ID {
			part, err := s.ImagesAfter(ctx, project, after, 5)
			must(t, err)
			got = append(got, part...)
			if len(part) < 5 {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the parts of a list differ from it (-want +got):\n%s", diff)
		}
	}
	check(images)
	must(t, s.TrashImages(ctx, project, []string{images[4].ID}))
	check(append(images[:4:4], images[5:]...))
	if part, err := s.ImagesAfter(ctx, project, images[4].ID, 1); err != nil || len(part) != 1 || part[0].ID != images[5].ID {
		t.Errorf("after an image in the trash: %v, %v", part, err)
	}
	_, err := s.ImagesAfter(ctx, other, images[0].ID, 1) // of another project
	wantKind(t, segment.NotFound, err)
	must(t, s.TrashProject(ctx, project))
	_, err = s.ImagesAfter(ctx, project, "", 1)
	wantKind(t, segment.NotFound, err)
}

// places checks where the store says that each image of a project's list is.
func places(t *testing.T, s Store, images []segment.Image) {
	t.Helper()
	for i, im := range images {
		want := segment.Place{Position: i + 1, Total: len(images)}
		if i > 0 {
			want.Previous = images[i-1].ID
		}
		if i+1 < len(images) {
			want.Next = images[i+1].ID
		}
		got, err := s.Place(t.Context(), im.ID)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("place of image %d (-want +got):\n%s", i, diff)
		}
	}
}

// testOverviews checks what a list of projects says about their images.
func testOverviews(t *testing.T, s Store) {
	ctx := t.Context()
	empty, full, gone := newProject("empty"), newProject("full"), newProject("gone")
	for _, p := range []segment.Project{empty, full, gone} {
		must(t, s.CreateProject(ctx, p))
	}
	var images []segment.Image
	for i := range 4 {
		im := newImage(full.ID, fmt.Sprint(i))
		must(t, s.CreateImage(ctx, im, 0))
		images = append(images, im)
	}
	for i, decided := range []float64{1, 1, 0.999, 1} {
		must(t, s.Append(ctx, images[i].ID, 0, segment.Event{ID: "a", Kind: segment.Label, Superpixels: []int32{1}, Created: moment()}, segment.Progress{Decided: decided}))
	}
	must(t, s.TrashImages(ctx, full.ID, []string{images[0].ID}))
	must(t, s.TrashProject(ctx, gone.ID))
	must(t, s.Assign(ctx, full.ID, []string{images[1].ID, images[2].ID}, "ann", nil))
	check := func(name string, own int) {
		t.Helper()
		got, err := s.Overviews(ctx, name)
		must(t, err)
		want := []segment.Overview{{Project: full, Images: 3, Done: 2, Own: own, Cover: images[1].ID}, {Project: empty}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("overviews for %q (-want +got):\n%s", name, diff)
		}
	}
	check("ann", 1)
	check("bob", 0)
	check("", 0)
	for status, own := range map[segment.ReviewStatus]int{segment.ToDo: 2, segment.InProgress: 2, segment.ReviewDone: 0, segment.Approved: 0, segment.Rejected: 2, segment.NoReview: 1} {
		must(t, s.SetReview(ctx, full.ID, map[string]segment.Looked{images[1].ID: {Seq: 1}, images[2].ID: {Seq: 1}}, segment.Review{Status: status, Comment: "The left wing.", By: "rob", At: moment()}, true))
		check("ann", own)
	}
}
