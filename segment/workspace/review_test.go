package workspace_test

import (
	"context"
	"fmt"
	"testing"

	"collie/segment"
	"collie/segment/access"
	"collie/storage/workspacetest"
)

// listing is a store that counts how many records it has listed.
type listing struct {
	segment.Store
	listed *int
}

func (l listing) ImagesAfter(ctx context.Context, projectID, after string, limit int) ([]segment.Image, error) {
	images, err := l.Store.ImagesAfter(ctx, projectID, after, limit)
	*l.listed += len(images)
	return images, err
}

// A few images get a status without a look at all others, and many as well; images of
// other projects don't.
func TestReviewOfFew(t *testing.T) {
	listed := 0
	var store segment.Store
	w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store {
		store = listing{s, &listed}
		return store
	})
	a := workspacetest.MustAnnotate(t, w)
	project := a.Image().ProjectID
	other, err := w.CreateProject(t.Context(), "Other", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string][]string{}
	for i := range 150 {
		im := segment.Image{ID: fmt.Sprintf("some%022d", i), ProjectID: project, Name: fmt.Sprint(i), Format: "png", Width: 1, Height: 1, Regions: 1, Bytes: 1, Created: segment.Now()}
		if i%10 == 9 {
			im.ProjectID = other.ID
		}
		if err := store.CreateImage(t.Context(), im, 0); err != nil {
			t.Fatal(err)
		}
		ids[im.ProjectID] = append(ids[im.ProjectID], im.ID)
	}
	done := segment.Review{Status: segment.ReviewDone}
	few, err := w.SetReview(t.Context(), project, ids[project][:2], nil, done)
	if err != nil || len(few) != 2 || few[0].Review.Status != segment.ReviewDone || listed > 0 {
		t.Errorf("2 images: %v, %v, %d records were listed", few, err, listed)
	}
	if many, err := w.SetReview(t.Context(), project, ids[project], nil, done); err != nil || len(many) != 135 {
		t.Errorf("135 images: %d, %v", len(many), err)
	}
	for _, ids := range [][]string{{ids[other.ID][0]}, append(ids[project], ids[other.ID][0]), {"nobody"}} {
		if _, err := w.SetReview(t.Context(), project, ids, nil, done); segment.KindOf(err) != segment.NotFound {
			t.Errorf("with an image that the project doesn't have: %v", err)
		}
	}
}

// approving is a store in which a reviewer approves an image just before somebody else's
// review is stored, and in which every user is an annotator.
type approving struct{ segment.Store }

func (a approving) RoleIn(context.Context, string, string) (access.Role, error) {
	return access.Annotator, nil
}

func (a approving) SetReview(ctx context.Context, projectID string, looked map[string]segment.Looked, r segment.Review, approved bool) error {
	if err := a.Store.SetReview(context.WithoutCancel(ctx), projectID, looked, segment.Review{Status: segment.Approved, By: "reviewer"}, true); err != nil {
		return err
	}
	return a.Store.SetReview(ctx, projectID, looked, r, approved)
}

// Annotators don't take an approval back, not even one that comes while they set a status.
func TestReviewKeepsApproval(t *testing.T) {
	w := mustOpenWorkspace(t, t.TempDir(), func(s segment.Store) segment.Store { return approving{s} })
	im := workspacetest.MustAnnotate(t, w).Image()
	done := segment.Review{Status: segment.ReviewDone}
	annotator := access.With(t.Context(), access.Principal{User: "ann", Name: "ann", Role: access.User})
	if _, err := w.SetReview(annotator, im.ProjectID, []string{im.ID}, nil, done); segment.KindOf(err) != segment.Conflict {
		t.Errorf("an annotator gets %v", err)
	}
	if now, err := w.Image(t.Context(), im.ID); err != nil || now.Review.Status != segment.Approved {
		t.Errorf("the image is %+v, %v", now.Review, err)
	}
	if _, err := w.SetReview(t.Context(), im.ProjectID, []string{im.ID}, nil, done); err != nil { // the program itself can
		t.Error(err)
	}
}
