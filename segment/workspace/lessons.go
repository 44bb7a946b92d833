package workspace

import (
	"context"

	"collie/segment"
	"collie/segment/learn"
)

// lessons is the workspace as the images that it holds open see it.
type lessons struct{ w *Workspace }

func (l lessons) Finished(projectID string) { l.w.finished(projectID) }

func (l lessons) Embedded(projectID string) { l.w.embedded(projectID) }

func (l lessons) ImportWeight(ctx context.Context, projectID string) learn.Choice {
	return l.w.importWeight(ctx, projectID)
}

func (l lessons) EmbeddingWeight(ctx context.Context, projectID string) *segment.Embedding {
	return l.w.embeddingWeight(ctx, projectID)
}
