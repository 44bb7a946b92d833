// Package timeline plays the evidence log of an image into its state: clicks,
// accepted labels, repaired pixels, the current superpixels, and the states of
// undo, redo and restore.
package timeline

import (
	"cmp"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Timeline is the evidence of one image played from the start: what has been
// clicked, what has been accepted, which pixels have been repaired, how fine the
// superpixels are, and what undo and redo would do. It is not safe for
// concurrent use.
//
// Clicks and labels are kept per cell, a superpixel of the finest map, so that
// nothing is lost when superpixels get coarser. Events refer to the superpixels
// of the base cut. A new one comes with a granularity event and is made for the
// labelling of that moment, so every superpixel has one label; until the next
// it stays, and events label whole superpixels. Undo and redo of later events
// therefore find the cut that these were made for. Clicks and small boxes
// divide superpixels into cells. These parts are numbered after the base's
// superpixels; hypotheses and picks are about them, too.
//
// Repairs override labels: a pixel has the class of its repair or, without one,
// the label of its cell. Labelling or clearing a superpixel later removes the
// repairs within it; accepting a hypothesis keeps them. They are kept per cell,
// so a step only remembers the cells that it changed.
type Timeline struct {
	setting
	cells    *superpixels.Runs
	graph    *superpixels.Graph // of the cells; nil where clicks divide nothing
	cutter   Cutter
	start    int        // superpixels at the beginning
	evidence []evidence // per cell
	repairs  [][]run    // per cell, ascending; lists are immutable; nil before the first
	runs     int        // of all cells

	repaired int // number of the event that last changed a repair
	merged   mergedRuns
	state    int // of all fields above, see mark

	worked    bool            // whether a person has, see Untouched
	weight    int             // of all events so far, in bytes
	kept      int             // by the steps of all events so far, in bytes
	forgotten int             // events dropped from memory, see Forget
	deeper    int             // undoable steps of the dropped events, below those of done
	seqs      map[string]int  // of the events in memory
	events    []segment.Event // from number forgotten+1 on
	marks     []mark          // per event
	done      []step          // steps to undo, last first
	undone    []step          // steps to redo, last first

	members members                  // of the base cut
	parts   members                  // of the cut
	cuts    map[int]*superpixels.Cut // by the number of the event that made them; the first has 0
	effort  int                      // of all restores, see way
}

// Cutter returns the coarsest superpixels that are at least as fine as the
// given number requires and have one label each, given a label per cell. It
// must be deterministic.
type Cutter func(superpixels int, labels []uint8) *superpixels.Cut

// evidence is what events say of a cell.
type evidence struct {
	clicked   uint8 // class the person clicked, or Void
	accepted  uint8 // class taken over from a hypothesis, or Void
	clickedAt int32 // number of the event that clicked it, or 0
	pickedAt  int32 // number of the event that accepted a hypothesis there, or 0
}

// label returns the label of the cell: the clicked class, else the accepted one,
// else Void.
func (e evidence) label() uint8 {
	if e.clicked != segment.Void {
		return e.clicked
	}
	return e.accepted
}

// step holds what an event overwrote or, after undoing it, what it wrote.
type step struct {
	setting
	event    int // its number
	state    int
	bytes    int // see size
	cells    []int32
	evidence []evidence // of these cells
	repairs  [][]run    // of these cells; nil when the event met none and made none
}

// setting is what is not kept per cell. What it points to is immutable.
type setting struct {
	wanted      int // superpixels asked for
	base        *superpixels.Cut
	cut         *superpixels.Cut    // the base, divided around clicks
	guess       *segment.Scores     // first guess, or nil
	embedding   *segment.Embedding  // or nil
	affinities  *segment.Affinities // that the project has learned, or nil
	constraints *segment.Constraints
	shown       *Shown // or nil
	left        int    // pixels that the last import left undecided
}

// Left returns how many pixels the import that the labelling goes back to left
// undecided: 0 without an import, and after one without any label, which leaves
// the whole image to do.
func (t *Timeline) Left() int { return t.left }

// New returns the timeline of an image without evidence, with the given cells
// and initial number of superpixels.
func New(cells *superpixels.Runs, start int, cutter Cutter) *Timeline {
	cuts := map[int]*superpixels.Cut{0: cutter(start, slices.Repeat([]uint8{segment.Void}, cells.N))}
	return newTimeline(cells, start, cutter, cuts)
}

func newTimeline(cells *superpixels.Runs, start int, cutter Cutter, cuts map[int]*superpixels.Cut) *Timeline {
	return &Timeline{
		setting: setting{wanted: start, base: cuts[0], cut: cuts[0], constraints: new(segment.Constraints)},
		cells:   cells, cutter: cutter, start: start, cuts: cuts,
		evidence: slices.Repeat([]evidence{{clicked: segment.Void, accepted: segment.Void}}, cells.N), seqs: map[string]int{},
	}
}

// Seq returns the number of events so far.
func (t *Timeline) Seq() int { return t.forgotten + len(t.events) }

// Events returns the events after number seq that are in memory; the caller
// must not change them.
func (t *Timeline) Events(after int) []segment.Event {
	return t.events[min(max(after-t.forgotten, 0), len(t.events)):]
}

// event returns event number seq, which must be in memory.
func (t *Timeline) event(seq int) *segment.Event { return &t.events[seq-1-t.forgotten] }

// Find returns the event with the given client-made id, if it is in memory.
func (t *Timeline) Find(id string) (*segment.Event, bool) {
	seq, ok := t.seqs[id]
	if !ok {
		return nil, false
	}
	return t.event(seq), true
}

// UndoDepth and RedoDepth return how many steps can be undone and redone.
func (t *Timeline) UndoDepth() int { return t.deeper + len(t.done) }
func (t *Timeline) RedoDepth() int { return len(t.undone) }

// Cut returns the superpixels that hypotheses are about: those of Base with the
// same numbers, and after them the parts of those that clicks have divided. It is
// shared and immutable.
func (t *Timeline) Cut() *superpixels.Cut { return t.cut }

// Base returns the superpixels that events refer to. It is shared and
// immutable.
func (t *Timeline) Base() *superpixels.Cut { return t.base }

// Wanted is the number of superpixels that was asked for last; where labels
// have to be kept apart the cut has more.
func (t *Timeline) Wanted() int { return t.wanted }

// Clicks returns the clicked class per superpixel, Void where nothing was
// clicked: a superpixel is clicked if a part of it is. The caller owns the
// slice.
func (t *Timeline) Clicks() []uint8 {
	clicks := slices.Repeat([]uint8{segment.Void}, t.cut.N)
	for cell, e := range t.evidence {
		if e.clicked != segment.Void {
			clicks[t.cut.Parent[cell]] = e.clicked
		}
	}
	return clicks
}

// Labelling returns the exported labelling: per superpixel the clicked class,
// else the accepted one, else Void. The caller owns the slice.
func (t *Timeline) Labelling() []uint8 {
	labels := make([]uint8, t.cut.N)
	for cell, e := range t.evidence {
		labels[t.cut.Parent[cell]] = e.label()
	}
	return labels
}

// Times returns, per superpixel, the numbers of the last events that clicked
// and that picked a part of it, or 0. The caller owns the slices.
func (t *Timeline) Times() (clicked, picked []int) {
	clicked, picked = make([]int, t.cut.N), make([]int, t.cut.N)
	for cell, e := range t.evidence {
		s := t.cut.Parent[cell]
		clicked[s], picked[s] = max(clicked[s], int(e.clickedAt)), max(picked[s], int(e.pickedAt))
	}
	return clicked, picked
}

// Cells returns the labelling per cell. The caller owns the slice.
func (t *Timeline) Cells() []uint8 {
	labels := make([]uint8, len(t.evidence))
	for cell, e := range t.evidence {
		labels[cell] = e.label()
	}
	return labels
}

// Pixels appends the labels of the pixels from start to end-1, repairs included, to dst.
// O(pixels + log of the cells in a row).
func (t *Timeline) Pixels(dst []uint8, start, end int) []uint8 {
	from := len(dst)
	dst = slices.Grow(dst, end-start)[:from+end-start]
	set := func(start, end int, class uint8) {
		for i := range dst[start:end] {
			dst[start+i] = class
		}
	}
	for piece := range t.cells.Between(start, end) {
		cell, away := int32(piece.Region), from-start
		set(piece.Start+away, piece.End+away, t.evidence[cell].label())
		runs := t.repairsIn(cell)
		first, _ := slices.BinarySearchFunc(runs, piece.Start, func(r run, at int) int { return cmp.Compare(int(r.end()), at+1) })
		for _, r := range runs[first:] {
			if int(r.start) >= piece.End {
				break
			}
			set(max(int(r.start), piece.Start)+away, min(int(r.end()), piece.End)+away, r.class)
		}
	}
	return dst
}

// Shows reports whether a cell among some, or a repair in it, has one of the classes
// asked for.
func (t *Timeline) Shows(cells []int32, asked func(class uint8) bool) bool {
	return slices.ContainsFunc(cells, func(cell int32) bool {
		return asked(t.evidence[cell].label()) || slices.ContainsFunc(t.repairsIn(cell), func(r run) bool { return asked(r.class) })
	})
}

// Shares returns each class's share of the image, by the ids used in the
// evidence; never nil. cells is the graph of the cells.
func (t *Timeline) Shares(cells *superpixels.Graph) []segment.ClassShare {
	var all [256]segment.ClassShare
	for cell, e := range t.evidence {
		l := e.label()
		all[l].Area += int(cells.Regions[cell].Area)
		if t.runs == 0 {
			continue
		}
		for _, r := range t.repairs[cell] {
			all[l].Area -= int(r.length)
			all[r.class].Area += int(r.length)
		}
	}
	for _, c := range t.Clicks() {
		all[c].Clicks++
	}
	out := []segment.ClassShare{}
	for id, s := range all[:segment.Void] {
		if s.Area > 0 || s.Clicks > 0 {
			s.ID = uint8(id)
			out = append(out, s)
		}
	}
	return out
}

// Progress summarizes the evidence for the image's record. cells is the graph of
// the cells, and table resolves deleted classes.
func (t *Timeline) Progress(cells *superpixels.Graph, table *segment.ClassTable) segment.Progress {
	p := segment.Progress{Classes: t.Shares(cells), Untouched: t.Untouched(), Guessed: t.Guessed(), Hinted: t.guess != nil, Left: t.Left()}
	p.Resolve(table, t.cells.Area())
	return p
}

// Repaired returns the number of the event that last changed a repair.
func (t *Timeline) Repaired() int { return t.repaired }

// Repairs returns the current repairs by class, with classes resolved by the
// table. The caller must not change them.
func (t *Timeline) Repairs(table *segment.ClassTable) []segment.Repair {
	runs := slices.Clone(t.allRuns())
	for i, r := range runs {
		runs[i].class = table[r.class]
	}
	return repairsOf(runs)
}

// First returns the image's initial superpixels. It is shared and immutable.
func (t *Timeline) First() *superpixels.Cut { return t.cuts[0] }

// Untouched reports whether no person has worked on the image: all events are by
// the project, first guesses and their removal, or about embeddings or affinities.
func (t *Timeline) Untouched() bool {
	return !t.worked
}

// Guessed reports whether a first guess by the project is all that is said of the
// classes.
func (t *Timeline) Guessed() bool { return t.guess != nil && t.Untouched() }

// Embedding returns the current embedding, or nil.
func (t *Timeline) Embedding() *segment.Embedding { return t.embedding }

// Affinities returns the current ones that the project has learned, or nil.
func (t *Timeline) Affinities() *segment.Affinities { return t.affinities }

// Scores returns the current first guess, or nil.
func (t *Timeline) Scores() *segment.Scores { return t.guess }
