package workspace

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// Assign says who is to work on images of a project, which gives nobody a right: the
// member of a name, or nobody if it is empty. It changes all of the images or, after an
// error, none, and returns their records. Whoever can set a status by hand can assign.
// Unless replaces is nil, only images that are assigned to it still can be changed.
func (w *Workspace) Assign(ctx context.Context, projectID string, imageIDs []string, name string, replaces *string) ([]segment.Image, error) {
	if err := w.MayReview(ctx, projectID, segment.ToDo); err != nil {
		return nil, err
	}
	name, err := w.assignee(ctx, projectID, name)
	if err != nil {
		return nil, err
	}
	chosen, err := w.among(ctx, projectID, imageIDs)
	if err != nil || len(chosen) == 0 {
		return chosen, err
	}
	ids := make([]string, len(chosen))
	for i := range chosen {
		ids[i] = chosen[i].ID
		chosen[i].Assignee = name
	}
	entry := audit.New(ctx, audit.ImagesAssigned, projectID, cmp.Or(name, "nobody")+": "+listed(chosen, namedImage))
	return chosen, w.store.Assign(audit.Note(ctx, entry), projectID, ids, name, replaces)
}

// assignee returns the name of a member who can work on images as it is stored; empty
// stays empty.
func (w *Workspace) assignee(ctx context.Context, projectID, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	members, err := w.store.Members(ctx, projectID)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(members, func(m segment.Member) bool { return strings.EqualFold(m.Name, name) })
	switch {
	case at < 0:
		return "", segment.Errorf(segment.Invalid, "%q is not a member of the project. Images can be assigned to its annotators, reviewers and owners. Nothing was changed.", name)
	case !members[at].Role.May(access.Annotate) && !members[at].Role.May(access.Review):
		return "", segment.Errorf(segment.Invalid, "%s is a viewer. Images can be assigned to annotators, reviewers and owners. Nothing was changed.", members[at].Name)
	}
	return members[at].Name, nil
}
