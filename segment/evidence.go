package segment

import (
	"cmp"
	"slices"
	"time"
)

// EventKind is the kind of an event in the evidence log.
type EventKind string

const (
	Click  EventKind = "click"  // what is at a point has a class; superpixels around it become finer
	Label  EventKind = "label"  // the person labels superpixels with a class
	Clear  EventKind = "clear"  // superpixels are undecided again
	Accept EventKind = "accept" // a hypothesis, or a region of it, becomes the labelling
	Undo   EventKind = "undo"   // undoes the last step that is not undone
	Redo   EventKind = "redo"   // redoes what the last undo undid

	Pixels     EventKind = "pixels"     // single pixels get a class, whatever their superpixel has
	Import     EventKind = "import"     // an imported mask becomes the labelling; see annotation.Annotation.ImportMask
	FirstGuess EventKind = "guess"      // scores become the first guess, see annotation.Annotation.SetGuess; without scores there is no guess any more
	Embed      EventKind = "embedding"  // superpixels are compared by an embedding, too; without one no more
	Relate     EventKind = "affinities" // superpixels belong together as the project has learned; without affinities as in any image
	Restore    EventKind = "restore"    // labelling, clicks, repairs and granularity go back to an earlier state

	Granularity EventKind = "granularity" // superpixels become coarser or finer

	Outline EventKind = "box"     // the object of a class lies inside a rectangle; outside is the rest
	Exclude EventKind = "exclude" // superpixels are not of a class
	Lock    EventKind = "lock"    // nothing paints over a class
	Unlock  EventKind = "unlock"  // the class can be painted over again

	Instance EventKind = "instance" // what is at points belongs to one object of a class
)

// Known reports whether this program knows what an event of the kind means.
func (k EventKind) Known() bool {
	switch k {
	case Click, Label, Clear, Accept, Undo, Redo, Pixels, Import, FirstGuess, Embed, Relate, Restore, Granularity, Outline, Exclude, Lock, Unlock, Instance:
		return true
	}
	return false
}

// ByProject is the author of events made by a project's model.
const ByProject = "project"

// Event is one entry of an image's evidence: an append-only log from which the
// labelling and every hypothesis can be recomputed.
type Event struct {
	ID          string // made by the client; repeats are stored once
	Seq         int    // position in the log, from 1; set when stored
	Kind        EventKind
	Superpixels []int32        // of the current map; label, clear: at least one; accept: the region, or all when empty
	Map         string         // name of the map that Superpixels belong to, if the client sends it; not stored
	After       string         // id of the event before it in the log, if known; not stored
	Points      [][2]float64   // where the person clicked, in pixels of the image; box: two opposite corners, or none to remove the box
	Class       int            // click, label, box, exclude, lock, unlock, instance: id of the class
	Former      []uint8        // click, label, box, unlock: ids of the deleted classes that Class has replaced; set when appended
	Regions     int            // granularity only: requested number of superpixels
	Pick        *Pick          // accept; click: the hypothesis that the person corrects, or nil
	Repairs     []Repair       // pixels, import; each pixel is in one run at most
	Cells       []uint8        // import only: class id or Void per cell
	Instances   []int32        // instance: the object's number, or 0 for none; import: that of each cell's object, or nil
	Drawn       []ObjectPixels // import only: pixels whose object isn't that of their cell, by class and number
	Scores      *Scores        // guess only; nil takes the guess away
	Embedding   *Embedding     // embedding only; nil takes it away
	Affinities  *Affinities    // affinities only; nil takes them away
	To          int            // restore only: number of the event to go back to
	By          string         // name of the author, if known; set when appended
	Created     time.Time
}

// Pick names the hypothesis that an accept event takes over or a click corrects.
// Labels is filled in by the server and stored, so that a labelling never depends
// on running an old engine again.
type Pick struct {
	Rank   int
	Digest string
	Labels []uint8 // class id per superpixel of the current map
	Offer  *Offer  // instead of a hypothesis, whose rank is then Offered; not stored
}

// Offered is the rank of labellings that are not among the hypotheses.
const Offered = -1

// Offer names a labelling that isn't among the hypotheses but follows from the
// same evidence: the first guess as it is, a rung of the ladder between two classes
// or, with superpixels, the best labelling in which these have a class.
type Offer struct {
	Guess       bool
	Rung        int
	Superpixels []int32 // as hypotheses number them
	Class       int
}

// Pared returns the event without what its kind has no use for, which would only
// make the log larger. Misplaced repairs stay: they are refused, see Timeline.Check.
func (e Event) Pared() Event {
	if !e.is(Click, Label, Clear, Accept, Exclude, Instance) {
		e.Superpixels = nil
		if e.Kind != Outline {
			e.Points = nil
		}
	}
	if !e.is(Click, Label, Outline, Unlock) {
		e.Former = nil
	}
	if !e.is(Accept, Click) {
		e.Pick = nil
	}
	if !e.is(Instance, Import) {
		e.Instances = nil
	}
	if e.Kind != Import {
		e.Cells, e.Drawn = nil, nil
	}
	if e.Kind != FirstGuess {
		e.Scores = nil
	}
	if e.Kind != Embed {
		e.Embedding = nil
	}
	if e.Kind != Relate {
		e.Affinities = nil
	}
	return e
}

func (e *Event) is(kinds ...EventKind) bool { return slices.Contains(kinds, e.Kind) }

// Names reports whether a class is the event's, or one that it has replaced.
func (e *Event) Names(class uint8) bool {
	return int(class) == e.Class || slices.Contains(e.Former, class)
}

// Same reports whether a request asks for what the stored event e did, to
// distinguish a repeated request from a reused identifier. Points count for
// more than superpixels, whose numbers change with the granularity.
func (e *Event) Same(request *Event) bool {
	if e.Kind != request.Kind || e.Class != request.Class || e.Regions != request.Regions || e.To != request.To || !slices.Equal(e.Cells, request.Cells) || !slices.Equal(e.Instances, request.Instances) || !slices.EqualFunc(e.Drawn, request.Drawn, ObjectPixels.equal) || !e.Scores.Same(request.Scores) || !e.Embedding.Same(request.Embedding) || !e.Affinities.Same(request.Affinities) {
		return false
	}
	if e.Kind == Click { // points in locked classes, and what it corrects where that is not known any more, have been left out
		return within(e.Points, request.Points)
	}
	if !slices.Equal(e.Points, request.Points) {
		return false
	}
	// Pixels and superpixels of locked classes have been left out.
	if e.Kind == Pixels && !covered(e.Repairs, request.Repairs) || e.Kind != Pixels && !slices.EqualFunc(e.Repairs, request.Repairs, Repair.equal) {
		return false
	}
	if len(e.Points) == 0 && !within(e.Superpixels, request.Superpixels) {
		return false
	}
	if e.Pick == nil || request.Pick == nil {
		return e.Pick == request.Pick
	}
	return e.Pick.Rank == request.Pick.Rank
}

// within reports whether the entries of list are among others. O(n) with both.
func within[T comparable](list, others []T) bool {
	missing := make(map[T]bool, len(list))
	for _, x := range list {
		missing[x] = true
	}
	for _, x := range others {
		delete(missing, x)
	}
	return len(missing) == 0
}

// covered reports whether each run lies in one of the same class among others, which
// needn't be valid. O(n log n) with both.
func covered(repairs, others []Repair) bool {
	runs := map[uint8][][2]int{} // of others: first pixel and end, by class
	for _, r := range others {
		if len(r.Runs)%2 != 0 {
			return false
		}
		for pair := range slices.Chunk(r.Runs, 2) {
			runs[r.Class] = append(runs[r.Class], [2]int{int(pair[0]), int(pair[0]) + int(pair[1])})
		}
	}
	for _, list := range runs {
		slices.SortFunc(list, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	}
	for _, r := range repairs {
		list := runs[r.Class]
		for pair := range slices.Chunk(r.Runs, 2) {
			start, end := int(pair[0]), int(pair[0]+pair[1])
			after, _ := slices.BinarySearchFunc(list, start+1, func(run [2]int, at int) int { return cmp.Compare(run[0], at) })
			if after == 0 || list[after-1][1] < end {
				return false
			}
		}
	}
	return true
}

// Means reports whether a click or label does what another event of the same
// number does.
func (e *Event) Means(other *Event) bool {
	if e.Kind != other.Kind || e.Class != other.Class || !slices.Equal(e.Superpixels, other.Superpixels) || e.Kind == Click && !slices.Equal(e.Points, other.Points) {
		return false
	}
	if e.Pick == nil || other.Pick == nil {
		return e.Pick == other.Pick
	}
	return e.Pick.Rank == other.Pick.Rank && e.Pick.Digest == other.Pick.Digest
}

// Repair gives single pixels a class, or Void, whatever the superpixel under
// them has.
type Repair struct {
	Class uint8 // id of the class, or Void
	// Runs holds pairs of the first pixel and the number of pixels of a run, in
	// events in any order and in states ascending. The pixel at x, y of the image as
	// displayed has number y·Width+x, so a run can cross the end of a row.
	Runs []int32
}

func (r Repair) equal(other Repair) bool {
	return r.Class == other.Class && slices.Equal(r.Runs, other.Runs)
}
