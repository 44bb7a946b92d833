package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"collie/segment"
	"collie/storage/disk"
	"collie/storage/row"
)

// Append stores e as number expected+1 of the image's log, and more behind it. Large
// events are Full when they would use the disk's reserve.
func (s *Store) Append(ctx context.Context, imageID string, expected int, e segment.Event, p segment.Progress, more ...segment.Event) error {
	head := append(append([]any{expected + 1 + len(more)}, row.Progress(p)...), imageID, expected, e.After)
	events := append([]segment.Event{e}, more...)
	if slices.ContainsFunc(events, large) {
		if err := disk.Spare(filepath.Dir(s.path)); err != nil {
			return err
		}
	}
	var values [][]any
	for i, e := range events {
		values = append(values, append([]any{imageID, expected + 1 + i}, row.Event(e)...))
	}
	return s.writer.write(ctx, func(w *writer) error {
		images, err := w.change(advanceHead, head...)
		if err != nil {
			return err
		}
		if images == 0 {
			_, present, err := scanHead(w.row(selectHead, imageID))
			switch {
			case err != nil:
				return err
			case present != expected:
				return row.Behind(expected, present)
			}
			return row.Replaced(present)
		}
		for i, e := range events {
			err := w.exec("INSERT INTO event (image, seq, "+row.EventColumns+") VALUES ((SELECT number FROM image WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values[i]...)
			if err != nil && refused(err) {
				return row.Repeated(e.ID, expected).Because(err)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// large reports whether an event is no edit but comes from a file, and can take
// megabytes. Scores of superpixels are those of a model or a copied labelling.
func large(e segment.Event) bool {
	return e.Kind == segment.Import || e.Embedding != nil || e.Scores != nil && e.Scores.Regions == 0
}

// advanceHead notes events in the record of an image that is in the state the
// first was made for.
const advanceHead = `UPDATE image SET seq = ?1, clicks = ?2, decided = ?3, classes = ?4, guessed = ?5, left_void = ?6
	WHERE id = ?7 AND seq = ?8 AND trashed_at IS NULL
	AND EXISTS (SELECT 1 FROM project WHERE number = image.project AND trashed_at IS NULL)
	AND (?9 = '' OR ?9 = (SELECT id FROM event WHERE event.image = image.number AND event.seq = image.seq))`

// Events returns the log from number after+1 on, in order.
func (s *Store) Events(ctx context.Context, imageID string, after int) ([]segment.Event, error) {
	image, _, err := scanHead(s.reads.row(ctx, selectHead, imageID))
	if err != nil {
		return nil, err
	}
	return all(ctx, s.reads, row.ScanEvent, "reading the evidence of image "+imageID, "SELECT seq, "+row.EventColumns+" FROM event WHERE image = ? AND seq > ? ORDER BY seq", image, after)
}

// Efforts says what people did to each image of a project that has events.
func (s *Store) Efforts(ctx context.Context, projectID string) (map[string]segment.Effort, error) {
	if _, err := s.Project(ctx, projectID); err != nil {
		return nil, err
	}
	return byID(ctx, s.reads, row.ScanEffort, "counting the events", "SELECT image.id, sum("+row.ByPerson+"), max("+row.Guessed+`)
		FROM event JOIN image ON image.number = event.image JOIN project ON project.number = image.project
		WHERE project.id = ? AND image.trashed_at IS NULL GROUP BY image.id`, projectID)
}

// FindEvent returns the event of an image that has a client-made id, or nil.
func (s *Store) FindEvent(ctx context.Context, imageID, id string) (*segment.Event, error) {
	e, err := row.ScanEvent(s.reads.row(ctx, "SELECT seq, "+row.EventColumns+" FROM event WHERE image = (SELECT number FROM image WHERE id = ?) AND id = ?", imageID, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading event %s of image %s: %w", id, imageID, err)
	}
	return &e, nil
}
