// Package annotation is one image that people have open: its superpixels, its
// evidence and the hypotheses that follow from it. Every call of an [Annotation]
// checks the caller's rights; those of its [Keeper], which opened it, don't.
package annotation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sync"

	"collie/segment"
	"collie/segment/assistant"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/guard"
	"collie/segment/ledger"
	"collie/segment/timeline"
	"collie/superpixels"
)

// Annotation is one image being worked on: its superpixels, its evidence and
// the sequence of hypotheses that follows from it. Everybody who works on an
// image shares one Annotation. Safe for concurrent use.
type Annotation struct {
	store     segment.Store
	guard     *guard.Guard
	image     segment.Image
	assistant *assistant.Assistant
	cells     *superpixels.Runs // the finest map
	turn      engine.Turn
	workbench *engine.Workbench
	observer  gauge.Observer
	lessons   Lessons
	changed   func(imageID string)
	release   func()
	longLog   *ledger.Ledger

	past *past // for the history

	mu       sync.Mutex // never held while a hypothesis is computed or the past is played
	timeline *timeline.Timeline
	project  segment.Project     // as last read
	table    *segment.ClassTable // of it
	tables   int                 // how many there were
	meant    int                 // number of events when labels last got another meaning, or Never
	rewound  int                 // how often the log was replaced, see rewind
	skipped  int                 // what that adds to the version of the state
	name     mapName
	views    [2]view // of the current cut and another, see look
	repairs  repairView
	guessed  guessView
	sequence *engine.Sequence // of the current evidence; made on demand
	supposed supposition
	noted    *engine.Sequence // the sequence whose doubt is stored
}

// view is derived from a cut and what is known.
type view struct {
	cut   *superpixels.Cut
	known assistant.Known
	model *engine.Model
}

// mapName names a map.
type mapName struct {
	of   *superpixels.Cut
	name string
}

// Close ends one use of the annotation.
func (a *Annotation) Close() {
	a.noteDoubt()
	a.release()
}

// Image returns the image's record, with the progress at the time of opening.
func (a *Annotation) Image() segment.Image { return a.image }

// Project returns the record of the image's project as last read, with its
// current classes.
func (a *Annotation) Project() segment.Project {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.project
}

// Cells returns the finest superpixel map. Its regions, the cells, make up
// those of all other maps. It is shared.
func (a *Annotation) Cells() *superpixels.Runs { return a.cells }

// Graph returns the neighbourhood of the cells. It is shared.
func (a *Annotation) Graph() *superpixels.Graph { return a.assistant.Cells }

// Hierarchy returns the hierarchy that all maps of the image are levels of. It is
// shared.
func (a *Annotation) Hierarchy() *superpixels.Hierarchy { return a.assistant.Hierarchy }

// Superpixels returns the current superpixel map, which events refer to, and
// its name.
func (a *Annotation) Superpixels() (*superpixels.Runs, string) {
	name, m := a.Whole()
	return m(), name
}

// Divided returns the name of the map that hypotheses are about, which is that of
// Superpixels with parts of what clicks have divided, and what makes the map.
func (a *Annotation) Divided() (name string, m func() *superpixels.Runs) {
	a.mu.Lock()
	cut := a.timeline.Cut()
	a.mu.Unlock()
	return nameOf(cut), func() *superpixels.Runs { return a.cells.Coarsen(cut.Parent, cut.N) }
}

// Whole is Divided of the map of Superpixels.
func (a *Annotation) Whole() (name string, m func() *superpixels.Runs) {
	a.mu.Lock()
	cut, name := a.timeline.Base(), a.mapName()
	a.mu.Unlock()
	return name, func() *superpixels.Runs { return a.cells.Coarsen(cut.Parent, cut.N) }
}

// mapName is the name of the map that events refer to. The caller holds the
// lock.
func (a *Annotation) mapName() string {
	if base := a.timeline.Base(); a.name.of != base {
		a.name = mapName{base, nameOf(base)}
	}
	return a.name.name
}

// look returns the view of the current cut and what is known. It keeps the last one, too, so that
// a supposed click costs nothing again when it is made. The caller holds the
// lock.
func (a *Annotation) look() view {
	cut, known := a.timeline.Cut(), assistant.KnownTo(a.timeline)
	for i, v := range a.views {
		if v.cut != nil && v.known == known && (v.cut == cut || slices.Equal(v.cut.Parent, cut.Parent)) {
			a.views[0], a.views[i] = v, a.views[0]
			return v
		}
	}
	a.views = [2]view{{cut, known, a.assistant.Model(cut, known)}, a.views[0]}
	return a.views[0]
}

// nameOf returns the name of a map: the first 8 bytes of the SHA-256 of its
// parts.
func nameOf(cut *superpixels.Cut) string {
	b := make([]byte, 0, 4*len(cut.Parent))
	for _, p := range cut.Parent {
		b = binary.LittleEndian.AppendUint32(b, uint32(p))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Sequence returns the sequence of hypotheses for the current evidence.
func (a *Annotation) Sequence() *engine.Sequence {
	_, sequence := a.Present()
	return sequence
}

// Present returns the current state and its sequence.
func (a *Annotation) Present() (State, *engine.Sequence) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state(), a.present()
}

// present returns the current sequence, which it makes if needed. The caller
// holds the lock.
func (a *Annotation) present() *engine.Sequence {
	if a.sequence == nil {
		if a.sequence = a.foreseen(); a.sequence == nil {
			a.sequence = a.sequenceOf()
		}
		a.supposed = supposition{}
	}
	return a.sequence
}

// refresh rereads the project. Whoever finds that its classes have changed notifies the
// pages: later readers find nothing new.
func (a *Annotation) refresh(ctx context.Context) error {
	changed, err := a.readProject(ctx)
	if changed {
		a.changed(a.image.ID)
	}
	return err
}

// readProject reads the project from the store and reports whether pages show something
// else now. It reads under the lock, so that an older reading can't replace a newer one.
func (a *Annotation) readProject(ctx context.Context) (changed bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.store.Project(ctx, a.image.ProjectID)
	if err != nil {
		return false, err
	}
	return a.takeProject(p), nil
}

func (a *Annotation) takeProject(p segment.Project) (changed bool) {
	first := a.table == nil
	changed = !first && !segment.SameForPages(&a.project, &p)
	if first || changed {
		a.table = p.Resolve()
		a.tables++
	}
	if !segment.SameLabels(&a.project, &p) {
		a.sequence, a.supposed = nil, supposition{}
		if a.meant = a.timeline.Seq(); first {
			a.meant = Never
		}
	}
	a.project = p
	return changed
}
