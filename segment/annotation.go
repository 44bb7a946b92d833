package segment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"sync"

	"collie/segment/access"
	"collie/superpixels"
)

// Annotation is one image being worked on: its superpixels, its evidence and
// the sequence of hypotheses that follows from it. All who work on an image
// share one Annotation. Safe for concurrent use.
type Annotation struct {
	store     Store
	guard     *guard
	image     Image
	hierarchy *superpixels.Hierarchy
	cells     *superpixels.Map   // the finest map
	cellGraph *superpixels.Graph // of it
	release   func()

	mu       sync.Mutex
	timeline *Timeline
	view     view      // of the cut in force; made when first asked for
	sequence *Sequence // of the present evidence; made when first asked for
}

// view is what follows from a cut.
type view struct {
	cut   *superpixels.Cut
	model *Model
	token string
}

// State is a snapshot of the evidence. Clicks and Labels are the caller's.
type State struct {
	Seq    int
	Clicks []uint8 // class clicked per superpixel, or Void
	Labels []uint8 // the labelling: class per superpixel, or Void
	Undo   int     // steps that can be taken back
	Redo   int     // steps that can be brought back

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

// Pixels returns the labelling of the image: a class or Void per pixel, row-major,
// Width·Height of them. The slice is the caller's.
func (a *Annotation) Pixels() []uint8 {
	state := a.State()
	byCell := state.Cells(state.Labels)
	pixels := make([]uint8, len(a.cells.Labels))
	for i, cell := range a.cells.Labels {
		pixels[i] = byCell[cell]
	}
	return pixels
}

// Close says that the caller is done with the annotation.
func (a *Annotation) Close() { a.release() }

// Image returns the record as it was when the image was opened; its progress is
// that of then.
func (a *Annotation) Image() Image { return a.image }

// Cells returns the finest superpixel map, of whose regions, the cells, all
// others are made. It is shared and read-only.
func (a *Annotation) Cells() *superpixels.Map { return a.cells }

// Superpixels returns the present superpixel map and its name.
func (a *Annotation) Superpixels() (*superpixels.Map, string) {
	a.mu.Lock()
	v := a.look()
	a.mu.Unlock()
	return a.cells.Coarsen(v.cut.Parent, v.cut.N), v.token
}

// look returns the view of the cut in force. The caller holds the lock.
func (a *Annotation) look() view {
	if cut := a.timeline.Cut(); a.view.cut != cut {
		a.view = view{cut: cut, model: NewModel(a.cellGraph.Coarsen(cut.Parent, cut.N), DefaultParameters), token: nameOf(cut)}
	}
	return a.view
}

// nameOf makes the name of a map out of its parts: the first 8 bytes of their
// SHA-256.
func nameOf(cut *superpixels.Cut) string {
	b := make([]byte, 0, 4*len(cut.Parent))
	for _, p := range cut.Parent {
		b = binary.LittleEndian.AppendUint32(b, uint32(p))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
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
		Seq:    a.timeline.Seq(),
		Clicks: a.timeline.Clicks(),
		Labels: a.timeline.Labelling(),
		Undo:   a.timeline.UndoDepth(),
		Redo:   a.timeline.RedoDepth(),
		Map:    v.token,
		Wanted: a.timeline.Wanted(),
		Split:  v.cut.Split,
		Parent: v.cut.Parent,
	}
}

// Events returns the events after number seq.
func (a *Annotation) Events(after int) []Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.timeline.Events(after))
}

// Sequence returns the sequence of hypotheses for the present evidence.
func (a *Annotation) Sequence() *Sequence {
	_, sequence := a.Present()
	return sequence
}

// Present returns the present state and the sequence that belongs to it.
func (a *Annotation) Present() (State, *Sequence) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state(), a.present()
}

// present makes the sequence when nobody has asked for it. The caller holds the lock.
func (a *Annotation) present() *Sequence {
	if a.sequence == nil {
		a.sequence = NewSequence(a.look().model, a.timeline.Clicks(), nil, a.timeline.Seq())
	}
	return a.sequence
}

// ErrOtherMap is the cause of the Conflict that an event meets whose superpixels
// are those of another map than the present one.
var ErrOtherMap = errors.New("superpixels of another map")

// Append adds e to the evidence as number expected+1 and returns its number;
// on return it is on disk. A repeat of an event that is already stored, by its
// ID, answers the number it has. Points are resolved to superpixels. On any
// error nothing has changed.
func (a *Annotation) Append(ctx context.Context, expected int, e Event) (int, error) {
	if err := a.guard.may(ctx, access.Annotate); err != nil {
		return 0, err
	}
	project, err := a.store.Project(ctx, a.image.ProjectID)
	if err != nil {
		return 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, ok := a.timeline.Find(e.ID); ok {
		if !old.same(&e) {
			return 0, a.conflict("The id %q already names another event of this image; every event needs an id of its own. Nothing was changed.", e.ID)
		}
		return old.Seq, nil
	}
	if expected != a.timeline.Seq() {
		return 0, a.conflict("The event was made for state %d of this image, which is now at %d. Nothing was changed; look at the present state and send it again.", expected, a.timeline.Seq())
	}
	if e.Map != "" && e.Map != a.look().token {
		return 0, a.conflict("The event speaks of superpixels of another granularity than the present one. Nothing was changed; look at the present superpixels and send it again.").Because(ErrOtherMap)
	}
	pointed, err := a.under(e.Points)
	if err != nil {
		return 0, err
	}
	e.Superpixels = append(slices.Clone(e.Superpixels), pointed...)
	if err := e.check(a.timeline.Cut().N, len(project.Classes), a.cells.N); err != nil {
		return 0, err
	}
	e.Map, e.Created = "", now()
	if err := a.timeline.Possible(e.Kind); err != nil {
		return 0, err
	}
	if e.Kind == Accept {
		if err := a.fillPick(ctx, &e); err != nil {
			return 0, err
		}
	}
	a.timeline.Apply(e)
	// Once handed to the store the event may be on disk whether or not the
	// caller still waits, so its cancellation must not part the two.
	if err := a.store.Append(context.WithoutCancel(ctx), a.image.ID, expected, e, a.progress()); err != nil {
		a.replay(a.timeline.Events(0)[:expected])
		if KindOf(err) == Conflict { // another process wrote to the log
			return 0, errors.Join(err, a.catchUp(context.WithoutCancel(ctx)))
		}
		return 0, err
	}
	a.sequence = nil
	return a.timeline.Seq(), nil
}

// replay starts the timeline anew with the given events.
func (a *Annotation) replay(events []Event) {
	a.timeline = NewTimeline(a.cells.N, a.image.Regions, func(n int, labels []uint8) *superpixels.Cut {
		return a.hierarchy.Cut(a.cellGraph, n, labels, Void)
	})
	for _, e := range events {
		a.timeline.Apply(e)
	}
}

// catchUp plays the events that the store has and the timeline has not.
func (a *Annotation) catchUp(ctx context.Context) error {
	events, err := a.store.Events(ctx, a.image.ID, a.timeline.Seq())
	if err != nil {
		return err
	}
	for _, e := range events {
		a.timeline.Apply(e)
	}
	a.sequence = nil
	return nil
}

// fillPick completes an accept event with the labels of the hypothesis that it
// names, after checking that this is the hypothesis the person saw.
func (a *Annotation) fillPick(ctx context.Context, e *Event) error {
	h, err := a.present().At(ctx, e.Pick.Rank)
	if err != nil {
		return err
	}
	if e.Pick.Digest != "" && e.Pick.Digest != h.Digest.String() {
		return a.conflict("Hypothesis %d with digest %s is not the one of the present evidence, which has digest %s. Nothing was changed; look at the present hypotheses and pick again.", e.Pick.Rank, e.Pick.Digest, h.Digest)
	}
	e.Pick = &Pick{Rank: h.Rank, Digest: h.Digest.String(), Labels: h.Labels}
	return nil
}

// progress sums up the timeline for the image's record.
func (a *Annotation) progress() Progress {
	var p Progress
	var decided, total int
	labels := a.timeline.cellLabels()
	for cell, r := range a.cellGraph.Regions {
		total += r.Area
		if labels[cell] != Void {
			decided += r.Area
		}
	}
	for _, c := range a.timeline.Clicks() {
		if c != Void {
			p.Clicks++
		}
	}
	p.Decided = float64(decided) / float64(total)
	return p
}

func (a *Annotation) conflict(format string, args ...any) *Error {
	err := Errorf(Conflict, format, args...)
	err.Seq = a.timeline.Seq()
	return err
}

// under returns the superpixels below points of the image, each once.
func (a *Annotation) under(points [][2]float64) ([]int32, error) {
	nodes := make([]int32, 0, len(points))
	for _, p := range points {
		if !(p[0] >= 0 && p[0] < float64(a.cells.Width) && p[1] >= 0 && p[1] < float64(a.cells.Height)) {
			return nil, Errorf(Invalid, "The point (%g, %g) lies outside the image, which is %d×%d pixels. Nothing was changed.", p[0], p[1], a.cells.Width, a.cells.Height)
		}
		nodes = append(nodes, a.timeline.Cut().Parent[a.cells.At(int(p[0]), int(p[1]))])
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), nil
}
