package row

import (
	"database/sql"
	"fmt"

	"collie/segment"
)

// EventColumns are those of an event besides its image and number, in the order
// of Event.
const EventColumns = "id, kind, superpixels, points, class, regions, rank, digest, labels, repairs, back_to, instances, author, created"

// Conditions on rows of the table event. Old servers had users whose name was the
// project's, which does nothing but make guesses, take them back, weigh embeddings and learn affinities.
const (
	Guessed  = "event.kind = '" + string(segment.FirstGuess) + "'"
	ByPerson = "event.kind NOT IN ('" + string(segment.Embed) + "', '" + string(segment.Relate) + "', '" + string(segment.Import) + "') AND NOT (event.author = '" + segment.ByProject + "' AND event.kind IN ('" + string(segment.FirstGuess) + "', '" + string(segment.Undo) + "'))"
)

// numbers reports whether events of a kind have Instances. Those of other kinds have
// Former in their column.
func numbers(kind segment.EventKind) bool { return kind == segment.Instance || kind == segment.Import }

// Event returns the columns of an event.
func Event(e segment.Event) []any {
	var rank, digest, labels, backTo any
	if e.Kind == segment.Restore {
		backTo = e.To
	}
	if e.Pick != nil {
		rank, digest, labels = e.Pick.Rank, e.Pick.Digest, e.Pick.Labels
	}
	superpixels, instances := encodeSuperpixels(e.Superpixels), encodeSuperpixels(e.Instances)
	if !numbers(e.Kind) {
		instances = e.Former
	}
	switch e.Kind {
	case segment.Import:
		labels, superpixels = e.Cells, encodeDrawn(e.Drawn)
	case segment.FirstGuess:
		labels = encodeScores(e.Scores)
	case segment.Embed:
		if e.Embedding != nil {
			labels, _ = e.Embedding.MarshalBinary() // which always succeeds
		}
	case segment.Relate:
		if e.Affinities != nil {
			labels, _ = e.Affinities.MarshalBinary() // which always succeeds
		}
	}
	return []any{
		e.ID, string(e.Kind), superpixels, encodePoints(e.Points), e.Class, e.Regions, rank, digest, labels,
		encodeRepairs(e.Repairs), backTo, instances, e.By, e.Created.UnixMilli(),
	}
}

// ScanEvent reads a row of seq and the columns of an event.
func ScanEvent(row Scanner) (e segment.Event, err error) {
	var superpixels, points, labels, repairs, instances []byte
	var rank, backTo sql.Null[int]
	var digest sql.Null[string]
	var created int64
	err = row.Scan(&e.Seq, &e.ID, &e.Kind, &superpixels, &points, &e.Class, &e.Regions, &rank, &digest, &labels, &repairs, &backTo, &instances, &e.By, &created)
	if err != nil {
		return e, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}()
	if e.Kind == segment.Import {
		e.Drawn, err = decodeDrawn(superpixels)
	} else {
		e.Superpixels, err = decodeSuperpixels(superpixels)
	}
	if err != nil {
		return e, err
	}
	if e.Points, err = decodePoints(points); err != nil {
		return e, err
	}
	if e.Repairs, err = decodeRepairs(repairs); err != nil {
		return e, err
	}
	if !numbers(e.Kind) {
		e.Former = instances
	} else if e.Instances, err = decodeSuperpixels(instances); err != nil {
		return e, err
	}
	e.To = backTo.V
	switch e.Kind {
	case segment.Import:
		e.Cells = labels
	case segment.FirstGuess:
		if e.Scores, err = decodeScores(labels); err != nil {
			return e, err
		}
	case segment.Embed:
		if labels != nil {
			e.Embedding = new(segment.Embedding)
			if err := e.Embedding.UnmarshalBinary(labels); err != nil {
				return e, err
			}
		}
	case segment.Relate:
		if labels != nil {
			e.Affinities = new(segment.Affinities)
			if err := e.Affinities.UnmarshalBinary(labels); err != nil {
				return e, err
			}
		}
	}
	if rank.Valid {
		e.Pick = &segment.Pick{Rank: rank.V, Digest: digest.V, Labels: labels}
	}
	e.Created = Moment(created)
	return e, nil
}

// Behind is the error for an event made for another state of an image than the
// current one.
func Behind(expected, present int) *segment.Error {
	return segment.ConflictAt(present, "The change was made to be event %d of this image, but the next one is now event %d. It was not saved; read the evidence again, then repeat the change.", expected+1, present+1)
}

// Replaced is the error for an event made for a state of an image that has become
// another one, with the same number.
func Replaced(present int) *segment.Error {
	return segment.ConflictAt(present, "The database has lost the latest events of this image, as after a failover, and has others instead: its event %d is another one. The change was not saved; read the evidence again, then repeat the change.", present)
}

// Repeated is the error for an event whose id another one of the image has.
func Repeated(id string, present int) *segment.Error {
	return segment.ConflictAt(present, "Another event of this image already has the id %q; every event needs its own id. Nothing was changed.", id)
}
