package learner

import (
	"cmp"
	"context"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/learn"
)

// Prelabelled is the progress of guessing a project's untouched images.
type Prelabelled struct {
	Total, Done int
	Running     bool

	left    []segment.Image
	now     segment.Image // that has its turn, or had it last
	retract bool          // guesses are taken back
}

// Learning describes a project's model and what it is used for.
type Learning struct {
	On       bool    // the project makes guesses
	Finished int     // images
	Model    int     // number of the current model; 0 without one that can be used
	Learnt   int     // finished images when it was trained
	Guessing bool    // the model's guesses are expected to save work
	Saved    float64 // share of the actions that they are expected to save
	Related  bool    // the model has affinities of its own
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

// Learning returns the state of a project's learning. A project that has enough finished
// images but no model starts to learn.
func (l *Learner) Learning(ctx context.Context, projectID string) (Learning, error) {
	if err := l.guard.MayIn(ctx, projectID, access.Read); err != nil {
		return Learning{}, err
	}
	p, err := l.store.Project(ctx, projectID)
	if err != nil {
		return Learning{}, err
	}
	m, unread := l.readModel(ctx, projectID)
	out := Learning{On: !p.Unaided, Learnt: m.Finished(), Fewest: learn.FewestExamples}
	l.report(projectID, &out) // before the images, so that these are at least as new
	images, err := l.imagesThat(ctx, projectID, func(im *segment.Image) bool { return im.Status() != segment.StatusStarted })
	if err != nil {
		return Learning{}, err
	}
	if out.Efforts, err = l.store.Efforts(ctx, projectID); err != nil {
		return Learning{}, err
	}
	if m.Finished() > 0 { // of models of older versions only the number is known
		out.Model, out.Guessing, out.Saved, out.Related = m.Number, m.Guesses(), m.Saved, m.Affinities != nil
	}
	for _, im := range images {
		switch im.Status() {
		case segment.StatusDone:
			out.Done = append(out.Done, im)
		case segment.StatusUntouched:
			out.Images = append(out.Images, im)
		}
	}
	out.Finished = len(out.Done)
	if out.On && !out.Training && unread == nil && m.Finished() == 0 && out.Finished >= out.Fewest {
		out.Training = l.seek(projectID, m)
	}
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
func (l *Learner) report(projectID string, out *Learning) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, out.Training = l.busy[projectID]
	if listed := l.listed[projectID]; listed != nil {
		out.Prelabelled = *listed
	}
}
