package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"collie/segment"
	"collie/storage/row"
)

// selectEnd is selectHead with the id of the last event.
const selectEnd = `SELECT image.number, image.seq, coalesce((SELECT event.id FROM event WHERE event.image = image.number AND event.seq = image.seq), '')
	FROM image JOIN project ON project.number = image.project
	WHERE image.id = ? AND image.trashed_at IS NULL AND project.trashed_at IS NULL`

// Append stores e as number expected+1 of the image's log.
func (s *Store) Append(ctx context.Context, imageID string, expected int, e segment.Event, p segment.Progress) error {
	values := row.Event(e)
	return s.writer.write(ctx, func(w *writer) error {
		var image int64
		var present int
		var last string
		if err := w.row(selectEnd, imageID).Scan(&image, &present, &last); err != nil {
			return row.ReadError("image", err)
		}
		if present != expected {
			return row.Behind(expected, present)
		}
		if e.After != "" && e.After != last {
			return row.Replaced(present)
		}
		err := w.exec("INSERT INTO event (image, seq, "+row.EventColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", append([]any{image, expected + 1}, values...)...)
		if err != nil && refused(err) {
			return row.Repeated(e.ID, present).Because(err)
		}
		if err != nil {
			return err
		}
		return w.exec("UPDATE image SET seq = ?, clicks = ?, decided = ?, classes = ?, guessed = ?, left_void = ? WHERE number = ?",
			append(append([]any{expected + 1}, row.Progress(p)...), image)...)
	})
}

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
	return byID(ctx, s.reads, row.ScanEffort, "counting the events", `SELECT image.id, sum(event.author <> ?1 AND event.kind <> ?3), max(event.author = ?1 AND event.kind <> ?3)
		FROM event JOIN image ON image.number = event.image JOIN project ON project.number = image.project
		WHERE project.id = ?2 AND image.trashed_at IS NULL GROUP BY image.id`, segment.ByProject, projectID, string(segment.Embed))
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
