package learner

import (
	"context"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
	"collie/segment/learn"
	"collie/segment/schedule"
)

// Guess gives an image that nobody has worked on a first guess from its
// project's model, or replaces an older guess, and reports whether the image
// has one now. With guessing off, it takes the guess back. It does nothing for
// users who can't annotate and for images that a person has touched: an undone
// guess is not replaced.
func (l *Learner) Guess(ctx context.Context, imageID string) (guessed bool, err error) {
	return l.guess(ctx, imageID, schedule.First)
}

// guess is Guess in a turn of the given class.
func (l *Learner) guess(ctx context.Context, imageID string, class schedule.Class) (guessed bool, err error) {
	im, err := l.guard.Image(ctx, imageID, access.Read)
	if err != nil || l.guard.MayIn(ctx, im.ProjectID, access.Annotate) != nil {
		return false, err
	}
	switch {
	case im.Status() == segment.StatusStarted && im.Clicks == 0 && im.Decided == 0:
		return false, l.weighImported(ctx, im)
	case im.Status() != segment.StatusUntouched:
		return false, nil
	}
	p, err := l.store.Project(ctx, im.ProjectID)
	if err != nil {
		return false, err
	}
	if p.Unaided {
		return false, l.takeBack(ctx, im)
	}
	m := l.model(ctx, im.ProjectID)
	l.seek(im.ProjectID, m)
	if m.Finished() == 0 {
		return im.Guessed, nil
	}
	a, err := l.host.Visit(ctx, imageID)
	if err != nil {
		return false, err
	}
	defer a.Close()
	if err := a.WeighEmbedding(ctx, l.embeddingWeight(ctx, im.ProjectID)); err != nil {
		return false, err
	}
	if s := a.Scores(); s != nil {
		if s.Model > m.Number {
			m = l.newest(ctx, im.ProjectID, m)
		}
		if s.Model == m.Number || s.Model > m.Number && s.Learnt > m.Finished() {
			return true, nil
		}
	}
	if err := a.Relate(ctx, relations(m)); err != nil {
		return false, err
	}
	f, err := l.features(ctx, a)
	if err != nil {
		return im.Guessed, nil // no features to guess from
	}
	var g *engine.Guess
	if err := l.turn(imageID)(ctx, class, func() { g = m.Guess(f) }); err != nil {
		return false, err
	}
	return g != nil, a.GiveGuess(ctx, scoresOf(g, m, f.N))
}

// relations are the affinities that a project's images get from its model; nil for the
// usual ones.
func relations(m *learn.Model) *segment.Affinities {
	if m.Affinities == nil {
		return nil
	}
	b, _ := m.Affinities.MarshalBinary() // which always succeeds
	return &segment.Affinities{Model: b, Learnt: m.Finished()}
}

// takeBack takes an image's guess back, what its embedding counts, and the project's
// affinities.
func (l *Learner) takeBack(ctx context.Context, im segment.Image) error {
	if im.Seq == 0 {
		return nil
	}
	a, err := l.host.Visit(ctx, im.ID)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.WeighEmbedding(ctx, new(segment.Embedding)); err != nil {
		return err
	}
	if err := a.Relate(ctx, nil); err != nil {
		return err
	}
	return a.GiveGuess(ctx, nil)
}

// scoresOf is a model's guess as an image keeps it; nil for none.
func scoresOf(g *engine.Guess, m *learn.Model, superpixels int) *segment.Scores {
	if g == nil {
		return nil
	}
	s := &segment.Scores{
		Classes: g.Classes, Regions: superpixels, Reserve: g.Reserve, Strength: g.Strength, Exponent: g.Exponent, Proof: g.Proof, Patience: g.Patience,
		Model: m.Number, Learnt: m.Finished(), Shares: make([]uint8, len(g.Shares)),
	}
	for i, v := range g.Shares {
		s.Shares[i] = uint8(v*255 + 0.5)
	}
	return s
}
