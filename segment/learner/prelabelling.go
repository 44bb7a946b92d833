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
	l.guessAll(projectID, images, false)
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
	l.guessAll(projectID, images, true)
	return nil
}

// guessAll starts to bring the guesses of images up to date, to take them back or not.
// It takes the place of what is under way for the other purpose.
func (l *Learner) guessAll(projectID string, images []segment.Image, retract bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if listed := l.listed[projectID]; listed != nil && listed.Running {
		if listed.retract != retract {
			if listed.now.ID != "" {
				images = append(images, listed.now) // its guess may have come after they were listed
			}
			*listed = Prelabelled{Total: len(images), Running: true, left: images, now: listed.now, retract: retract}
		}
		return
	}
	listed := &Prelabelled{Total: len(images), Running: true, left: images, retract: retract}
	started := l.launch(func(ctx context.Context) {
		for im, ok := l.next(ctx, listed); ok; im, ok = l.next(ctx, listed) {
			// One that fails, even by a panic, has no guess.
			l.background.Do(gauge.Panicked, im.ID, func() { _, _ = l.guess(ctx, im.ID, schedule.Later) })
		}
	})
	if started {
		l.listed[projectID] = listed
	}
}

// next returns the next image, false after the last.
func (l *Learner) next(ctx context.Context, listed *Prelabelled) (im segment.Image, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	listed.Done = listed.Total - len(listed.left)
	if listed.Running = len(listed.left) > 0 && ctx.Err() == nil; listed.Running {
		listed.now, listed.left = listed.left[0], listed.left[1:]
	}
	return listed.now, listed.Running
}
