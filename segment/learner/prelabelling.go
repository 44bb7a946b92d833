package learner

import (
	"context"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/gauge"
	"collie/segment/schedule"
)

// Prelabel starts to guess all untouched images of a project, in the
// background. A running one continues.
func (l *Learner) Prelabel(ctx context.Context, projectID string) error {
	if err := l.guard.MayIn(ctx, projectID, access.Annotate); err != nil {
		return err
	}
	images, err := l.imagesThat(ctx, projectID, func(im *segment.Image) bool { return im.Status() == segment.StatusUntouched })
	if err != nil {
		return err
	}
	l.guessAll(projectID, images)
	return nil
}

// Retract starts to take back the guesses that nobody has worked on in a project
// that is set to guess nothing; what it leaves goes when it is opened.
func (l *Learner) Retract(ctx context.Context, projectID string) error {
	if err := l.guard.MayIn(ctx, projectID, access.Manage); err != nil {
		return err
	}
	images, err := l.imagesThat(ctx, projectID, func(im *segment.Image) bool { return im.Guessed })
	if err != nil {
		return err
	}
	l.guessAll(projectID, images)
	return nil
}

// guessAll starts to bring the guesses of images up to date, unless that is under
// way.
func (l *Learner) guessAll(projectID string, images []segment.Image) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if listed := l.listed[projectID]; listed != nil && listed.Running {
		return
	}
	listed := &Prelabelled{Total: len(images), Running: true}
	started := l.launch(func(ctx context.Context) {
		for _, im := range images {
			// One that fails, even by a panic, has no guess.
			l.background.Do(gauge.Panicked, im.ID, func() { _, _ = l.guess(ctx, im.ID, schedule.Later) })
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
