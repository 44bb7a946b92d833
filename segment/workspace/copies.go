package workspace

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
	"collie/segment/schedule"
)

// CopyLabelling makes the labelling of another image of the same project the first
// guess of an image, moved by the superpixels that match, as one event that can be
// undone. It returns the event's number; on return it is on disk. A repeat with
// the same id returns the existing number as long as the other image's labelling
// is the same. A finished image gets no copy: its labels would overrule it.
func (w *Workspace) CopyLabelling(ctx context.Context, imageID, fromID, id string) (int, error) {
	im, err := w.guard.Image(ctx, imageID, access.Annotate)
	if err != nil {
		return 0, err
	}
	source, err := w.guard.Image(ctx, fromID, access.Read)
	if err != nil {
		return 0, err
	}
	if source.ProjectID != im.ProjectID || source.ID == im.ID {
		return 0, segment.Errorf(segment.Invalid, "A labelling can be copied from another image of the same project. Nothing was changed.")
	}
	if im.Status() == segment.StatusDone {
		return 0, segment.Errorf(segment.Invalid, "The image %q is finished already, so it keeps its labels. Nothing was changed.", im.Name)
	}
	from, err := w.Visit(ctx, fromID)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, err := w.Visit(ctx, imageID)
	if err != nil {
		return 0, err
	}
	defer to.Close()
	labels := from.FirstLabels()
	if !slices.ContainsFunc(labels, func(l uint8) bool { return l != segment.Void }) {
		return 0, segment.Errorf(segment.Invalid, "The image %q has no labels to copy yet. Nothing was changed.", source.Name)
	}
	there, here := from.FirstCut(), to.FirstCut()
	scores := &segment.Scores{Regions: here.N, Strength: engine.CopyStrength, Exponent: engine.CopyExponent, Proof: engine.CopyProof, Learnt: 1}
	err = w.turns.of(imageID)(ctx, schedule.First, func() {
		var shares []float64
		scores.Classes, shares = engine.Copied(from.Graph().Coarsen(there.Parent, there.N), labels, to.Graph().Coarsen(here.Parent, here.N))
		for _, v := range shares {
			scores.Shares = append(scores.Shares, uint8(v*255+.5))
		}
	})
	if err != nil {
		return 0, err
	}
	return to.SetScores(ctx, id, scores)
}
