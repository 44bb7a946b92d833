package workspace

import (
	"context"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/learn"
)

// giveGuess sets or, if scores is nil, removes the guess of an image that
// nobody has worked on.
func (a *Annotation) giveGuess(ctx context.Context, scores *segment.Scores) error {
	ctx = asProject(ctx)
	changed, err := a.replaceGuess(ctx, scores)
	if changed {
		a.broadcast(a.image.ID)
	}
	return err
}

func (a *Annotation) replaceGuess(ctx context.Context, scores *segment.Scores) (changed bool, err error) {
	seq, had, scores, err := a.replaceable(ctx, scores)
	if had && err == nil {
		seq, err = a.Append(ctx, seq, segment.Event{ID: segment.NewID(), Kind: segment.Undo})
		changed = err == nil
	}
	if scores == nil || err != nil {
		return changed, err
	}
	if _, err := a.Append(ctx, seq, segment.Event{ID: segment.NewID(), Kind: segment.FirstGuess, Scores: scores}); err != nil {
		return changed, err
	}
	return true, a.store.NoteDoubt(context.WithoutCancel(ctx), a.image.ID, a.doubtOf(scores))
}

// replaceable returns the number of events, whether the image has a guess, and
// scores in the current classes. had is false and now is nil if a person has
// worked on the image.
func (a *Annotation) replaceable(ctx context.Context, scores *segment.Scores) (seq int, had bool, now *segment.Scores, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq = a.timeline.Seq(); !a.timeline.Untouched() {
		return seq, false, nil, nil
	}
	if err := a.readProject(ctx); err != nil {
		return seq, false, nil, err
	}
	return seq, a.timeline.Scores() != nil, present(scores, a.table), nil
}

// present converts scores to the project's current classes; nil if none is
// left.
func present(s *segment.Scores, table *segment.ClassTable) *segment.Scores {
	if s == nil {
		return nil
	}
	var column [256]int
	left, reserve := s.Resolved(table)
	out := *s
	out.Classes, out.Reserve = nil, nil
	for id := range segment.MaxClasses {
		if left[id] {
			column[id] = len(out.Classes)
			out.Classes = append(out.Classes, uint8(id))
		}
		if reserve[id] {
			out.Reserve = append(out.Reserve, uint8(id))
		}
	}
	k, had := len(out.Classes), len(s.Classes)
	if k == 0 {
		return nil
	}
	out.Shares = make([]uint8, len(s.Shares)/had*k)
	for i, v := range s.Shares {
		if id := table[s.Classes[i%had]]; id != segment.Void {
			to := &out.Shares[i/had*k+column[id]]
			*to = uint8(min(int(*to)+int(v), 255))
		}
	}
	return &out
}

// weighScores makes scores count as much as chosen.
func weighScores(s *segment.Scores, c learn.Choice) {
	s.Strength, s.Exponent, s.Proof, s.Patience = c.Strength, c.Exponent, c.Proof, c.Patience
}

// asProject is the context of what a project does by itself.
func asProject(ctx context.Context) context.Context {
	return access.With(ctx, access.Principal{Name: segment.ByProject, Role: access.Annotator})
}

// guessedBy returns the number of the model that made the current guess, 0
// without one.
func (a *Annotation) guessedBy() int {
	if s := a.scores(); s != nil {
		return s.Model
	}
	return 0
}
