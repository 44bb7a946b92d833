package annotation

import (
	"collie/segment"
	"collie/segment/timeline"
	"collie/superpixels"
)

// State is a snapshot of the evidence. The caller owns Clicks and Labels, which
// hold class ids with deleted classes resolved.
type State struct {
	Seq     int
	Rewound int     // how often the log has lost events
	Version int     // increases with every change of the evidence or the classes
	Tables  int     // increases with every change of the classes
	Clicks  []uint8 // class clicked per superpixel, or Void
	Labels  []uint8 // the labelling: class per superpixel, or Void
	Undo    int     // steps that can be undone
	Redo    int     // steps that can be redone

	// Repairs are the pixels with a class of their own, whether or not it
	// differs from their superpixel's, by class; shared and read-only.
	Repairs  []segment.Repair
	Repaired int // number of the event that last changed a repair

	Constraints segment.Constraints // read-only

	Guess *segment.GuessView // nil without one; read-only

	Map    string  // names the superpixel map that events refer to; another map has another name
	Wanted int     // superpixels requested; keeping labels apart can require more
	Split  int     // superpixels that stay divided because they contain two classes
	Parent []int32 // superpixel of each cell, see Annotation.Cells; shared and read-only
	Base   []int32 // the same in the map that events refer to
	Parts  []int32 // cells that clicks have separated as superpixels, numbered after those of that map
}

// Cells returns the class of each cell, given that of each superpixel.
func (s *State) Cells(labels []uint8) []uint8 {
	cells := make([]uint8, len(s.Parent))
	for i, p := range s.Parent {
		cells[i] = labels[p]
	}
	return cells
}

// Pixels returns the labelling of the image: a class id or Void per pixel,
// row-major, Width·Height of them. The caller owns the slice.
func (a *Annotation) Pixels() []uint8 { return a.PixelsOf(a.State()) }

// PixelsOf returns the labelling of a state, like Pixels.
func (a *Annotation) PixelsOf(state State) []uint8 {
	return timeline.Spread(a.cells, state.Cells(state.Labels), state.Repairs)
}

// State returns the current state.
func (a *Annotation) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state()
}

func (a *Annotation) state() State {
	base, cut := a.timeline.Base(), a.timeline.Cut()
	parts := make([]int32, cut.N-base.N)
	for cell, s := range cut.Parent {
		if int(s) >= base.N {
			parts[int(s)-base.N] = int32(cell)
		}
	}
	return State{
		Seq:     a.timeline.Seq(),
		Rewound: a.rewound,
		Version: a.timeline.Seq() + a.skipped + a.tables,
		Tables:  a.tables,
		Clicks:  a.table.Through(a.timeline.Clicks()),
		Labels:  a.table.Through(a.timeline.Labelling()),
		Undo:    a.timeline.UndoDepth(),
		Redo:    a.timeline.RedoDepth(),

		Repairs:  a.presentRepairs(),
		Repaired: a.timeline.Repaired(),

		Constraints: a.constraints(),

		Guess: a.guessView(),

		Map:    a.mapName(),
		Wanted: a.timeline.Wanted(),
		Split:  base.Split,
		Parent: cut.Parent,
		Base:   base.Parent,
		Parts:  parts,
	}
}

// repairView is derived from the repairs and the classes.
type repairView struct {
	repaired, tables int // that it is derived from
	repairs          []segment.Repair
}

// presentRepairs collects the repairs if they or the classes have changed. The
// caller holds the lock.
func (a *Annotation) presentRepairs() []segment.Repair {
	if v := &a.repairs; v.repaired != a.timeline.Repaired() || v.tables != a.tables {
		*v = repairView{a.timeline.Repaired(), a.tables, a.timeline.Repairs(a.table)}
	}
	return a.repairs.repairs
}

// progress summarizes the timeline for the image's record. The caller holds the
// lock.
func (a *Annotation) progress() segment.Progress {
	return a.timeline.Progress(a.assistant.Cells, a.table)
}

// Classes returns each class's share of the image, by the ids used in the
// evidence.
func (a *Annotation) Classes() []segment.ClassShare {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.timeline.Shares(a.assistant.Cells)
}

// Objects tells apart the objects of a state's labelling: those that are marked
// and, for each pixel of the labelling, which [Annotation.PixelsOf] returns, the
// place of its object among them, or -1. Both are nil without marked objects. See
// [timeline.Objects].
func (a *Annotation) Objects(state State, pixels []uint8) (list []timeline.Object, of *superpixels.Runs) {
	c := &state.Constraints
	list, cells := timeline.Objects(a.assistant.Cells, state.Cells(state.Labels), c.Objects, c.Drawn)
	if list == nil {
		return nil, nil
	}
	return list, timeline.Draw(timeline.SpreadObjects(a.cells, pixels, list, cells), a.cells, pixels, list, c)
}

// ObjectsExtent bounds what [Annotation.Objects] takes; it is zero without objects.
func (a *Annotation) ObjectsExtent(state State) timeline.Extent {
	labels := state.Cells(state.Labels)
	c := &state.Constraints
	list, of := timeline.Objects(a.assistant.Cells, labels, c.Objects, c.Drawn)
	if list == nil {
		return timeline.Extent{}
	}
	return timeline.ExtentOf(a.cells, labels, state.Repairs, list, of, c.Drawn)
}

// PointsIn returns, for each cell, the x and y of a pixel in it: the middle of its
// longest run.
func (a *Annotation) PointsIn() [][2]int {
	points, longest := make([][2]int, a.cells.N), make([]int, a.cells.N)
	for run := range a.cells.All() {
		if n := run.End - run.Start; n > longest[run.Region] {
			at := run.Start + n/2
			longest[run.Region], points[run.Region] = n, [2]int{at % a.cells.Width, at / a.cells.Width}
		}
	}
	return points
}
