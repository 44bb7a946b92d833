package workspace

import (
	"cmp"
	"context"
	"slices"

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
func (w *Workspace) Guess(ctx context.Context, imageID string) (guessed bool, err error) {
	return w.guess(ctx, imageID, schedule.First)
}

// guess is Guess in a turn of the given class.
func (w *Workspace) guess(ctx context.Context, imageID string, class schedule.Class) (guessed bool, err error) {
	im, err := w.guard.Image(ctx, imageID, access.Read)
	if err != nil || w.MayIn(ctx, im.ProjectID, access.Annotate) != nil {
		return false, err
	}
	switch {
	case im.Status() == "started" && im.Clicks == 0 && im.Decided == 0:
		return false, w.weigh(ctx, im)
	case im.Status() != "untouched":
		return false, nil
	}
	p, err := w.store.Project(ctx, im.ProjectID)
	if err != nil {
		return false, err
	}
	m := w.model(ctx, im.ProjectID)
	switch {
	case p.Unaided && im.Seq == 0:
		return false, nil
	case m.Finished() == 0 && !p.Unaided:
		w.seek(im.ProjectID)
		return im.Guessed, nil
	}
	a, err := w.Visit(ctx, imageID)
	if err != nil {
		return false, err
	}
	defer a.Close()
	if err := w.weighEmbedding(ctx, a, p.Unaided); err != nil {
		return false, err
	}
	if p.Unaided {
		return false, a.giveGuess(ctx, nil)
	}
	if a.guessedBy() == m.Number {
		return true, nil
	}
	f, err := w.features(ctx, a)
	if err != nil {
		return im.Guessed, nil // no features to guess from
	}
	var g *engine.Guess
	if err := w.turns.of(imageID)(ctx, class, func() { g = m.Guess(f) }); err != nil {
		return false, err
	}
	var scores *segment.Scores
	if g != nil {
		scores = &segment.Scores{
			Classes: g.Classes, Regions: f.N, Reserve: g.Reserve, Strength: g.Strength, Exponent: g.Exponent, Proof: g.Proof, Patience: g.Patience,
			Model: m.Number, Learnt: m.Finished(),
		}
		for _, v := range g.Shares {
			scores.Shares = append(scores.Shares, uint8(v*255+0.5))
		}
	}
	return scores != nil, a.giveGuess(ctx, scores)
}

// importWeight is how much imported scores count in a project, learn.Off where
// too little is known.
func (w *Workspace) importWeight(ctx context.Context, projectID string) learn.Choice {
	p, err := w.store.Project(ctx, projectID)
	m := w.model(ctx, projectID)
	if err != nil || p.Unaided || m == nil {
		return learn.Off
	}
	return m.Imported
}

// weigh gives scores that were imported the strength that the project has since
// chosen for them, unless something else has happened to the image.
func (w *Workspace) weigh(ctx context.Context, im segment.Image) error {
	c := w.importWeight(ctx, im.ProjectID)
	if c == learn.Off {
		return nil
	}
	a, err := w.Visit(ctx, im.ID)
	if err != nil {
		return err
	}
	defer a.Close()
	a.mu.Lock()
	events, whole, s, table := a.timeline.Events(0), a.timeline.Forgotten() == 0, a.timeline.Scores(), a.table
	a.mu.Unlock()
	other := func(e segment.Event) bool { return e.Kind != segment.FirstGuess }
	if !whole || s == nil || s.Model != 0 || s.Learnt != 0 || slices.ContainsFunc(events, other) {
		return nil
	}
	weighed := present(s, table)
	if weighed == nil || (learn.Choice{Strength: s.Strength, Exponent: s.Exponent, Proof: s.Proof, Patience: s.Patience}) == c {
		return nil
	}
	weighScores(weighed, c)
	_, err = a.Append(asProject(ctx), len(events), segment.Event{ID: segment.NewID(), Kind: segment.FirstGuess, Scores: weighed})
	if err == nil {
		a.broadcast(a.image.ID)
	}
	return err
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

// Prelabelled is the progress of guessing a project's untouched images.
type Prelabelled struct {
	Total, Done int
	Running     bool
}

// Learning describes a project's model and what it is used for.
type Learning struct {
	On       bool // the project makes guesses
	Finished int  // images
	Model    int  // number of the current model; 0 without one
	Learnt   int  // finished images when it was trained
	Guessing bool // the model's guesses are expected to save work
	Training bool
	Fewest   int // finished images needed for guesses

	Prelabelled Prelabelled
	// Images are the untouched ones, least expected work first; those without a
	// guess come last.
	Images []segment.Image
	// Done are the finished ones in the order in which the model learnt from
	// them, then the others.
	Done    []segment.Image
	Efforts map[string]segment.Effort // by image
}

// Learning returns the state of a project's learning.
func (w *Workspace) Learning(ctx context.Context, projectID string) (Learning, error) {
	if err := w.MayIn(ctx, projectID, access.Read); err != nil {
		return Learning{}, err
	}
	p, err := w.store.Project(ctx, projectID)
	if err != nil {
		return Learning{}, err
	}
	m := w.model(ctx, projectID)
	out := Learning{On: !p.Unaided, Learnt: m.Finished(), Fewest: learn.FewestExamples}
	w.learning.report(projectID, &out) // before the images, so that these are at least as new
	images, err := w.Images(ctx, projectID)
	if err != nil {
		return Learning{}, err
	}
	if out.Efforts, err = w.store.Efforts(ctx, projectID); err != nil {
		return Learning{}, err
	}
	if m != nil {
		out.Model, out.Guessing = m.Number, m.Guesses()
	}
	for _, im := range images {
		switch im.Status() {
		case "done":
			out.Done = append(out.Done, im)
		case "untouched":
			out.Images = append(out.Images, im)
		}
	}
	out.Finished = len(out.Done)
	sortByModel(out.Done, m)
	work := func(im segment.Image) float64 {
		if !im.Guessed || im.Doubt == nil {
			return 2
		}
		return *im.Doubt
	}
	slices.SortStableFunc(out.Images, func(a, b segment.Image) int { return cmp.Compare(work(a), work(b)) })
	return out, nil
}

// report fills in what is running.
func (l *learning) report(projectID string, out *Learning) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, out.Training = l.busy[projectID]
	if listed := l.listed[projectID]; listed != nil {
		out.Prelabelled = *listed
	}
}

// Prelabel starts to guess all untouched images of a project, in the
// background. A running one continues.
func (w *Workspace) Prelabel(ctx context.Context, projectID string) error {
	if err := w.MayIn(ctx, projectID, access.Annotate); err != nil {
		return err
	}
	images, err := w.imagesThat(ctx, projectID, func(im *segment.Image) bool { return im.Status() == "untouched" })
	if err != nil {
		return err
	}
	w.guessAll(projectID, images)
	return nil
}

// retractGuesses starts to take back the guesses that nobody has worked on in a
// project that is set to guess nothing; what it leaves goes when it is opened.
func (w *Workspace) retractGuesses(ctx context.Context, projectID string) {
	if images, err := w.imagesThat(ctx, projectID, func(im *segment.Image) bool { return im.Guessed }); err == nil {
		w.guessAll(projectID, images)
	}
}

// guessAll starts to bring the guesses of images up to date, unless that is under
// way.
func (w *Workspace) guessAll(projectID string, images []segment.Image) {
	l := &w.learning
	l.mu.Lock()
	defer l.mu.Unlock()
	if listed := l.listed[projectID]; listed != nil && listed.Running {
		return
	}
	listed := &Prelabelled{Total: len(images), Running: true}
	started := l.launch(func(ctx context.Context) {
		for _, im := range images {
			w.survive(func() { _, _ = w.guess(ctx, im.ID, schedule.Later) }) // an image that fails has no guess
			l.mu.Lock()
			listed.Done++
			l.mu.Unlock()
			if ctx.Err() != nil {
				break
			}
		}
		l.mu.Lock()
		listed.Running = false
		l.mu.Unlock()
	})
	if started {
		l.listed[projectID] = listed
	}
}
