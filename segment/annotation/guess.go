package annotation

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/learn"
)

// GiveGuess sets or, if scores is nil, removes the guess of an image that
// nobody has worked on, in the name of the project. If somebody begins meanwhile,
// the error is a Conflict.
func (a *Annotation) GiveGuess(ctx context.Context, scores *segment.Scores) error {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return err
	}
	ctx = asProject(ctx)
	changed, err := a.replaceGuess(ctx, scores)
	if changed {
		a.changed(a.image.ID)
	}
	return err
}

func (a *Annotation) replaceGuess(ctx context.Context, scores *segment.Scores) (changed bool, err error) {
	if err := a.refresh(ctx); err != nil {
		return false, err
	}
	seq, had, scores := a.replaceable(scores)
	var events []segment.Event
	if had {
		events = append(events, segment.Event{ID: segment.NewID(), Kind: segment.Undo})
	}
	if scores != nil {
		events = append(events, segment.Event{ID: segment.NewID(), Kind: segment.FirstGuess, Scores: scores})
	}
	if events == nil {
		return false, nil
	}
	if _, err := a.addAll(ctx, seq, events); err != nil || scores == nil {
		return err == nil, err
	}
	return true, a.store.NoteDoubt(context.WithoutCancel(ctx), a.image.ID, new(a.doubtOf(scores)))
}

// replaceable returns the number of events, whether the image has a guess, and
// scores in the current classes. had is false and now is nil if a person has
// worked on the image.
func (a *Annotation) replaceable(scores *segment.Scores) (seq int, had bool, now *segment.Scores) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq = a.timeline.Seq(); !a.timeline.Untouched() {
		return seq, false, nil
	}
	return seq, a.timeline.Scores() != nil, inClasses(scores, a.table)
}

// inClasses converts scores to the project's current classes; nil if none is
// left.
func inClasses(s *segment.Scores, table *segment.ClassTable) *segment.Scores {
	if s == nil {
		return nil
	}
	classes, reserve, column := s.Columns(table)
	out := *s
	out.Classes, out.Reserve = classes, reserve
	k, had := len(classes), len(s.Classes)
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

// GuessedPixels returns the most probable class of each pixel, row-major, by a first guess
// that is all that is said of the image, or Void where it says nothing; nil if there is more.
func (a *Annotation) GuessedPixels() []uint8 {
	a.mu.Lock()
	progress, s := a.progress(), inClasses(a.timeline.Scores(), a.table)
	a.mu.Unlock()
	if !progress.OnlyHinted() || s == nil {
		return nil
	}
	labels, _ := likeliest(s, a.FirstCut())
	return a.cells.Spread(labels)
}

// WeighGuess makes scores that were imported count as much as chosen, in the name of
// the project, unless something else has happened to the image. If that happens
// meanwhile, the error is a Conflict.
func (a *Annotation) WeighGuess(ctx context.Context, c learn.Choice) error {
	if err := a.guard.MayIn(ctx, a.image.ProjectID, access.Annotate); err != nil {
		return err
	}
	a.mu.Lock()
	events, whole, s, table := a.timeline.Events(0), a.timeline.Forgotten() == 0, a.timeline.Scores(), a.table
	a.mu.Unlock()
	other := func(e segment.Event) bool { return e.Kind != segment.FirstGuess }
	if !whole || s == nil || s.Model != 0 || s.Learnt != 0 || slices.ContainsFunc(events, other) {
		return nil
	}
	weighed := inClasses(s, table)
	if weighed == nil || weightOf(s) == c {
		return nil
	}
	weighScores(weighed, c)
	_, err := a.Append(asProject(ctx), len(events), segment.Event{ID: segment.NewID(), Kind: segment.FirstGuess, Scores: weighed})
	if err == nil {
		a.changed(a.image.ID)
	}
	return err
}

// weightOf returns how much scores count.
func weightOf(s *segment.Scores) learn.Choice {
	return learn.Choice{Strength: s.Strength, Exponent: s.Exponent, Proof: s.Proof, Patience: s.Patience}
}

// weighScores makes scores count as much as chosen.
func weighScores(s *segment.Scores, c learn.Choice) {
	s.Strength, s.Exponent, s.Proof, s.Patience = c.Strength, c.Exponent, c.Proof, c.Patience
}

// asProject is the context of what a project does by itself.
func asProject(ctx context.Context) context.Context {
	return access.With(ctx, access.Principal{Name: segment.ByProject, Role: access.Annotator})
}
