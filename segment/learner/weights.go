package learner

import (
	"context"
	"errors"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/learn"
)

// embeddingWeight is how much embeddings count in a project; nil where nothing is
// known, or the project learns nothing.
func (l *Learner) embeddingWeight(ctx context.Context, projectID string) *segment.Embedding {
	p, err := l.store.Project(ctx, projectID)
	if err != nil || p.Unaided {
		return nil
	}
	weight, _ := l.embeddings.get(ctx, projectID, func(e *segment.Embedding) error {
		err := segment.Unmarshal(ctx, l.blobs, segment.EmbeddingsKey(projectID), e)
		if err == nil && (len(e.Values) > 0 || !e.Fits(0)) {
			err = errors.New("more than a weight")
		}
		return err
	})
	return weight
}

// embedded says that a finished image has another embedding.
func (l *Learner) embedded(projectID string) {
	l.setWeighDue(projectID, true)
	l.finished(projectID)
}

// weighDue reports whether the weight of embeddings has to be learned again.
func (l *Learner) weighDue(projectID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unweighed[projectID]
}

func (l *Learner) setWeighDue(projectID string, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unweighed != nil {
		l.unweighed[projectID] = due
	}
}

// learnEmbeddings learns from finished images, the latest last, how much
// embeddings count in a project, besides what its model, which can be nil, knows. After an
// error it keeps what it knew, and remains due.
func (l *Learner) learnEmbeddings(ctx context.Context, projectID string, done []segment.Image, m *learn.Model) {
	l.setWeighDue(projectID, false) // before the embeddings are read, because others can come meanwhile
	learned := false
	defer func() {
		if !learned {
			l.setWeighDue(projectID, true)
		}
	}()
	var images []learn.Embedded
	for i := range done {
		if e, ok := l.embeddedExample(ctx, &done[i]); ok {
			images = append(images, e)
		}
	}
	if len(images) == 0 && l.embeddingWeight(ctx, projectID) == nil {
		learned = true // there is nothing to learn
		return
	}
	var weight *segment.Embedding
	learned = l.study(ctx, projectID, func(ctx context.Context) (err error) {
		p := l.parameters
		if m != nil {
			p = p.With(m.Affinities)
		}
		weight, err = learn.Weigh(ctx, images, p)
		return err
	})
	if !learned {
		return
	}
	l.embeddings.hold(projectID, weight)
	l.cache(ctx, segment.EmbeddingsKey(projectID), weight)
}

// embeddedExample returns a finished image to learn from, or false if it can't be
// read or has no embedding.
func (l *Learner) embeddedExample(ctx context.Context, im *segment.Image) (e learn.Embedded, ok bool) {
	a, err := l.host.Visit(ctx, im.ID)
	if err != nil || ctx.Err() != nil {
		return e, false
	}
	defer a.Close()
	embedding, first := a.Embedding(), a.FirstCut()
	if embedding == nil || a.Graph().Merges == nil || first.N > learn.MaxSuperpixels {
		return e, false
	}
	return learn.Embedded{
		Graph: a.Graph().Coarsen(first.Parent, first.N), Labels: a.FirstLabels(),
		Embedding: engine.NewEmbedding(embedding, first, a.Graph()),
	}, true
}

// importWeight is how much imported scores count in a project, learn.Off where
// too little is known.
func (l *Learner) importWeight(ctx context.Context, projectID string) learn.Choice {
	p, err := l.store.Project(ctx, projectID)
	m := l.model(ctx, projectID)
	if err != nil || p.Unaided || m == nil {
		return learn.Off
	}
	return m.Imported
}

// weighImported gives scores that were imported the strength that the project has since
// chosen for them.
func (l *Learner) weighImported(ctx context.Context, im segment.Image) error {
	c := l.importWeight(ctx, im.ProjectID)
	if c == learn.Off {
		return nil
	}
	a, err := l.host.Visit(ctx, im.ID)
	if err != nil {
		return err
	}
	defer a.Close()
	return a.WeighGuess(ctx, c)
}
