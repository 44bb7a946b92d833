package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"collie/segment"
	"collie/storage/row"
)

// settling is how long an event is looked for whose connection broke, from when it came:
// a person waits for the answer, and an HTTP request no longer than half a minute.
const settling = 20 * time.Second

// Append stores e as number expected+1 of the image's log, and more behind it. When the
// connection breaks, it looks for e's id and sends the events again if it is not there.
func (s *Store) Append(ctx context.Context, imageID string, expected int, e segment.Event, p segment.Progress, more ...segment.Event) error {
	began, events := time.Now(), append([]segment.Event{e}, more...)
	err := s.append(ctx, imageID, expected, events, p)
	if unknown(err) {
		until, cancel := context.WithDeadline(context.WithoutCancel(ctx), began.Add(settling))
		err = s.settle(until, imageID, expected, events, p, err)
		cancel()
	}
	if err != nil {
		return trouble(err)
	}
	s.hint(segment.ImageChanged, imageID)
	if synced := s.synced.Load(); synced != nil {
		(*synced)(time.Since(began))
	}
	return nil
}

// settle finds out until ctx ends whether an event was stored whose connection broke with
// err, and sends it again if it wasn't. The first attempt may still be on its way:
// whichever comes second is refused, because the log has another length by then.
func (s *Store) settle(ctx context.Context, imageID string, expected int, events []segment.Event, p segment.Progress, err error) error {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		stored, findErr := s.FindEvent(ctx, imageID, events[0].ID)
		if findErr == nil && stored == nil {
			again := s.append(ctx, imageID, expected, events, p)
			switch {
			case ctx.Err() != nil: // says nothing about the event
				return err
			case segment.KindOf(again) == segment.Conflict: // by somebody else, unless the first attempt has arrived
				if stored, findErr = s.FindEvent(ctx, imageID, events[0].ID); findErr == nil && stored == nil {
					return again
				}
			case !broken(again):
				return again
			}
		}
		if findErr == nil && stored != nil {
			if stored.Seq != expected+1 {
				again := s.append(ctx, imageID, expected, events, p) // another event of this id, which the answer says
				if ctx.Err() != nil {
					return err
				}
				return again
			}
			// A commit whose session broke may be on no standby yet. One that comes after
			// it and is confirmed confirms both.
			if s.change(ctx, "image", "UPDATE image SET seq = seq WHERE id = $1", imageID) == nil {
				return nil
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// append is one attempt. The last event is looked up by all of its keys and not with
// EXISTS, so that no plan, made while there were few events, looks at all of an image
// or of all images.
func (s *Store) append(ctx context.Context, imageID string, expected int, events []segment.Event, p segment.Progress) error {
	first := events[0]
	query := fmt.Sprintf(`WITH head AS (
			UPDATE image SET seq = seq + %d, clicks = $3, decided = $4, classes = $5, guessed = $6, left_void = $7 FROM project
			WHERE project.number = image.project AND image.id = $1 AND image.seq = $2`+live+`
			AND ($8 = '' OR (SELECT true FROM event WHERE event.image = image.number AND event.seq = image.seq AND event.id = $8))
			RETURNING image.number)`, len(events))
	args := append(append([]any{imageID, expected}, row.Progress(p)...), first.After)
	for i, e := range events {
		insert := fmt.Sprintf("INSERT INTO event (image, seq, "+row.EventColumns+") SELECT number, $2 + %d", i+1)
		for _, value := range row.Event(e) {
			args = append(args, value)
			insert += fmt.Sprintf(", $%d", len(args))
		}
		insert += " FROM head"
		if i < len(events)-1 {
			insert = fmt.Sprintf(",\n		event%d AS (%s)", i, insert)
		}
		query += insert
	}
	return s.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		for {
			tag, err := c.Exec(ctx, query, args...)
			twice := code(err) == uniqueViolation
			if err != nil && !twice || tag.RowsAffected() == 1 {
				return err
			}
			var present int
			var last string
			if err := c.QueryRow(ctx, `SELECT seq, coalesce((SELECT id FROM event WHERE event.image = image.number AND event.seq = image.seq), '')
				FROM image JOIN project ON project.number = image.project WHERE image.id = $1`+live, imageID).Scan(&present, &last); err != nil {
				return row.ReadError("image", err)
			}
			switch { // or it got there in between
			case twice:
				return row.Repeated(first.ID, present).Because(err)
			case present != expected:
				return row.Behind(expected, present)
			case first.After != "" && first.After != last:
				return row.Replaced(present)
			}
		}
	})
}

// Events returns the log from number after+1 on, in order.
func (s *Store) Events(ctx context.Context, imageID string, after int) ([]segment.Event, error) {
	image, err := one(ctx, s, row.Number[int64], "SELECT image.number FROM image JOIN project ON project.number = image.project WHERE image.id = $1"+live, imageID)
	if err != nil {
		return nil, row.ReadError("image", err)
	}
	return all(ctx, s, row.ScanEvent, "reading the evidence of image "+imageID, "SELECT seq, "+row.EventColumns+" FROM event WHERE image = $1 AND seq > $2 ORDER BY seq", image, after)
}

// Efforts says what people did to each image of a project that has events.
func (s *Store) Efforts(ctx context.Context, projectID string) (map[string]segment.Effort, error) {
	if _, err := s.Project(ctx, projectID); err != nil {
		return nil, err
	}
	return byID(ctx, s, row.ScanEffort, "counting the events", "SELECT image.id, count(*) FILTER (WHERE "+row.ByPerson+"), bool_or("+row.Guessed+`)
		FROM event JOIN image ON image.number = event.image JOIN project ON project.number = image.project
		WHERE project.id = $1 AND image.trashed_at IS NULL GROUP BY image.id`, projectID)
}

// FindEvent returns the event of an image that has a client-made id, or nil.
func (s *Store) FindEvent(ctx context.Context, imageID, id string) (*segment.Event, error) {
	e, err := one(ctx, s, row.ScanEvent, "SELECT seq, "+row.EventColumns+" FROM event WHERE image = (SELECT number FROM image WHERE id = $1) AND id = $2", imageID, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading event %s of image %s: %w", id, imageID, err)
	}
	return &e, nil
}
