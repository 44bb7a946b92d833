package storagetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/segment/audit"
)

// orchard is two projects with two images each, all with an event.
type orchard struct {
	t        *testing.T
	s        Store
	projects []segment.Project
	images   [][]segment.Image
}

func newOrchard(t *testing.T, s Store) *orchard {
	o := &orchard{t: t, s: s}
	for _, name := range []string{"apples", "pears"} {
		p := newProject(name)
		must(t, s.CreateProject(t.Context(), p))
		o.projects = append(o.projects, p)
		var images []segment.Image
		for _, name := range []string{"green", "red"} {
			im := newImage(p.ID, name)
			must(t, s.CreateImage(t.Context(), im, 0))
			must(t, s.Append(t.Context(), im.ID, 0, label("a", 1), segment.Progress{Clicks: 1}))
			im.Seq, im.Clicks = 1, 1
			images = append(images, im)
		}
		o.images = append(o.images, images)
	}
	return o
}

// visible checks which images can be read, in which lists they are, and that
// they have kept their evidence.
func (o *orchard) visible(want ...segment.Image) {
	o.t.Helper()
	var got []segment.Image
	for i, p := range o.projects {
		images, err := o.s.ImagesAfter(o.t.Context(), p.ID, "", 1e6)
		if segment.KindOf(err) != segment.NotFound {
			must(o.t, err)
		}
		if n, countErr := o.s.CountImages(o.t.Context(), p.ID); n != len(images) || segment.KindOf(countErr) != segment.KindOf(err) {
			o.t.Errorf("%d images are counted, %d listed; %v, %v", n, len(images), countErr, err)
		}
		places(o.t, o.s, images)
		got = append(got, images...)
		for _, im := range o.images[i] {
			one, err := o.s.Image(o.t.Context(), im.ID)
			if segment.KindOf(err) == segment.NotFound {
				_, err := o.s.Place(o.t.Context(), im.ID)
				wantKind(o.t, segment.NotFound, err)
				_, err = o.s.Events(o.t.Context(), im.ID, 0)
				wantKind(o.t, segment.NotFound, err)
				continue
			}
			must(o.t, err)
			if diff := cmp.Diff(im, one); diff != "" {
				o.t.Errorf("image (-want +got):\n%s", diff)
			}
			checkLog(o.t, o.s, im.ID, 1)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		o.t.Errorf("visible images (-want +got):\n%s", diff)
	}
}

// trash checks what the trash holds.
func (o *orchard) trash(want ...segment.TrashItem) {
	o.t.Helper()
	got, err := o.s.Trash(o.t.Context())
	must(o.t, err)
	for _, item := range got {
		one, err := o.s.Trashed(o.t.Context(), item.ID)
		must(o.t, err)
		if diff := cmp.Diff(item, one); diff != "" {
			o.t.Errorf("one item of the trash (-list +one):\n%s", diff)
		}
		if ago := time.Since(item.Trashed); ago < -time.Second || ago > time.Minute {
			o.t.Errorf("%s went to the trash %v ago", item.Name, ago)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(segment.TrashItem{}, "Trashed"), cmpopts.EquateEmpty()); diff != "" {
		o.t.Errorf("trash (-want +got):\n%s", diff)
	}
}

// testTrash checks what hides what, and that restoring brings back all of it.
func testTrash(t *testing.T, s Store) {
	ctx := t.Context()
	o := newOrchard(t, s)
	apples, pears := o.images[0], o.images[1]
	green := segment.TrashItem{Kind: segment.TrashedImage, ID: apples[0].ID, Name: "green", ProjectID: apples[0].ProjectID, ProjectName: "apples", Images: 1}
	all := segment.TrashItem{Kind: segment.TrashedProject, ID: apples[0].ProjectID, Name: "apples", ProjectID: apples[0].ProjectID, ProjectName: "apples", Images: 2}
	restore := func(want segment.TrashItem) {
		t.Helper()
		got, err := s.Restore(ctx, want.ID, 0)
		must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(segment.TrashItem{}, "Trashed")); diff != "" {
			t.Errorf("restored (-want +got):\n%s", diff)
		}
	}

	must(t, s.TrashImages(ctx, green.ProjectID, []string{green.ID}))
	o.visible(apples[1], pears[0], pears[1])
	o.trash(green)
	time.Sleep(2 * time.Millisecond) // the order is that of milliseconds
	must(t, s.TrashProject(ctx, all.ID))
	o.visible(pears...)
	o.trash(all, green)
	wantKind(t, segment.NotFound, s.TrashImages(ctx, all.ID, []string{apples[1].ID}))
	_, err := s.Restore(ctx, green.ID, 0)
	wantKind(t, segment.Conflict, err)

	restore(all)
	o.visible(apples[1], pears[0], pears[1])
	restore(green)
	o.visible(apples[0], apples[1], pears[0], pears[1])
	o.trash()
	for _, id := range []string{all.ID, green.ID, apples[1].ID} {
		_, err := s.Trashed(ctx, id)
		wantKind(t, segment.NotFound, err)
		_, err = s.Restore(ctx, id, 0)
		wantKind(t, segment.NotFound, err)
	}
	must(t, s.Append(ctx, green.ID, 1, label("b", 1), segment.Progress{Clicks: 2}))
	checkLog(t, s, green.ID, 2)
}

// testTrashMany checks that many images go to the trash and come back all or none.
func testTrashMany(t *testing.T, s Store) {
	ctx := t.Context()
	o := newOrchard(t, s)
	apples, pears := o.images[0], o.images[1]
	project, ids := apples[0].ProjectID, []string{apples[0].ID, apples[1].ID}
	for _, with := range []string{pears[0].ID, segment.NewID()} {
		wantKind(t, segment.NotFound, s.TrashImages(ctx, project, append(ids, with)))
	}
	o.visible(slices.Concat(apples, pears)...)
	must(t, s.TrashImages(ctx, project, ids))
	o.visible(pears...)
	wantKind(t, segment.NotFound, s.TrashImages(ctx, project, ids))

	must(t, s.TrashImages(ctx, pears[0].ProjectID, []string{pears[0].ID}))
	for _, with := range []string{pears[0].ID, pears[1].ID, segment.NewID()} {
		wantKind(t, segment.NotFound, s.RestoreImages(ctx, project, append(ids, with), 0))
	}
	must(t, s.TrashProject(ctx, project))
	wantKind(t, segment.Conflict, s.RestoreImages(ctx, project, ids, 0))
	_, err := s.Restore(ctx, project, 0)
	must(t, err)
	wantKind(t, segment.TooLarge, s.RestoreImages(ctx, project, ids, 1))
	o.visible(pears[1])
	must(t, s.RestoreImages(ctx, project, ids, 2))
	o.visible(slices.Concat(apples, pears[1:])...)
	wantKind(t, segment.NotFound, s.RestoreImages(ctx, project, ids, 0))
}

// noteErased is an entry of the audit log with the identifiers of what is erased.
func noteErased(gone []segment.Erased) audit.Entry {
	e := audit.Entry{At: moment(), Action: audit.Erased}
	for _, g := range gone {
		e.Detail += string(g.Kind) + " " + g.ID + "; "
	}
	return e
}

// testRemoveEmpty checks that only a project without images is removed.
func testRemoveEmpty(t *testing.T, s Store) {
	ctx := t.Context()
	o := newOrchard(t, s)
	apples, pears := o.images[0], o.images[1]
	for _, im := range apples {
		must(t, s.TrashImages(ctx, im.ProjectID, []string{im.ID}))
	}
	for _, id := range []string{apples[0].ProjectID, pears[0].ProjectID} {
		wantKind(t, segment.NotFound, s.RemoveEmpty(ctx, id))
	}
	o.visible(pears...)
	p := newProject("empty")
	must(t, s.CreateProject(ctx, p))
	must(t, s.TrashProject(ctx, p.ID))
	wantKind(t, segment.NotFound, s.RemoveEmpty(ctx, p.ID))
	_, err := s.Restore(ctx, p.ID, 0)
	must(t, err)
	must(t, s.RemoveEmpty(ctx, p.ID))
	_, err = s.Project(ctx, p.ID)
	wantKind(t, segment.NotFound, err)
	_, err = s.Restore(ctx, p.ID, 0)
	wantKind(t, segment.NotFound, err)
}

// testErased checks that what is old in the trash is gone for good, and that
// nothing else is.
func testErased(t *testing.T, s Store) {
	ctx := t.Context()
	o := newOrchard(t, s)
	apples, pears := o.images[0], o.images[1]
	erase := func(before time.Time, want ...string) {
		t.Helper()
		erased, err := s.Erase(ctx, before, noteErased)
		must(t, err)
		var got []string
		for _, e := range erased {
			got = append(got, e.ID)
			if e == (segment.Erased{Kind: segment.TrashedProject, ID: pears[0].ProjectID, Name: "pears"}) {
				continue
			}
			if !slices.ContainsFunc(slices.Concat(apples, pears), func(im segment.Image) bool {
				return e == segment.Erased{Kind: segment.TrashedImage, ID: im.ID, Name: im.Name}
			}) {
				t.Errorf("%+v was erased", e)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("erased (-want +got):\n%s", diff)
		}
	}
	every := func(want ...segment.Image) {
		t.Helper()
		var got []segment.Image
		for im, err := range s.EveryImage(ctx) {
			must(t, err)
			got = append(got, im)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	}
	old := time.Now()
	erase(time.Now().Add(time.Hour))
	must(t, s.TrashImages(ctx, apples[0].ProjectID, []string{apples[0].ID}))
	must(t, s.TrashProject(ctx, pears[0].ProjectID))
	erase(old.Add(-time.Minute))
	every(apples[0], apples[1], pears[0], pears[1])

	erase(time.Now().Add(time.Minute), apples[0].ID, pears[0].ID, pears[1].ID, pears[0].ProjectID)
	var noted []string
	for _, e := range mustEntries(t, s) {
		noted = append(noted, e.Detail)
	}
	if diff := cmp.Diff([]string{
		fmt.Sprintf("image %s; image %s; image %s; ", apples[0].ID, pears[0].ID, pears[1].ID), fmt.Sprintf("project %s; ", pears[0].ProjectID),
	}, noted); diff != "" {
		t.Errorf("the audit log (-want +got):\n%s", diff)
	}
	o.visible(apples[1])
	o.trash()
	every(apples[1])
	_, err := s.Restore(ctx, pears[0].ProjectID, 0)
	wantKind(t, segment.NotFound, err)
	again := apples[0] // its identifier is free again, its evidence gone
	again.Seq, again.Clicks = 0, 0
	must(t, s.CreateImage(ctx, again, 0))
	checkLog(t, s, again.ID, 0)
}

// testFullProject checks that images that are added at once don't pass a project's
// limit together, and that the trash is no way past it.
func testFullProject(t *testing.T, s Store) {
	ctx := t.Context()
	p := newProject("full")
	must(t, s.CreateProject(ctx, p))
	const most, added = 3, 12
	var wait sync.WaitGroup
	var kept, refused atomic.Int32
	for range added {
		wait.Go(func() {
			switch err := s.CreateImage(ctx, newImage(p.ID, "one"), most); segment.KindOf(err) {
			case 0:
				kept.Add(1)
			case segment.TooLarge:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if kept.Load() != most || refused.Load() != added-most {
		t.Errorf("%d images were kept and %d refused, want %d and %d", kept.Load(), refused.Load(), most, added-most)
	}
	images, err := s.ImagesAfter(ctx, p.ID, "", 1e6)
	must(t, err)
	first := images[0].ID
	must(t, s.TrashImages(ctx, p.ID, []string{first}))
	another := newImage(p.ID, "another")
	must(t, s.CreateImage(ctx, another, most))
	_, err = s.Restore(ctx, first, most)
	wantKind(t, segment.TooLarge, err)
	must(t, s.TrashImages(ctx, p.ID, []string{another.ID}))
	_, err = s.Restore(ctx, first, most)
	must(t, err)
	must(t, s.TrashProject(ctx, p.ID))
	_, err = s.Restore(ctx, p.ID, most)
	must(t, err)
}
