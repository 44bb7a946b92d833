package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"collie/segment"
	"collie/storage/row"
)

// CreateImage stores a new image's record, with an empty log.
func (s *Store) CreateImage(ctx context.Context, im segment.Image, most int) error {
	return s.writer.write(ctx, func(w *writer) error {
		var project int64
		if err := w.row("SELECT number FROM project WHERE id = ? AND trashed_at IS NULL", im.ProjectID).Scan(&project); err != nil {
			return row.ReadError("project", err)
		}
		if err := w.hasRoom(project, 1, most); err != nil {
			return err
		}
		return createError("image", w.exec(`INSERT INTO image (id, project, name, format, width, height, regions, bytes, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			im.ID, project, im.Name, im.Format, im.Width, im.Height, im.Regions, im.Bytes, im.Created.UnixMilli()))
	})
}

// countImages counts the images of a project, by its number.
const countImages = "SELECT count(*) FROM image WHERE project = ? AND trashed_at IS NULL"

// hasRoom returns an error if a project would have more than most images with so many
// more, unless most is 0.
func (w *writer) hasRoom(project int64, more, most int) error {
	if most == 0 {
		return nil
	}
	var images int
	if err := w.row(countImages, project).Scan(&images); err != nil {
		return err
	}
	if images+more > most {
		return segment.NoRoom(most)
	}
	return nil
}

const selectHead = `SELECT image.number, seq FROM image JOIN project ON project.number = image.project
	WHERE image.id = ? AND image.trashed_at IS NULL AND project.trashed_at IS NULL`

// scanHead reads the number of an image and how many events it has.
func scanHead(r row.Scanner) (number int64, seq int, err error) {
	if err := r.Scan(&number, &seq); err != nil {
		return 0, 0, row.ReadError("image", err)
	}
	return number, seq, nil
}

// NoteDoubt sets the doubt in the image's record.
func (s *Store) NoteDoubt(ctx context.Context, imageID string, share *float64) error {
	return s.writer.write(ctx, func(w *writer) error {
		image, _, err := scanHead(w.row(selectHead, imageID))
		if err != nil {
			return err
		}
		return w.exec("UPDATE image SET doubt = ? WHERE number = ?", share, image)
	})
}

// SetReview sets the reviews in the images' records.
func (s *Store) SetReview(ctx context.Context, projectID string, looked map[string]segment.Looked, r segment.Review, approved bool) error {
	check := func(im segment.Image) error { return row.CheckReview(im, looked[im.ID], approved) }
	return s.changeImages(ctx, projectID, slices.Collect(maps.Keys(looked)), check, func(w *writer, id string) error {
		return w.exec("UPDATE image SET review = ?, review_comment = ?, review_by = ?, review_at = ?, review_seq = min(seq, ?) WHERE id = ?",
			string(r.Status), r.Comment, r.By, r.At.UnixMilli(), looked[id].Seq, id)
	})
}

// Assign sets the assignee in the images' records.
func (s *Store) Assign(ctx context.Context, projectID string, imageIDs []string, assignee string, replaces *string) error {
	check := func(im segment.Image) error { return row.CheckAssignee(im, replaces) }
	return s.changeImages(ctx, projectID, imageIDs, check, func(w *writer, id string) error {
		return w.exec("UPDATE image SET assignee = ? WHERE id = ?", assignee, id)
	})
}

// changeImages changes images of a project, all or, after an error, none; NotFound if
// it doesn't have one of them. check returns an error for one that can't be changed as it
// is; nil reads no records.
func (s *Store) changeImages(ctx context.Context, projectID string, imageIDs []string, check func(segment.Image) error, change func(w *writer, id string) error) error {
	return s.writer.write(ctx, func(w *writer) error {
		for _, id := range imageIDs {
			if err := w.checkImage(projectID, id, check); err != nil {
				return err
			}
			if err := change(w, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkImage is the check of changeImages for one image.
func (w *writer) checkImage(projectID, id string, check func(segment.Image) error) error {
	if check == nil {
		_, _, err := scanHead(w.row(selectHead+" AND project.id = ?", id, projectID))
		return err
	}
	im, err := row.ScanImage(w.row(selectImage+"AND image.id = ? AND project.id = ?", id, projectID))
	if err != nil {
		return err
	}
	return check(im)
}

const selectImage = row.SelectImages + ` WHERE image.trashed_at IS NULL AND project.trashed_at IS NULL `

// Image returns an image's record.
func (s *Store) Image(ctx context.Context, id string) (segment.Image, error) {
	return row.ScanImage(s.reads.row(ctx, selectImage+"AND image.id = ?", id))
}

// ImagesAfter lists images of a project that follow one in order of upload.
func (s *Store) ImagesAfter(ctx context.Context, projectID, after string, limit int) ([]segment.Image, error) {
	var project, from int64
	if err := s.reads.row(ctx, "SELECT number FROM project WHERE id = ? AND trashed_at IS NULL", projectID).Scan(&project); err != nil {
		return nil, row.ReadError("project", err)
	}
	if after != "" {
		if err := s.reads.row(ctx, "SELECT number FROM image WHERE id = ? AND project = ?", after, project).Scan(&from); err != nil {
			return nil, row.ReadError("image", err)
		}
	}
	return all(ctx, s.reads, row.ScanImage, "listing the images", selectImage+"AND image.project = ? AND image.number > ? ORDER BY image.number LIMIT ?", project, from, limit)
}

// Place says where an image is in its project.
func (s *Store) Place(ctx context.Context, imageID string) (segment.Place, error) {
	return row.ScanPlace(s.reads.row(ctx, row.SelectPlace+"AND image.id = ?", imageID))
}

// Heads says how far images and their projects have come.
func (s *Store) Heads(ctx context.Context, imageIDs []string) (map[string]segment.Head, error) {
	ids, err := json.Marshal(imageIDs)
	if err != nil {
		return nil, err
	}
	return byID(ctx, s.reads, row.ScanHead, "comparing images", row.SelectHeads+"AND image.id IN (SELECT value FROM json_each(?))", string(ids))
}

// CountImages counts a project's images.
func (s *Store) CountImages(ctx context.Context, projectID string) (n int, err error) {
	if _, err := s.Project(ctx, projectID); err != nil {
		return 0, err
	}
	err = s.reads.row(ctx, `SELECT count(*) FROM image JOIN project ON project.number = image.project
		WHERE image.trashed_at IS NULL AND project.trashed_at IS NULL AND project.id = ?`, projectID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting the images: %w", err)
	}
	return n, nil
}
