package segment

// State is a snapshot of the evidence. Clicks and Labels are the caller's; in
// them a class is its id, with deleted classes resolved.
type State struct {
	Seq     int
	Version int     // grows with every change of the evidence or of the classes
	Clicks  []uint8 // class clicked per superpixel, or Void
	Labels  []uint8 // the labelling: class per superpixel, or Void
	Undo    int     // steps that can be taken back
	Redo    int     // steps that can be brought back

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
func (a *Annotation) Pixels() []uint8 {
	state := a.State()
	byCell := state.Cells(state.Labels)
	pixels := make([]uint8, len(a.cells.Labels))
	for i, cell := range a.cells.Labels {
		pixels[i] = byCell[cell]
	}
	return pixels
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
		Map:     v.token,
		Wanted:  a.timeline.Wanted(),
		Split:   v.cut.Split,
		Parent:  v.cut.Parent,
	}
}

// progress sums up the timeline for the image's record.
func (a *Annotation) progress() Progress {
	p := Progress{Classes: a.shares()}
	p.through(a.table, len(a.cells.Labels))
	return p
}

// shares returns what each class has of the image, as the evidence names them;
// never nil. The caller holds the lock.
func (a *Annotation) shares() []ClassShare {
	var all [256]ClassShare
	for cell, l := range a.timeline.cellLabels() {
		all[l].Area += a.cellGraph.Regions[cell].Area
	}
	for _, c := range a.timeline.Clicks() {
		all[c].Clicks++
	}
	out := []ClassShare{}
	for id, s := range all[:Void] {
		if s.Area > 0 || s.Clicks > 0 {
			s.ID = uint8(id)
			out = append(out, s)
		}
	}
	return out
}

// Classes returns what each class has of the image, as the evidence names them,
// by id.
func (a *Annotation) Classes() []ClassShare {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shares()
}
