package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// orphanAge is how long blobs without an image are kept: an upload stores its
// blobs before its record.
const orphanAge = 24 * time.Hour

// TrashProject moves a project and its images to the trash.
func (w *Workspace) TrashProject(ctx context.Context, id string) error {
	p, err := w.projectFor(ctx, id, access.Manage)
	if err != nil {
		return err
	}
	return w.trashProject(ctx, p)
}

// DiscardProject is TrashProject, but a project without images, even in the trash, is
// gone at once: what was to be made of files that could not be read is worth no place there.
func (w *Workspace) DiscardProject(ctx context.Context, id string) error {
	p, err := w.projectFor(ctx, id, access.Manage)
	if err != nil {
		return err
	}
	return w.discardProject(ctx, p)
}

func (w *Workspace) discardProject(ctx context.Context, p segment.Project) error {
	err := w.store.RemoveEmpty(audit.Note(ctx, audit.New(ctx, audit.ProjectRemoved, p.ID, p.Name)), p.ID)
	if segment.KindOf(err) == segment.NotFound {
		return w.trashProject(ctx, p)
	}
	return err
}

func (w *Workspace) trashProject(ctx context.Context, p segment.Project) error {
	if err := w.store.TrashProject(audit.Note(ctx, audit.New(ctx, audit.ProjectTrashed, p.ID, p.Name)), p.ID); err != nil {
		return err
	}
	for _, k := range w.open.ready(1) {
		if im := k.Annotation().Image(); im.ProjectID == p.ID {
			w.tellTrashed(im.ID)
		}
	}
	return nil
}

// TrashImage moves an image to the trash.
func (w *Workspace) TrashImage(ctx context.Context, id string) error {
	im, err := w.guard.Image(ctx, id, access.Manage)
	if err != nil {
		return err
	}
	if err := w.store.TrashImages(audit.Note(ctx, audit.New(ctx, audit.ImageTrashed, id, im.Name)), im.ProjectID, []string{id}); err != nil {
		return err
	}
	w.tellTrashed(id)
	return nil
}

// TrashImages moves images of a project to the trash, all of them or, after an error, none.
func (w *Workspace) TrashImages(ctx context.Context, projectID string, imageIDs []string) error {
	if err := w.MayIn(ctx, projectID, access.Manage); err != nil {
		return err
	}
	chosen, err := w.among(ctx, projectID, imageIDs)
	if err != nil || len(chosen) == 0 {
		return err
	}
	ids := make([]string, len(chosen))
	for i, im := range chosen {
		ids[i] = im.ID
	}
	entry := audit.New(ctx, audit.ImagesTrashed, projectID, listed(chosen, namedImage))
	if err := w.store.TrashImages(audit.Note(ctx, entry), projectID, ids); err != nil {
		return err
	}
	for _, id := range ids {
		w.tellTrashed(id)
	}
	return nil
}

// RestoreImages takes images of a project out of the trash, all of them or, after an
// error, none. More than the project can have are a Conflict.
func (w *Workspace) RestoreImages(ctx context.Context, projectID string, imageIDs []string) error {
	if err := w.MayIn(ctx, projectID, access.Manage); err != nil {
		return err
	}
	items, err := w.store.Trash(ctx)
	if err != nil {
		return err
	}
	ids := slices.Compact(slices.Sorted(slices.Values(imageIDs)))
	items = slices.DeleteFunc(items, func(item segment.TrashItem) bool {
		_, asked := slices.BinarySearch(ids, item.ID)
		return !asked || item.Kind != segment.TrashedImage || item.ProjectID != projectID
	})
	if missing := len(ids) - len(items); missing > 0 {
		return segment.Errorf(segment.NotFound, "The trash of the project no longer has %d of the images. Nothing was restored; reload the page.", missing)
	}
	if len(ids) == 0 {
		return nil
	}
	entry := audit.New(ctx, audit.ImagesRestored, projectID, listed(items, func(item segment.TrashItem) string { return named(item.Name, item.ID) }))
	err = w.store.RestoreImages(audit.Note(ctx, entry), projectID, ids, w.images)
	if segment.KindOf(err) == segment.TooLarge {
		err = segment.Errorf(segment.Conflict, "The project would then have more than %s, which is the limit. Nothing was restored; restore fewer, or move others to the trash first.", segment.Counted(w.images, "image"))
	}
	return err
}

// Trash lists what the principal of ctx can restore, latest first.
func (w *Workspace) Trash(ctx context.Context) ([]segment.TrashItem, error) {
	can, err := w.own(ctx, access.Manage)
	if err != nil {
		return nil, err
	}
	items, err := w.store.Trash(ctx)
	if err != nil {
		return nil, err
	}
	projects, err := w.store.Projects(ctx)
	if err := w.readable(err); err != nil {
		return nil, err
	}
	for _, p := range projects {
		for _, c := range p.Deleted {
			if c.Restorable(segment.Now()) {
				items = append(items, trashedClass(p, c))
			}
		}
	}
	items = slices.DeleteFunc(items, func(item segment.TrashItem) bool { return !can(item.ProjectID) })
	slices.SortStableFunc(items, func(a, b segment.TrashItem) int { return b.Trashed.Compare(a.Trashed) })
	return items, nil
}

func trashedClass(p segment.Project, c segment.DeletedClass) segment.TrashItem {
	return segment.TrashItem{
		Kind: segment.TrashedClass, ID: fmt.Sprintf("%s-%d", p.ID, c.ID), Name: c.Name, ProjectID: p.ID, ProjectName: p.Name, Trashed: c.Deleted,
	}
}

// Restore takes an item out of the trash. An image of a project that is full is a Conflict.
func (w *Workspace) Restore(ctx context.Context, id string) (segment.TrashItem, error) {
	can, err := w.own(ctx, access.Manage)
	if err != nil {
		return segment.TrashItem{}, err
	}
	if project, class, ok := strings.Cut(id, "-"); ok && can(project) {
		return w.restoreClass(ctx, project, class)
	}
	item, err := w.store.Trashed(ctx, id)
	if segment.KindOf(err) == segment.NotFound || err == nil && !can(item.ProjectID) {
		return segment.TrashItem{}, segment.Errorf(segment.NotFound, "This is not in the trash, or you can't restore it.")
	}
	if err != nil {
		return segment.TrashItem{}, err
	}
	item, err = w.store.Restore(audit.Note(ctx, audit.New(ctx, audit.Restored, id, string(item.Kind)+" "+item.Name)), id, w.images)
	if segment.KindOf(err) == segment.TooLarge {
		err = segment.Errorf(segment.Conflict, "The project already has %s, which is the limit. Nothing was restored; move another image to the trash first.", segment.Counted(w.images, "image"))
	}
	return item, err
}

// restoreClass takes a class out of the trash; id is in decimal.
func (w *Workspace) restoreClass(ctx context.Context, project, id string) (segment.TrashItem, error) {
	p, err := w.store.Project(ctx, project)
	if err != nil {
		return segment.TrashItem{}, err
	}
	for _, c := range p.Deleted {
		if strconv.Itoa(int(c.ID)) == id && c.Restorable(segment.Now()) {
			_, err := w.RestoreClass(ctx, project, c.ID)
			return trashedClass(p, c), err
		}
	}
	return segment.TrashItem{}, segment.Errorf(segment.NotFound, "This class is not in the trash.")
}

// Swept counts what a sweep has removed.
type Swept struct {
	Images   int // deleted with their evidence and blobs
	Projects int
	Orphans  int // blobs without an image
}

// Sweep deletes for good what has been in the trash for TrashDays at the given
// time, and removes the blobs of uploads that failed at least a day before it,
// and entries of the audit log that are too old.
func (w *Workspace) Sweep(ctx context.Context, at time.Time) (Swept, error) {
	if err := w.May(ctx, access.Administer); err != nil {
		return Swept{}, err
	}
	// Records are removed before blobs, so that no record is ever without its
	// blobs; an interruption leaves only orphans.
	gone, err := w.store.Erase(ctx, at.AddDate(0, 0, -segment.TrashDays), func(gone []segment.Erased) audit.Entry {
		return audit.New(ctx, audit.Erased, "", erased(gone))
	})
	images := slices.IndexFunc(gone, func(e segment.Erased) bool { return e.Kind == segment.TrashedProject })
	if images < 0 {
		images = len(gone)
	}
	swept := Swept{Images: images, Projects: len(gone) - images}
	for _, im := range gone[:images] {
		w.open.erased(im.ID)
		err = errors.Join(err, w.removeBlobs(ctx, segment.Image{ID: im.ID}))
	}
	if err := errors.Join(err, w.store.Trim(ctx, at)); err != nil {
		return swept, err
	}
	swept.Orphans, err = w.RemoveOrphans(ctx, at)
	return swept, err
}

// RemoveOrphans removes the Orphans that are a day old at the given time, and
// returns their number.
func (w *Workspace) RemoveOrphans(ctx context.Context, at time.Time) (removed int, err error) {
	orphans, err := w.Orphans(ctx)
	if err != nil {
		return 0, err
	}
	for _, blob := range orphans {
		if at.Sub(blob.Modified) < orphanAge {
			continue
		}
		if err := w.blobs.Remove(ctx, blob.Key); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// Orphans returns the blobs of images that have no record, not even in the
// trash. They include those of running uploads.
func (w *Workspace) Orphans(ctx context.Context) ([]segment.BlobInfo, error) {
	if err := w.May(ctx, access.Administer); err != nil {
		return nil, err
	}
	// Blobs are listed first: an image made meanwhile has a record by then.
	var blobs []segment.BlobInfo
	for blob, err := range w.blobs.All(ctx) {
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, blob)
	}
	owned := map[string]bool{}
	for im, err := range w.store.EveryImage(ctx) {
		if err != nil && segment.KindOf(err) != segment.Damaged { // the files of a damaged record are its own
			return nil, err
		}
		owned[im.ID], owned[im.ProjectID] = true, true
	}
	kinds := map[string]bool{}
	for _, key := range append(new(segment.Image).Keys(), new(segment.Image).FeaturesKey(), segment.LearntKey(""), segment.EmbeddingsKey("")) {
		kinds[path.Dir(key)] = true
	}
	orphans := blobs[:0]
	for _, blob := range blobs {
		if dir, id := path.Split(blob.Key); kinds[path.Clean(dir)] && !owned[id] {
			orphans = append(orphans, blob)
		}
	}
	return orphans, nil
}
