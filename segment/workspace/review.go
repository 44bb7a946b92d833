package workspace

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// SetReview gives images of a project a status by hand, all of them or, after an
// error, none, and returns their records. See segment.Review.Needs for who can
// set which; author and time are filled in. Looked has, by id of image, what whoever
// sets the status has seen, so that it doesn't cover an edit that has come since, or
// replace another status; for images that are not in it, all counts as seen.
func (w *Workspace) SetReview(ctx context.Context, projectID string, imageIDs []string, looked map[string]segment.Looked, r segment.Review) ([]segment.Image, error) {
	if err := w.MayReview(ctx, projectID, r.Status); err != nil {
		return nil, err
	}
	r, err := r.Checked()
	if err != nil {
		return nil, err
	}
	chosen, err := w.among(ctx, projectID, imageIDs)
	if err != nil {
		return nil, err
	}
	judge := w.MayIn(ctx, projectID, access.Review)
	for _, im := range chosen {
		if im.Review.Needs(r.Status) == access.Review && judge != nil {
			return nil, judge
		}
	}
	if len(chosen) == 0 {
		return chosen, nil
	}
	who, _ := access.From(ctx)
	r.By, r.At = who.Name, segment.Now()
	about := make(map[string]segment.Looked, len(chosen))
	for _, im := range chosen {
		of, ok := looked[im.ID]
		if !ok {
			of.Seq = segment.AllEvents
		}
		about[im.ID] = of
	}
	entry := audit.New(ctx, audit.ImagesReviewed, projectID, reviewed(chosen, r.Status))
	if err := w.store.SetReview(audit.Note(ctx, entry), projectID, about, r, judge == nil); err != nil {
		return nil, err
	}
	for i := range chosen {
		chosen[i].Review = r
		chosen[i].Review.Seq = min(about[chosen[i].ID].Seq, chosen[i].Seq)
		if w.reviewed != nil {
			w.reviewed(chosen[i].ID)
		}
	}
	return chosen, nil
}

// oneByOne is up to how many images of a project are read by their ids, rather than
// with all others.
const oneByOne = 100

// among returns the images of a project with the given ids, each once; an error if it
// doesn't have all of them.
func (w *Workspace) among(ctx context.Context, projectID string, imageIDs []string) ([]segment.Image, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(imageIDs)))
	found, err := w.present(ctx, projectID, ids)
	if err == nil && len(found) < len(ids) {
		err = segment.Errorf(segment.NotFound, "The project no longer has %d of the images. Nothing was changed; reload the page.", len(ids)-len(found))
	}
	return found, err
}

// present returns the images of a project that are among ids, which are sorted.
func (w *Workspace) present(ctx context.Context, projectID string, ids []string) ([]segment.Image, error) {
	found := make([]segment.Image, 0, len(ids))
	if len(ids) <= oneByOne {
		if _, err := w.Project(ctx, projectID); err != nil {
			return nil, err
		}
		for _, id := range ids {
			im, err := w.Image(ctx, id)
			switch {
			case err == nil && im.ProjectID == projectID:
				found = append(found, im)
			case err != nil && segment.KindOf(err) != segment.NotFound:
				return nil, err
			}
		}
		return found, nil
	}
	for im, err := range segment.EachImage(ctx, projectID, w.ImagesAfter) {
		if err != nil {
			return nil, err
		}
		if _, ok := slices.BinarySearch(ids, im.ID); ok {
			found = append(found, im)
		}
	}
	return found, nil
}

// MayReview returns an error unless the principal of ctx can set a status on
// some image of a project.
func (w *Workspace) MayReview(ctx context.Context, projectID string, status segment.ReviewStatus) error {
	err := w.MayIn(ctx, projectID, access.Review)
	if err == nil || new(segment.Review).Needs(status) == access.Review {
		return err
	}
	return w.MayIn(ctx, projectID, access.Annotate)
}

// reviewed says in the audit log which images have got which status.
func reviewed(images []segment.Image, status segment.ReviewStatus) string {
	if status == segment.NoReview {
		status = "none"
	}
	return string(status) + ": " + listed(images, namedImage)
}
