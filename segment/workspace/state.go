package workspace

import (
	"collie/segment"
	"collie/segment/timeline"
)

// State is a snapshot of the evidence. Clicks and Labels are the caller's; in
// them a class is its id, with deleted classes resolved.
type State struct {
	Seq     int
	Version int     // grows with every change of the evidence or of the classes
	Clicks  []uint8 // class clicked per superpixel, or Void
	Labels  []uint8 // the labelling: class per superpixel, or Void
	Undo    int     // steps that can be taken back
	Redo    int     // steps that can be brought back

	// Repairs are the pixels that have another class than their superpixel, or
	// may come to have, by class; shared and read-only.
	Repairs  []segment.Repair
	Repaired int // number of the event that last changed a repair

	Constraints segment.Constraints // read-only

	Map    string  // names the superpixel map; another map has another name
	Wanted int     // superpixels asked for; where labels are kept apart there are more
	Split  int     // superpixels that were asked for and stay divided because they hold two classes
	Parent []int32 // superpixel of each cell, see Annotation.Cells; shared and read-only
}

// Cells spreads a class per superpixel over the cells.
func (s *State) Cells(labels []uint8) []uint8 {
	cells := make([]uint8, len(s.Parent))
	for i, p := range s.Parent {
		cells[i] = labels[p]
	}
	return cells
}

// Pixels returns the labelling of the image: a class id or Void per pixel,
// row-major, Width·Height of them. The slice is the caller's.
func (a *Annotation) Pixels() []uint8 { return a.PixelsOf(a.State()) }

// PixelsOf returns the labelling that a state holds, like Pixels.
func (a *Annotation) PixelsOf(state State) []uint8 {
	return timeline.Spread(a.cells, state.Cells(state.Labels), state.Repairs)
}

// State returns the present state.
func (a *Annotation) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state()
}

func (a *Annotation) state() State {
	v := a.look()
	return State{
		Seq:     a.timeline.Seq(),
		Version: a.timeline.Seq() + a.tables,
		Clicks:  a.table.Through(a.timeline.Clicks()),
		Labels:  a.table.Through(a.timeline.Labelling()),
		Undo:    a.timeline.UndoDepth(),
		Redo:    a.timeline.RedoDepth(),

		Repairs:  a.presentRepairs(),
		Repaired: a.timeline.Repaired(),

		Constraints: a.constraints(),

		Map:    v.token,
		Wanted: a.timeline.Wanted(),
		Split:  v.cut.Split,
		Parent: v.cut.Parent,
	}
}

// repairView is what follows from the repairs and the classes.
type repairView struct {
	repaired, tables int // of which it follows
	repairs          []segment.Repair
}

// presentRepairs puts the repairs together when they or the classes have
// changed. The caller holds the lock.
func (a *Annotation) presentRepairs() []segment.Repair {
	if v := &a.repairs; v.repaired != a.timeline.Repaired() || v.tables != a.tables {
		*v = repairView{a.timeline.Repaired(), a.tables, a.timeline.Repairs(a.table)}
	}
	return a.repairs.repairs
}

// progress sums up the timeline for the image's record.
func (a *Annotation) progress() segment.Progress {
	p := segment.Progress{Classes: a.timeline.Shares(a.cellGraph), Guessed: a.timeline.Guessed()}
	p.Resolve(a.table, a.cells.Area())
	return p
}

// Classes returns what each class has of the image, as the evidence names them,
// by id.
func (a *Annotation) Classes() []segment.ClassShare {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.timeline.Shares(a.cellGraph)
}
