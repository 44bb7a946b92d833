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
	l.mu.Lock()
	m, ok := l.models[projectID]
	l.mu.Unlock()
	if ok {
		return m, nil
	}
	read := new(learn.Model)
	if err := segment.Unmarshal(ctx, l.blobs, segment.LearntKey(projectID), read); err == nil {
		m = read
	} else if unsure(ctx, err) {
		return nil, err
	}
	l.hold(projectID, m)
	return m, nil
}

// newest returns the stored model instead of m, which can be nil, if another server has
// trained a newer one.
func (l *Learner) newest(ctx context.Context, projectID string, m *learn.Model) *learn.Model {
	stored := new(learn.Model)
	if err := segment.Unmarshal(ctx, l.blobs, segment.LearntKey(projectID), stored); err != nil || m != nil && stored.Number <= m.Number {
		return m
	}
	l.hold(projectID, stored)
	return stored
}

// unsure reports whether the error of reading what a project has learned leaves open
// if there is something. Otherwise it is missing, damaged or of an older version.
func unsure(ctx context.Context, err error) bool {
	return ctx.Err() != nil || segment.OutOfReach(err)
}

// maxModels is the largest number of models in memory.
const maxModels = 8

// hold keeps a model in memory, in place of others if there are too many.
func (l *Learner) hold(projectID string, m *learn.Model) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.models == nil {
		return
	}
	if len(l.models) >= maxModels {
		clear(l.models)
	}
	l.models[projectID] = m
}

func (l *Learner) keepModel(ctx context.Context, projectID string, m *learn.Model) {
	l.hold(projectID, m)
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
