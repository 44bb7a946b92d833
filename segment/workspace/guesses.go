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
		return false, w.weighImported(ctx, im)
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
	weight := w.embeddingWeight(ctx, im.ProjectID)
	if p.Unaided {
		weight = new(segment.Embedding) // which doesn't count
	}
	if err := a.WeighEmbedding(ctx, weight); err != nil {
		return false, err
	}
	if p.Unaided {
		return false, a.GiveGuess(ctx, nil)
	}
	if s := a.Scores(); s != nil && s.Model == m.Number {
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
	return scores != nil, a.GiveGuess(ctx, scores)
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
