package workspace

import (
	"context"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/schedule"
)

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
