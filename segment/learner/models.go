package learner

import (
	"context"
	"encoding"
	"io"

	"collie/segment"
	"collie/segment/learn"
)

// model returns a project's model, nil without one or as long as it can't be read.
func (l *Learner) model(ctx context.Context, projectID string) *learn.Model {
	m, _ := l.readModel(ctx, projectID)
	return m
}

// readModel returns a project's model, nil without one. The error says that there may
// be one.
func (l *Learner) readModel(ctx context.Context, projectID string) (*learn.Model, error) {
	return l.models.get(ctx, projectID, func(m *learn.Model) error {
		return segment.Unmarshal(ctx, l.blobs, segment.LearntKey(projectID), m)
	})
}

// newest returns the stored model instead of m, which can be nil, if another server has
// trained a newer one.
func (l *Learner) newest(ctx context.Context, projectID string, m *learn.Model) *learn.Model {
	stored := new(learn.Model)
	if err := segment.Unmarshal(ctx, l.blobs, segment.LearntKey(projectID), stored); err != nil || m != nil && stored.Number <= m.Number {
		return m
	}
	l.models.hold(projectID, stored)
	return stored
}

func (l *Learner) keepModel(ctx context.Context, projectID string, m *learn.Model) {
	l.models.hold(projectID, m)
	l.cache(ctx, segment.LearntKey(projectID), m)
}

// cache stores what can be recomputed; it ignores errors such as a full disk.
func (l *Learner) cache(ctx context.Context, key string, v encoding.BinaryMarshaler) {
	ctx = context.WithoutCancel(ctx)
	b, err := v.MarshalBinary()
	if err != nil || l.blobs.Remove(ctx, key) != nil {
		return
	}
	_ = l.blobs.Put(ctx, key, func(out io.Writer) error { _, err := out.Write(b); return err })
}
