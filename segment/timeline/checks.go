package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"collie/segment"
)

// fewestRegions is the coarsest granularity that can be requested.
const fewestRegions = 2

// Limits of one event.
const (
	maxEventID    = 64      // bytes of a client-made identifier
	maxEventItems = 200_000 // superpixels and points in one event
	maxEventRuns  = 100_000 // runs of pixels in one event
)

// Check validates what doesn't depend on the labels in the next event: its
// identifier, kind, and the ranges of superpixels, pixels, classes and
// granularity.
func (t *Timeline) Check(e *segment.Event, p *segment.Project) error {
	if err := t.checkForm(e); err != nil {
		return err
	}
	return t.checkKind(e, p)
}

// checkForm validates what events of all kinds have.
func (t *Timeline) checkForm(e *segment.Event) error {
	if len(e.ID) == 0 || len(e.ID) > maxEventID || !printable(e.ID) {
		return segment.Errorf(segment.Invalid, "An event needs an id of 1 to %d printable ASCII characters without spaces, chosen by the client. Nothing was changed.", maxEventID)
	}
	if len(e.Superpixels) > maxEventItems {
		return segment.Errorf(segment.Invalid, "One event can name at most %d superpixels; this one has %d. Nothing was changed.", maxEventItems, len(e.Superpixels))
	}
	if len(e.Points) > maxEventItems {
		return segment.Errorf(segment.Invalid, "One event can have at most %d points; this one has %d. Nothing was changed.", maxEventItems, len(e.Points))
	}
	if len(e.Repairs) > 0 && e.Kind != segment.Pixels && e.Kind != segment.Import {
		return segment.Errorf(segment.Invalid, "An event of kind %.40q can't have repairs. Nothing was changed.", e.Kind)
	}
	cut := t.base
	if e.Kind == segment.Accept {
		cut = t.cut
	}
	for _, s := range e.Superpixels {
		switch {
		case s >= 0 && int(s) < cut.N:
		case s >= 0 && int(s) < t.cut.N:
			return segment.Errorf(segment.Invalid, "Superpixel %d is a part that a fine label has divided off, and events of kind %s are about whole superpixels, 0 to %d. Send a point in it, which means the whole one. Nothing was changed.", s, e.Kind, cut.N-1)
		default:
			return segment.Errorf(segment.Invalid, "Superpixel %d does not exist: this image has superpixels 0 to %d. Nothing was changed.", s, cut.N-1)
		}
	}
	return nil
}

// checkKind validates what events of e's kind have.
func (t *Timeline) checkKind(e *segment.Event, p *segment.Project) error {
	switch e.Kind {
	case segment.Outline:
		return cmp.Or(p.CheckClass(e.Class), t.checkBox(e))
	case segment.Lock, segment.Unlock:
		return p.CheckClass(e.Class)
	case segment.Click:
		return cmp.Or(p.CheckClass(e.Class), t.checkPoints(e))
	case segment.Instance:
		return cmp.Or(p.CheckClass(e.Class), t.checkInstance(e))
	case segment.Label, segment.Exclude:
		return cmp.Or(p.CheckClass(e.Class), someSuperpixel(e))
	case segment.Clear:
		return someSuperpixel(e)
	case segment.Accept:
		if e.Pick == nil {
			return segment.Errorf(segment.Invalid, "An accept event must name its hypothesis: {\"rank\": 0, \"digest\": \"…\"}. Nothing was changed.")
		}
	case segment.Restore:
		if e.To < 0 || e.To > t.Seq() {
			return segment.Errorf(segment.Invalid, "Event %d doesn't exist: this image has %s, and 0 is the beginning. Nothing was changed.", e.To, segment.Counted(t.Seq(), "event"))
		}
	case segment.Pixels:
		return checkStroke(e.Repairs, p, t.cells.Area())
	case segment.Import:
		return t.checkImport(e, p)
	case segment.FirstGuess:
		return t.checkGuess(e.Scores, p)
	case segment.Embed:
		return t.checkEmbedding(e.Embedding)
	case segment.Relate:
		switch {
		case e.Affinities == nil && t.affinities == nil:
			return segment.Errorf(segment.Invalid, "The project has learned no affinities for this image that could be removed. Nothing was changed.")
		case e.Affinities != nil && !e.Affinities.Valid():
			return segment.Errorf(segment.Invalid, "The affinities are empty or too long. Nothing was changed.")
		}
	case segment.Granularity:
		if fewest := min(fewestRegions, t.cells.N); e.Regions < fewest || e.Regions > t.cells.N {
			return segment.Errorf(segment.Invalid, "This image can have %d to %d superpixels, not %d. Nothing was changed.", fewest, t.cells.N, e.Regions)
		}
	case segment.Undo, segment.Redo:
	default:
		return segment.Errorf(segment.Invalid, "Event kind %.40q is unknown; use label, clear, exclude, box, lock, unlock, instance, pixels, accept, guess, embedding, affinities, granularity, undo, redo or restore. Nothing was changed.", e.Kind)
	}
	return nil
}

// someSuperpixel returns an error for an event that names none.
func someSuperpixel(e *segment.Event) error {
	if len(e.Superpixels) == 0 {
		return segment.Errorf(segment.Invalid, "An event of kind %s needs at least one superpixel or point. Nothing was changed.", e.Kind)
	}
	return nil
}

// checkImport validates an imported mask.
func (t *Timeline) checkImport(e *segment.Event, p *segment.Project) error {
	if len(e.Cells) != t.cells.N {
		return segment.Errorf(segment.Invalid, "An import can't be sent as an event; upload the mask. Nothing was changed.")
	}
	for _, l := range e.Cells {
		if err := checkLabel(l, p); err != nil {
			return err
		}
	}
	if e.Instances != nil && len(e.Instances) != t.cells.N || slices.ContainsFunc(e.Instances, func(n int32) bool { return n < 0 || n > segment.MaxObjects }) {
		return segment.Errorf(segment.Invalid, "An import must give each of the %d finest superpixels the number of its object, from 0 to %d, or none. Nothing was changed.", t.cells.N, segment.MaxObjects)
	}
	for _, o := range e.Drawn {
		if o.Number < 1 || o.Number > segment.MaxObjects {
			return segment.Errorf(segment.Invalid, "The number of an object must be from 1 to %d, not %d. Nothing was changed.", segment.MaxObjects, o.Number)
		}
	}
	return cmp.Or(checkRepairs(drawn(e), p, t.cells.Area()), checkRepairs(e.Repairs, p, t.cells.Area()))
}

// drawn are the drawn pixels of an event by object, as if they were repairs.
func drawn(e *segment.Event) []segment.Repair {
	var out []segment.Repair
	for _, o := range e.Drawn {
		out = append(out, segment.Repair{Class: o.Class, Runs: o.Runs})
	}
	return out
}

// checkGuess validates a first guess; nil takes it away.
func (t *Timeline) checkGuess(s *segment.Scores, p *segment.Project) error {
	switch {
	case s == nil && t.guess == nil:
		return segment.Errorf(segment.Invalid, "This image has no first guess to remove; import scores to give it one. Nothing was changed.")
	case s == nil:
		return nil
	case !s.Fits(t.cells.N, t.cuts[0].N):
		return segment.Errorf(segment.Invalid, "The scores of the first guess don't fit the superpixels of this image. Nothing was changed.")
	}
	for _, id := range s.Classes {
		if err := p.CheckClass(int(id)); err != nil {
			return err
		}
	}
	return nil
}

// checkEmbedding validates an embedding; nil takes away the one that there is, and one
// without points weighs it.
func (t *Timeline) checkEmbedding(given *segment.Embedding) error {
	if t.embedding == nil && (given == nil || len(given.Values) == 0) {
		return segment.Errorf(segment.Invalid, "This image has no embeddings to remove or to weigh; import a .npz file to give it some. Nothing was changed.")
	}
	if given != nil && !given.Fits(t.cells.N) {
		return segment.Errorf(segment.Invalid, "The embeddings don't fit the superpixels of this image. Nothing was changed.")
	}
	return nil
}

// checkLabel validates a class or Void.
func checkLabel(l uint8, p *segment.Project) error {
	if l == segment.Void {
		return nil
	}
	return p.CheckClass(int(l))
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// checkStroke validates the repairs of a pixels event of an image with the
// given number of pixels.
func checkStroke(repairs []segment.Repair, p *segment.Project, pixels int) error {
	count := 0
	for _, r := range repairs {
		count += len(r.Runs) / 2
	}
	if count > maxEventRuns {
		return segment.Errorf(segment.TooLarge, "One event can repair at most %d runs of pixels; this one has %d. Send it in parts. Nothing was changed.", maxEventRuns, count)
	}
	if err := checkRepairs(repairs, p, pixels); err != nil {
		return err
	}
	if count == 0 {
		return segment.Errorf(segment.Invalid, "A pixels event needs at least one run of pixels. Nothing was changed.")
	}
	return nil
}

// checkRepairs validates any repairs of an image with the given number of
// pixels.
func checkRepairs(repairs []segment.Repair, p *segment.Project, pixels int) error {
	for _, r := range repairs {
		if err := checkLabel(r.Class, p); err != nil {
			return err
		}
		if len(r.Runs)%2 != 0 {
			return segment.Errorf(segment.Invalid, "Runs are pairs of a first pixel and a number of pixels; the list of class %d has %s. Nothing was changed.", r.Class, segment.Counted(len(r.Runs), "number"))
		}
		for pair := range slices.Chunk(r.Runs, 2) {
			if pair[0] < 0 || pair[1] < 1 || int64(pair[0])+int64(pair[1]) > int64(pixels) {
				return segment.Errorf(segment.Invalid, "The run of %s from pixel %d is outside the image, which has pixels 0 to %d. Nothing was changed.", segment.Counted(int(pair[1]), "pixel"), pair[0], pixels-1)
			}
		}
	}
	end := int32(0)
	for _, r := range runsOf(repairs) {
		if r.start < end {
			return segment.Errorf(segment.Invalid, "Pixel %d is in two runs; name each pixel only once. Nothing was changed.", r.start)
		}
		end = r.end()
	}
	return nil
}

// Possible returns an Error of kind Conflict if there is nothing to undo or
// redo. Every other event is always possible.
func (t *Timeline) Possible(kind segment.EventKind) error {
	switch {
	case kind == segment.Undo && t.UndoDepth() == 0:
		return segment.ConflictAt(t.Seq(), "There is nothing to undo.")
	case kind == segment.Redo && len(t.undone) == 0:
		return segment.ConflictAt(t.Seq(), "There is nothing to redo.")
	}
	return nil
}

// affords returns an Error if a checked event would take more memory or time
// than an image can have.
func (t *Timeline) affords(e *segment.Event) error {
	switch {
	case t.weight+weigh(e) > maxLog && e.Kind != segment.Undo && e.Kind != segment.Redo:
		return segment.Errorf(segment.TooLarge, "The history of this image is larger than %d MiB, which is the limit. Nothing was changed; undo still works. To go on, upload the image again and import its mask there.", maxLog>>20)
	case t.kept > maxKept && e.Kind != segment.Undo && e.Kind != segment.Redo:
		return segment.Errorf(segment.TooLarge, "What undo needs of this image's history is larger than %d MiB, which is the limit. Nothing was changed; undo still works. To go on, upload the image again and import its mask there.", maxKept>>20)
	case e.Kind == segment.Import && max(pieces(t.cells, e.Repairs), pieces(t.cells, drawn(e))) > maxRuns:
		return segment.Errorf(segment.TooLarge, "The mask is too ragged: where it doesn't follow superpixels it has more than %d runs of pixels. Nothing was changed.", maxRuns)
	case e.Kind == segment.Pixels && t.runs+pieces(t.cells, e.Repairs) > maxRuns:
		return segment.Errorf(segment.TooLarge, "This image already has %d runs of repaired pixels, which is the limit. Label whole superpixels to replace the repairs in them. Nothing was changed.", maxRuns)
	case e.Kind == segment.Restore && t.effort+t.wayTo(t.stateAfter(e.To)).effort > maxEffort:
		return segment.Errorf(segment.TooLarge, "This image has been restored to earlier states too often; undo still works. Nothing was changed.")
	}
	return nil
}

// Allows returns an Error if a checked event can't come next; what it needs of the past
// must be in memory, see Holds.
func (t *Timeline) Allows(e *segment.Event) error {
	return cmp.Or(t.affords(e), t.Possible(e.Kind))
}

// Admits checks a stored event from elsewhere as Append checks a new one.
func (t *Timeline) Admits(e *segment.Event, p *segment.Project) error {
	if _, twice := t.Find(e.ID); twice {
		return fmt.Errorf("two events with the id %q", e.ID)
	}
	if err := cmp.Or(t.Check(e, p), segment.CheckTime(e.Created)); err != nil {
		return err
	}
	if err := t.Allows(e); err != nil {
		return err
	}
	if e.Pick != nil && (e.Kind == segment.Accept || e.Kind == segment.Click) && len(e.Pick.Labels) != t.cut.N {
		return fmt.Errorf("event %q has %d labels for %d superpixels", e.ID, len(e.Pick.Labels), t.cut.N)
	}
	return nil
}
