package segment

import (
	"context"
	"errors"
	"slices"
	"sync"

	"collie/superpixels"
)

// Annotation is one image being worked on: its superpixels, its evidence and
// the sequence of hypotheses that follows from it. All who work on an image
// share one Annotation. Safe for concurrent use.
type Annotation struct {
	store   Store
	image   Image
	regions *superpixels.Map
	graph   *superpixels.Graph
	release func()

	mu       sync.Mutex
	timeline *Timeline
	sequence *Sequence // of the present evidence; made when first asked for
}

// State is a snapshot of the evidence. The slices are the caller's.
type State struct {
	Seq    int
	Clicks []uint8 // class clicked per superpixel, or Void
	Labels []uint8 // the labelling: class per superpixel, or Void
	Undo   int     // steps that can be taken back
	Redo   int     // steps that can be brought back
}

// Close says that the caller is done with the annotation.
func (a *Annotation) Close() { a.release() }

// Image returns the record as it was when the image was opened; its progress is
// that of then.
func (a *Annotation) Image() Image { return a.image }

// Superpixels returns the image's superpixel map, shared and read-only.
func (a *Annotation) Superpixels() *superpixels.Map { return a.regions }

// State returns the present state.
func (a *Annotation) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state()
}

func (a *Annotation) state() State {
	return State{
		Seq:    a.timeline.Seq(),
		Clicks: slices.Clone(a.timeline.Clicks()),
		Labels: a.timeline.Labelling(),
		Undo:   a.timeline.UndoDepth(),
		Redo:   a.timeline.RedoDepth(),
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
		a.sequence = NewSequence(a.graph, a.timeline.Clicks(), a.timeline.Seq())
	}
	return a.sequence
}

// Append adds e to the evidence as number expected+1 and returns its number;
// on return it is on disk. A repeat of an event that is already stored, by its
// ID, answers the number it has. Points are resolved to superpixels. On any
// error nothing has changed.
func (a *Annotation) Append(ctx context.Context, expected int, e Event) (int, error) {
	project, err := a.store.Project(ctx, a.image.ProjectID)
	if err != nil {
		return 0, err
	}
	pointed, err := under(a.regions, e.Points)
	if err != nil {
		return 0, err
	}
	e.Superpixels = append(slices.Clone(e.Superpixels), pointed...)
	if err := e.check(a.regions.N, len(project.Classes)); err != nil {
		return 0, err
	}
	e.Created = now()

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
		a.timeline = Replay(a.regions.N, a.timeline.Events(0)[:expected])
		if KindOf(err) == Conflict { // another process wrote to the log
			return 0, errors.Join(err, a.catchUp(context.WithoutCancel(ctx)))
		}
		return 0, err
	}
	a.sequence = nil
	return a.timeline.Seq(), nil
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
	labels := a.timeline.Labelling()
	for i, r := range a.graph.Regions {
		total += r.Area
		if labels[i] != Void {
			decided += r.Area
		}
		if a.timeline.Clicks()[i] != Void {
			p.Clicks++
		}
	}
	p.Decided = float64(decided) / float64(total)
	return p
}

func (a *Annotation) conflict(format string, args ...any) error {
	err := Errorf(Conflict, format, args...)
	err.Seq = a.timeline.Seq()
	return err
}

// under returns the superpixels below points of the image, each once.
func under(m *superpixels.Map, points [][2]float64) ([]int32, error) {
	nodes := make([]int32, 0, len(points))
	for _, p := range points {
		if !(p[0] >= 0 && p[0] < float64(m.Width) && p[1] >= 0 && p[1] < float64(m.Height)) {
			return nil, Errorf(Invalid, "The point (%g, %g) lies outside the image, which is %d×%d pixels. Nothing was changed.", p[0], p[1], m.Width, m.Height)
		}
		nodes = append(nodes, int32(m.At(int(p[0]), int(p[1]))))
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), nil
}
