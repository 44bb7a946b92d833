package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"collie/segment"
	"collie/storage/row"
)

// CreateImage stores a new image's record, with an empty log.
func (s *Store) CreateImage(ctx context.Context, im segment.Image, most int) error {
	return createError("image", s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var project int64
		// Until the commit others who add to the project wait, so that they count this image.
		if err := tx.QueryRow(ctx, "SELECT number FROM project WHERE id = $1 AND trashed_at IS NULL FOR NO KEY UPDATE", im.ProjectID).Scan(&project); err != nil {
			return row.ReadError("project", err)
		}
		if err := hasRoom(ctx, tx, project, 1, most); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO image (id, project, name, format, width, height, regions, bytes, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
			im.ID, project, im.Name, im.Format, im.Width, im.Height, im.Regions, im.Bytes, im.Created.UnixMilli())
		return err
	}))
}

// hasRoom returns an error if a project, whose row is locked, would have more than most
// images with so many more, unless most is 0.
func hasRoom(ctx context.Context, tx pgx.Tx, project int64, more, most int) error {
	if most == 0 {
		return nil
	}
	var images int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM image WHERE project = $1 AND trashed_at IS NULL", project).Scan(&images); err != nil {
		return err
	}
	if images+more > most {
		return segment.NoRoom(most)
	}
	return nil
}

// live ends a query about images with their projects that are not in the trash.
const live = " AND image.trashed_at IS NULL AND project.trashed_at IS NULL "

// NoteDoubt sets the doubt in the image's record.
func (s *Store) NoteDoubt(ctx context.Context, imageID string, share *float64) error {
	return s.change(ctx, "image", "UPDATE image SET doubt = $2 FROM project WHERE project.number = image.project AND image.id = $1"+live, imageID, share)
}

// SetReview sets the reviews in the images' records.
func (s *Store) SetReview(ctx context.Context, projectID string, looked map[string]segment.Looked, r segment.Review, approved bool) error {
	imageIDs, seqs := make([]string, 0, len(looked)), make([]int, 0, len(looked))
	for id, of := range looked {
		imageIDs, seqs = append(imageIDs, id), append(seqs, of.Seq)
	}
	check := func(im segment.Image) error { return row.CheckReview(im, looked[im.ID], approved) }
	err := s.changeImages(ctx, projectID, imageIDs, check, `UPDATE image
		SET review = $3, review_comment = $4, review_by = $5, review_at = $6, review_seq = least(image.seq, seen.seq)
		FROM unnest($1::text[], $2::bigint[]) AS seen (id, seq) WHERE image.id = seen.id`,
		seqs, string(r.Status), r.Comment, r.By, r.At.UnixMilli())
	if err == nil {
		for _, id := range imageIDs {
			s.hint(segment.ImageReviewed, id)
		}
	}
	return err
}

// Assign sets the assignee in the images' records.
func (s *Store) Assign(ctx context.Context, projectID string, imageIDs []string, assignee string, replaces *string) error {
	check := func(im segment.Image) error { return row.CheckAssignee(im, replaces) }
	return s.changeImages(ctx, projectID, imageIDs, check, "UPDATE image SET assignee = $2 WHERE id = ANY($1)", assignee)
}

// changeImages changes images of a project, whose ids are the first argument of the query;
// NotFound, and nothing is changed, if it doesn't have one of them. check returns an error
// for one that can't be changed as it is; nil reads no records.
func (s *Store) changeImages(ctx context.Context, projectID string, imageIDs []string, check func(segment.Image) error, query string, more ...any) error {
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockImages(ctx, tx, projectID, imageIDs); err != nil {
			return err
		}
		if check != nil {
			if err := checkImages(ctx, tx, imageIDs, check); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, query, append([]any{imageIDs}, more...)...)
		return err
	})
}

// checkImages returns the first error that check returns for one of the images.
func checkImages(ctx context.Context, tx pgx.Tx, imageIDs []string, check func(segment.Image) error) error {
	rows, err := tx.Query(ctx, row.SelectImages+" WHERE image.id = ANY($1)", imageIDs)
	if err != nil {
		return err
	}
	defer rows.Close()
	images, err := row.List(rows, row.ScanImage)
	if err != nil {
		return err
	}
	for _, im := range images {
		if err := check(im); err != nil {
			return err
		}
	}
	return nil
}

// lockImages keeps others from changing images of a project, in an order in which two
// can't wait for each other; NotFound if it doesn't have one of them.
func lockImages(ctx context.Context, tx pgx.Tx, projectID string, imageIDs []string) error {
	locked, err := tx.Exec(ctx, `SELECT FROM image JOIN project ON project.number = image.project
		WHERE image.id = ANY($1) AND project.id = $2`+live+`ORDER BY image.number FOR UPDATE OF image`, imageIDs, projectID)
	if err != nil {
		return err
	}
	if int(locked.RowsAffected()) < len(imageIDs) {
		return row.NotFound("image")
	}
	return nil
}

// Image returns an image's record.
func (s *Store) Image(ctx context.Context, id string) (segment.Image, error) {
	return one(ctx, s, row.ScanImage, row.SelectImages+" WHERE image.id = $1"+live, id)
}

// ImagesAfter lists images of a project that follow one in order of upload.
func (s *Store) ImagesAfter(ctx context.Context, projectID, after string, limit int) ([]segment.Image, error) {
	project, err := one(ctx, s, row.Number[int64], "SELECT number FROM project WHERE id = $1 AND trashed_at IS NULL", projectID)
	if err != nil {
		return nil, row.ReadError("project", err)
	}
	from := int64(0)
	if after != "" {
		if from, err = one(ctx, s, row.Number[int64], "SELECT number FROM image WHERE id = $1 AND project = $2", after, project); err != nil {
			return nil, row.ReadError("image", err)
		}
	}
	return all(ctx, s, row.ScanImage, "listing the images", row.SelectImages+" WHERE image.project = $1 AND image.number > $2"+live+"ORDER BY image.number LIMIT $3", project, from, limit)
}

// Place says where an image is in its project.
func (s *Store) Place(ctx context.Context, imageID string) (segment.Place, error) {
	return one(ctx, s, row.ScanPlace, row.SelectPlace+"AND image.id = $1", imageID)
}

// Heads says how far images and their projects have come.
func (s *Store) Heads(ctx context.Context, imageIDs []string) (map[string]segment.Head, error) {
	return byID(ctx, s, row.ScanHead, "comparing images", row.SelectHeads+"AND image.id = ANY($1)", imageIDs)
}

// CountImages counts a project's images.
func (s *Store) CountImages(ctx context.Context, projectID string) (int, error) {
	if _, err := s.Project(ctx, projectID); err != nil {
		return 0, err
	}
	return one(ctx, s, row.Number[int], "SELECT count(*) FROM image JOIN project ON project.number = image.project WHERE project.id = $1"+live, projectID)
}
