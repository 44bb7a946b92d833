package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"collie/segment"
)

// Append stores e as number expected+1 of the image's log.
func (s *Store) Append(ctx context.Context, imageID string, expected int, e segment.Event, p segment.Progress) error {
	superpixels, points, repairs := encodeSuperpixels(e.Superpixels), encodePoints(e.Points), encodeRepairs(e.Repairs)
	var rank, digest, labels, backTo any
	if e.Kind == segment.Restore {
		backTo = e.To
	}
	if e.Pick != nil {
		rank, digest, labels = e.Pick.Rank, e.Pick.Digest, e.Pick.Labels
	}
	switch e.Kind {
	case segment.Import:
		labels = e.Cells
	case segment.FirstGuess:
		labels = encodeScores(e.Scores)
	}
	return s.writer.write(ctx, func(w *writer) error {
		image, present, err := scanHead(w.row(selectHead, imageID))
		if err != nil {
			return err
		}
		if present != expected {
			return conflict(present, "The change was made for state %d of this image, which is now at %d. It was not saved; reload the state and send it again.", expected, present)
		}
		err = w.exec(`INSERT INTO event (image, seq, id, kind, superpixels, points, class, regions, rank, digest, labels, repairs, back_to, instances, author, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			image, expected+1, e.ID, string(e.Kind), superpixels, points, e.Class, e.Regions, rank, digest, labels, repairs, backTo, encodeSuperpixels(e.Instances), e.By, e.Created.UnixMilli())
		if err != nil && refused(err) {
			return conflict(present, "Another event of this image already has the id %q; every event needs its own id. Nothing was changed.", e.ID).Because(err)
		}
		if err != nil {
			return err
		}
		return w.exec("UPDATE image SET seq = ?, clicks = ?, decided = ?, classes = ?, guessed = ?, left_void = ? WHERE number = ?",
			expected+1, p.Clicks, p.Decided, encodeShares(p.Classes), p.Guessed, p.Left, image)
	})
}

func conflict(present int, format string, args ...any) *segment.Error {
	e := segment.Errorf(segment.Conflict, format, args...)
	e.Seq = present
	return e
}

// Events returns the log from number after+1 on, in order.
func (s *Store) Events(ctx context.Context, imageID string, after int) ([]segment.Event, error) {
	image, _, err := scanHead(s.reads.QueryRowContext(ctx, selectHead, imageID))
	if err != nil {
		return nil, err
	}
	return all(ctx, s.reads, scanEvent, "reading the evidence of image "+imageID, "SELECT "+eventColumns+" FROM event WHERE image = ? AND seq > ? ORDER BY seq", image, after)
}

// Efforts says what people did to each image of a project that has events.
func (s *Store) Efforts(ctx context.Context, projectID string) (map[string]segment.Effort, error) {
	if _, err := s.Project(ctx, projectID); err != nil {
		return nil, err
	}
	scan := func(row scanner, id *string, e *segment.Effort) error { return row.Scan(id, &e.Actions, &e.Guessed) }
	return byID(ctx, s.reads, scan, "counting the events", `SELECT image.id, sum(event.author <> ?1), max(event.author = ?1)
		FROM event JOIN image ON image.number = event.image JOIN project ON project.number = image.project
		WHERE project.id = ?2 AND image.trashed_at IS NULL GROUP BY image.id`, segment.ByProject, projectID)
}

// FindEvent returns the event of an image that has a client-made id, or nil.
func (s *Store) FindEvent(ctx context.Context, imageID, id string) (*segment.Event, error) {
	e, err := scanEvent(s.reads.QueryRowContext(ctx, "SELECT "+eventColumns+" FROM event WHERE image = (SELECT number FROM image WHERE id = ?) AND id = ?", imageID, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading event %s of image %s: %w", id, imageID, err)
	}
	return &e, nil
}

// eventColumns are what scanEvent reads.
const eventColumns = "id, seq, kind, superpixels, points, class, regions, rank, digest, labels, repairs, back_to, instances, author, created"

func scanEvent(row scanner) (segment.Event, error) {
	var (
		e                                               segment.Event
		superpixels, points, labels, repairs, instances []byte
		rank, backTo                                    sql.Null[int]
		digest                                          sql.Null[string]
		created                                         int64
	)
	err := row.Scan(&e.ID, &e.Seq, &e.Kind, &superpixels, &points, &e.Class, &e.Regions, &rank, &digest, &labels, &repairs, &backTo, &instances, &e.By, &created)
	if err != nil {
		return e, err
	}
	if e.Superpixels, err = decodeSuperpixels(superpixels); err != nil {
		return e, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if e.Points, err = decodePoints(points); err != nil {
		return e, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if e.Repairs, err = decodeRepairs(repairs); err != nil {
		return e, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if e.Instances, err = decodeSuperpixels(instances); err != nil {
		return e, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	e.To = backTo.V
	switch e.Kind {
	case segment.Import:
		e.Cells = labels
	case segment.FirstGuess:
		if e.Scores, err = decodeScores(labels); err != nil {
			return e, fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}
	if rank.Valid {
		e.Pick = &segment.Pick{Rank: rank.V, Digest: digest.V, Labels: labels}
	}
	e.Created = time.UnixMilli(created).UTC()
	return e, nil
}
