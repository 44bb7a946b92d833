package postgres

import (
	"context"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"collie/segment"
	"collie/segment/audit"
	"collie/storage/row"
)

// TrashProject hides a project and its images.
func (s *Store) TrashProject(ctx context.Context, id string) error {
	err := s.change(ctx, "project", "UPDATE project SET trashed_at = "+now+" WHERE id = $1 AND trashed_at IS NULL", id)
	if err == nil {
		s.hint(segment.ImageChanged, "")
	}
	return err
}

// RemoveEmpty deletes a project that has no image.
func (s *Store) RemoveEmpty(ctx context.Context, id string) error {
	const empty = "trashed_at IS NULL AND NOT EXISTS (SELECT FROM image WHERE image.project = project.number)"
	return s.change(ctx, "project", "DELETE FROM project WHERE id = $1 AND "+empty, id)
}

// TrashImages hides images.
func (s *Store) TrashImages(ctx context.Context, projectID string, imageIDs []string) error {
	err := s.changeImages(ctx, projectID, imageIDs, nil, "UPDATE image SET trashed_at = "+now+" WHERE id = ANY($1)")
	if err == nil {
		for _, id := range imageIDs {
			s.hint(segment.ImageChanged, id)
		}
	}
	return err
}

// Trash lists what can be restored, latest first.
func (s *Store) Trash(ctx context.Context) ([]segment.TrashItem, error) {
	return all(ctx, s, row.ScanTrash, "listing the trash", "SELECT * FROM ("+row.SelectTrash+") AS item ORDER BY trashed_at DESC, kind DESC, name")
}

// Trashed returns what can be restored under an id.
func (s *Store) Trashed(ctx context.Context, id string) (segment.TrashItem, error) {
	return one(ctx, s, row.ScanTrash, selectTrashed, id)
}

const selectTrashed = "SELECT * FROM (" + row.SelectTrash + ") AS item WHERE id = $1"

// Restore takes a project or an image out of the trash.
func (s *Store) Restore(ctx context.Context, id string, most int) (item segment.TrashItem, err error) {
	err = s.write(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		if item, err = row.ScanTrash(tx.QueryRow(ctx, selectTrashed, id)); err != nil {
			return err
		}
		if item.Kind == segment.TrashedImage {
			return restoreImages(ctx, tx, item.ProjectID, []string{id}, most)
		}
		tag, err := tx.Exec(ctx, "UPDATE project SET trashed_at = NULL WHERE id = $1", id)
		if err == nil && tag.RowsAffected() == 0 { // erased meanwhile
			return row.NotFound("project")
		}
		return err
	})
	return item, err
}

// RestoreImages takes images of a project out of the trash.
func (s *Store) RestoreImages(ctx context.Context, projectID string, imageIDs []string, most int) error {
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error { return restoreImages(ctx, tx, projectID, imageIDs, most) })
}

func restoreImages(ctx context.Context, tx pgx.Tx, projectID string, imageIDs []string, most int) error {
	var hidden bool
	var project int64
	var name string
	if err := tx.QueryRow(ctx, "SELECT trashed_at IS NOT NULL, number, name FROM project WHERE id = $1 FOR UPDATE", projectID).Scan(&hidden, &project, &name); err != nil {
		return row.ReadError("project", err)
	}
	if hidden {
		return row.HiddenProject(name)
	}
	if err := hasRoom(ctx, tx, project, len(imageIDs), most); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, "UPDATE image SET trashed_at = NULL WHERE id = ANY($1) AND project = $2 AND trashed_at IS NOT NULL", imageIDs, project)
	if err == nil && int(tag.RowsAffected()) < len(imageIDs) { // erased meanwhile, for example
		return row.NotFound("image")
	}
	return err
}

// Erase deletes for good what went to the trash before the given time and
// returns it, also with an error; see [segment.TrashStore].
func (s *Store) Erase(ctx context.Context, before time.Time, entry func([]segment.Erased) audit.Entry) ([]segment.Erased, error) {
	const expired = "project.number = image.project AND (image.trashed_at < $1 OR project.trashed_at < $1)"
	limit := before.UnixMilli()
	images, err := all(ctx, s, row.ScanErased, "listing what to erase", "SELECT 'image', image.id, image.name FROM image, project WHERE "+expired+" ORDER BY image.number", limit)
	if err != nil {
		return nil, err
	}
	gone, err := row.EraseEach(ctx, images, entry, func(ctx context.Context, im segment.Erased) error {
		err := s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			var image int64
			err := tx.QueryRow(ctx, "SELECT image.number FROM image, project WHERE image.id = $2 AND "+expired+" FOR UPDATE", limit, im.ID).Scan(&image)
			if err != nil {
				return row.ReadError("image", err)
			}
			if _, err := tx.Exec(ctx, "DELETE FROM event WHERE image = $1", image); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, "DELETE FROM image WHERE number = $1", image)
			return err
		})
		if err == nil {
			s.hint(segment.ImageErased, im.ID)
		}
		return err
	})
	if err != nil {
		return gone, err
	}
	const empty = "trashed_at < $1 AND NOT EXISTS (SELECT FROM image WHERE image.project = project.number)"
	projects, err := all(ctx, s, row.ScanErased, "listing what to erase", "SELECT 'project', id, name FROM project WHERE "+empty+" ORDER BY number", limit)
	if err != nil {
		return gone, err
	}
	more, err := row.EraseEach(ctx, projects, entry, func(ctx context.Context, p segment.Erased) error {
		return s.change(ctx, "project", "DELETE FROM project WHERE id = $2 AND "+empty, limit, p.ID)
	})
	return append(gone, more...), err
}

// EveryImage goes through the records of all images, including those in the
// trash, in order of upload. It holds no connection while others use a record.
func (s *Store) EveryImage(ctx context.Context) iter.Seq2[segment.Image, error] {
	return func(yield func(segment.Image, error) bool) {
		for from := int64(0); ; {
			to, err := one(ctx, s, row.Number[int64], "SELECT coalesce(max(number), $1) FROM (SELECT number FROM image WHERE number > $1 ORDER BY number LIMIT 500) AS next", from)
			if err != nil || to == from {
				if err != nil {
					yield(segment.Image{}, err)
				}
				return
			}
			images, err := all(ctx, s, row.Damageable(row.ScanImage), "listing the images", row.SelectImages+" WHERE image.number > $1 AND image.number <= $2 ORDER BY image.number", from, to)
			if err != nil {
				yield(segment.Image{}, err)
				return
			}
			for _, im := range images {
				if !yield(im.Content()) {
					return
				}
			}
			from = to
		}
	}
}
