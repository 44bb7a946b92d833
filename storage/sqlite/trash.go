package sqlite

import (
	"context"
	"fmt"
	"iter"
	"time"

	"collie/segment"
	"collie/segment/audit"
	"collie/storage/row"
)

// TrashProject hides a project and its images.
func (s *Store) TrashProject(ctx context.Context, id string) error {
	now := time.Now().UnixMilli()
	return s.writer.write(ctx, func(w *writer) error {
		return w.changeOne("project", "UPDATE project SET trashed_at = ? WHERE id = ? AND trashed_at IS NULL", now, id)
	})
}

// RemoveEmpty deletes a project that has no image.
func (s *Store) RemoveEmpty(ctx context.Context, id string) error {
	const empty = "trashed_at IS NULL AND NOT EXISTS (SELECT 1 FROM image WHERE image.project = project.number)"
	return s.writer.write(ctx, func(w *writer) error {
		return w.changeOne("project", "DELETE FROM project WHERE id = ? AND "+empty, id)
	})
}

// TrashImages hides images.
func (s *Store) TrashImages(ctx context.Context, projectID string, imageIDs []string) error {
	now := time.Now().UnixMilli()
	return s.changeImages(ctx, projectID, imageIDs, nil, func(w *writer, id string) error {
		return w.exec("UPDATE image SET trashed_at = ? WHERE id = ?", now, id)
	})
}

// Trash lists what can be restored, latest first.
func (s *Store) Trash(ctx context.Context) ([]segment.TrashItem, error) {
	return all(ctx, s.reads, row.ScanTrash, "listing the trash", row.SelectTrash+" ORDER BY trashed_at DESC, kind DESC, name")
}

// Trashed returns what can be restored under an id.
func (s *Store) Trashed(ctx context.Context, id string) (segment.TrashItem, error) {
	return row.ScanTrash(s.reads.row(ctx, selectTrashed, id))
}

const selectTrashed = "SELECT * FROM (" + row.SelectTrash + ") WHERE id = ?"

// Restore takes a project or an image out of the trash.
func (s *Store) Restore(ctx context.Context, id string, most int) (segment.TrashItem, error) {
	var item segment.TrashItem
	err := s.writer.write(ctx, func(w *writer) (err error) {
		if item, err = row.ScanTrash(w.row(selectTrashed, id)); err != nil {
			return err
		}
		if item.Kind == segment.TrashedProject {
			return w.exec("UPDATE project SET trashed_at = NULL WHERE id = ?", id)
		}
		return w.restoreImages(item.ProjectID, []string{id}, most)
	})
	return item, err
}

// RestoreImages takes images of a project out of the trash.
func (s *Store) RestoreImages(ctx context.Context, projectID string, imageIDs []string, most int) error {
	return s.writer.write(ctx, func(w *writer) error { return w.restoreImages(projectID, imageIDs, most) })
}

func (w *writer) restoreImages(projectID string, imageIDs []string, most int) error {
	var hidden bool
	var project int64
	var name string
	if err := w.row("SELECT trashed_at IS NOT NULL, number, name FROM project WHERE id = ?", projectID).Scan(&hidden, &project, &name); err != nil {
		return row.ReadError("project", err)
	}
	if hidden {
		return row.HiddenProject(name)
	}
	if err := w.hasRoom(project, len(imageIDs), most); err != nil {
		return err
	}
	for _, id := range imageIDs {
		if err := w.changeOne("image", "UPDATE image SET trashed_at = NULL WHERE id = ? AND project = ? AND trashed_at IS NOT NULL", id, project); err != nil {
			return err
		}
	}
	return nil
}

// Erase deletes for good what went to the trash before the given time and
// returns it, also with an error; see [segment.TrashStore].
func (s *Store) Erase(ctx context.Context, before time.Time, entry func([]segment.Erased) audit.Entry) ([]segment.Erased, error) {
	const expired = "(image.trashed_at < ?1 OR (SELECT trashed_at FROM project WHERE number = image.project) < ?1)"
	limit := before.UnixMilli()
	images, err := all(ctx, s.reads, row.ScanErased, "listing what to erase", "SELECT 'image', id, name FROM image WHERE "+expired, limit)
	if err != nil {
		return nil, err
	}
	gone, err := row.EraseEach(ctx, images, entry, func(ctx context.Context, im segment.Erased) error {
		return s.writer.write(ctx, func(w *writer) error {
			var image int64
			err := w.row("SELECT number FROM image WHERE id = ?2 AND "+expired, limit, im.ID).Scan(&image)
			if err != nil {
				return row.ReadError("image", err)
			}
			if err := w.exec("DELETE FROM event WHERE image = ?", image); err != nil {
				return err
			}
			return w.exec("DELETE FROM image WHERE number = ?", image)
		})
	})
	if err != nil {
		return gone, err
	}
	const empty = "trashed_at < ?1 AND NOT EXISTS (SELECT 1 FROM image WHERE image.project = project.number)"
	projects, err := all(ctx, s.reads, row.ScanErased, "listing what to erase", "SELECT 'project', id, name FROM project WHERE "+empty+" ORDER BY number", limit)
	if err != nil {
		return gone, err
	}
	more, err := row.EraseEach(ctx, projects, entry, func(ctx context.Context, p segment.Erased) error {
		return s.writer.write(ctx, func(w *writer) error {
			return w.changeOne("project", "DELETE FROM project WHERE id = ?2 AND "+empty, limit, p.ID)
		})
	})
	return append(gone, more...), err
}

// EveryImage goes through the records of all images, including those in the
// trash, in order of upload. It holds no connection while others use a record.
func (s *Store) EveryImage(ctx context.Context) iter.Seq2[segment.Image, error] {
	return func(yield func(segment.Image, error) bool) {
		for from, to := int64(0), int64(0); ; from = to {
			images, err := s.someImages(ctx, from, &to)
			if err != nil {
				yield(segment.Image{}, err)
				return
			}
			for _, im := range images {
				if !yield(im.Content()) {
					return
				}
			}
			if to == from {
				return
			}
		}
	}
}

// someImages returns the records of the next images after a number, and sets to to
// the number of the last.
func (s *Store) someImages(ctx context.Context, from int64, to *int64) ([]row.Record[segment.Image], error) {
	err := s.reads.row(ctx, "SELECT ifnull(max(number), ?1) FROM (SELECT number FROM image WHERE number > ?1 ORDER BY number LIMIT 500)", from).Scan(to)
	if err != nil {
		return nil, fmt.Errorf("listing the images: %w", err)
	}
	return all(ctx, s.reads, row.Damageable(row.ScanImage), "listing the images", row.SelectImages+" WHERE image.number > ? AND image.number <= ? ORDER BY image.number", from, *to)
}
