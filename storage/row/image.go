package row

import (
	"cmp"
	"context"
	"fmt"

	"collie/segment"
	"collie/segment/audit"
)

// SelectImages begins a query whose rows ScanImage reads.
const SelectImages = `SELECT image.id, project.id, image.name, format, width, height, regions, bytes, image.created, seq, clicks, decided, image.classes, doubt, guessed, left_void,
	review, review_comment, review_by, review_at, review_seq, assignee
	FROM image JOIN project ON project.number = image.project`

// ScanImage reads an image's record. Of one that is Damaged it returns what is sure.
func ScanImage(row Scanner) (segment.Image, error) {
	var im segment.Image
	var created int64
	var classes []byte
	var reviewed int64
	var work int
	if err := row.Scan(&im.ID, &im.ProjectID, &im.Name, &im.Format, &im.Width, &im.Height, &im.Regions, &im.Bytes,
		&created, &im.Seq, &im.Clicks, &im.Decided, &classes, &im.Doubt, &work, &im.Left,
		&im.Review.Status, &im.Review.Comment, &im.Review.By, &reviewed, &im.Review.Seq, &im.Assignee); err != nil {
		return segment.Image{}, ReadError("image", err)
	}
	im.Untouched, im.Guessed, im.Hinted = decodeWork(work, im.Seq)
	var err error
	if im.Classes, err = decodeShares(classes); err != nil {
		return im, damaged("image", im.ID, im.Name, fmt.Errorf("classes: %w", err))
	}
	im.Created = Moment(created)
	if reviewed != 0 {
		im.Review.At = Moment(reviewed)
	}
	return im, nil
}

// CheckReview returns an error if a review can't replace that of an image: what was
// looked at is another one, or an approval, and approved doesn't say that it may.
func CheckReview(im segment.Image, looked segment.Looked, approved bool) error {
	if !looked.Saw(im.Review) {
		return segment.Errorf(segment.Conflict, "The status of %q has changed in the meantime. Nothing was changed.", im.Name)
	}
	if im.Review.Status == segment.Approved && !approved {
		return segment.Errorf(segment.Conflict, "%q has been approved in the meantime. Nothing was changed.", im.Name)
	}
	return nil
}

// CheckAssignee returns an error if an image is assigned to another than replaces says;
// nil allows all.
func CheckAssignee(im segment.Image, replaces *string) error {
	if replaces != nil && im.Assignee != *replaces {
		return segment.Errorf(segment.Conflict, "%q has been assigned to %s in the meantime. Nothing was changed.", im.Name, cmp.Or(im.Assignee, "nobody"))
	}
	return nil
}

// ScanErased reads the kind, the id and the name of what can be erased.
func ScanErased(row Scanner) (e segment.Erased, err error) {
	err = row.Scan(&e.Kind, &e.ID, &e.Name)
	return e, err
}

// EraseEach erases items one after the other, so that others can write in between, and
// returns what is gone, also with an error. Those that erase doesn't find have been
// restored meanwhile. The first that is erased notes the entry about all that were left.
func EraseEach(ctx context.Context, items []segment.Erased, entry func([]segment.Erased) audit.Entry, erase func(context.Context, segment.Erased) error) (gone []segment.Erased, err error) {
	for i, item := range items {
		noting := ctx
		if len(gone) == 0 {
			noting = audit.Note(ctx, entry(items[i:]))
		}
		err := erase(noting, item)
		if segment.KindOf(err) == segment.NotFound {
			continue
		}
		if err != nil {
			return gone, err
		}
		gone = append(gone, item)
	}
	return gone, nil
}

// SelectPlace selects what ScanPlace reads; a condition on the image follows.
const SelectPlace = `SELECT
	(SELECT count(*) FROM image AS other WHERE other.project = image.project AND other.trashed_at IS NULL AND other.number < image.number),
	(SELECT count(*) FROM image AS other WHERE other.project = image.project AND other.trashed_at IS NULL AND other.number > image.number),
	coalesce((SELECT other.id FROM image AS other WHERE other.project = image.project AND other.trashed_at IS NULL AND other.number < image.number ORDER BY other.number DESC LIMIT 1), ''),
	coalesce((SELECT other.id FROM image AS other WHERE other.project = image.project AND other.trashed_at IS NULL AND other.number > image.number ORDER BY other.number LIMIT 1), '')
	FROM image JOIN project ON project.number = image.project WHERE image.trashed_at IS NULL AND project.trashed_at IS NULL `

// ScanPlace reads where an image is in its project.
func ScanPlace(row Scanner) (segment.Place, error) {
	var p segment.Place
	var before, after int
	if err := row.Scan(&before, &after, &p.Previous, &p.Next); err != nil {
		return segment.Place{}, ReadError("image", err)
	}
	p.Position, p.Total = before+1, before+1+after
	return p, nil
}

// Progress returns the columns clicks, decided, classes, guessed and left_void of
// an image.
func Progress(p segment.Progress) []any {
	return []any{p.Clicks, p.Decided, encodeShares(p.Classes), encodeWork(p), p.Left}
}

// ScanHead reads an image's id and how far it has come.
func ScanHead(row Scanner, id *string, h *segment.Head) error {
	return row.Scan(id, &h.Seq, &h.Last, &h.Revision)
}

// SelectHeads selects what ScanHead reads; a condition follows.
const SelectHeads = `SELECT image.id, image.seq, coalesce(event.id, ''), revision FROM image JOIN project ON project.number = image.project
	LEFT JOIN event ON event.image = image.number AND event.seq = image.seq WHERE image.trashed_at IS NULL AND project.trashed_at IS NULL `

// ScanEffort reads an image's id and what it took.
func ScanEffort(row Scanner, id *string, e *segment.Effort) error {
	return row.Scan(id, &e.Actions, &e.Guessed)
}
