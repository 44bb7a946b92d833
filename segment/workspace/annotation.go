package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/timeline"
	"collie/superpixels"
)

// Annotation is one image being worked on: its superpixels, its evidence and
// the sequence of hypotheses that follows from it. Everybody who works on an
// image shares one Annotation. Safe for concurrent use.
type Annotation struct {
	store      segment.Store
	guard      *guard
	image      segment.Image
	hierarchy  *superpixels.Hierarchy
	cells      *superpixels.Runs  // the finest map
	cellGraph  *superpixels.Graph // of it
	turns      *turns
	parameters engine.Parameters
	release    func()
	broadcast  func(imageID string)   // see Workspace.Watch
	finished   func(projectID string) // see Workspace.finished

	past past // for the history

	mu       sync.Mutex // never held while a hypothesis is computed or the past is played
	timeline *timeline.Timeline
	project  segment.Project     // as last read
	table    *segment.ClassTable // of it
	tables   int                 // number of tables so far
	view     view                // of the current cut; made on demand
	repairs  repairView
	guessed  guessView
	sequence *engine.Sequence // of the current evidence; made on demand
	supposed supposition
	noted    *engine.Sequence // the sequence whose doubt is stored
}

// view is derived from a cut.
type view struct {
	cut   *superpixels.Cut
	model *engine.Model
	token string
}

// Close releases the annotation.
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

// Superpixels returns the current superpixel map and its name.
func (a *Annotation) Superpixels() (*superpixels.Runs, string) {
	a.mu.Lock()
	v := a.look()
	a.mu.Unlock()
	return a.cells.Coarsen(v.cut.Parent, v.cut.N), v.token
}

// look returns the view of the current cut. The caller holds the lock.
func (a *Annotation) look() view {
	if cut := a.timeline.Cut(); a.view.cut != cut {
		a.view = view{cut: cut, model: engine.ModelOf(a.hierarchy, a.cellGraph, cut, a.parameters), token: nameOf(cut)}
	}
	return a.view
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
			a.sequence = a.sequenceOf(a.evidence(), a.timeline.Seq())
		}
		a.supposed = supposition{}
	}
	return a.sequence
}

// refresh rereads the project and reports whether its classes had changed.
func (a *Annotation) refresh(ctx context.Context) (changed bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.tables
	err = a.readProject(ctx)
	return a.tables != before, err
}

// readProject reads the project's classes from the store. The caller holds the
// lock, so an older reading can't replace a newer one.
func (a *Annotation) readProject(ctx context.Context) error {
	p, err := a.store.Project(ctx, a.image.ProjectID)
	if err == nil {
		a.takeProject(p)
	}
	return err
}

func (a *Annotation) takeProject(p segment.Project) {
	if a.table == nil || !segment.SameClasses(&a.project, &p) {
		a.table = p.Resolve()
		a.tables++
	}
	if !segment.SameLabels(&a.project, &p) {
		a.sequence, a.supposed = nil, supposition{}
	}
	a.project = p
}
