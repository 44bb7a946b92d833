package workspace

import (
	"context"
	"errors"
	"reflect"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/ledger"
	"collie/segment/photo"
	"collie/segment/schedule"
	"collie/superpixels"
)

// Memory for documents: the JSON of requests, and an import's tables of a data
// set while its images are read one by one.
const (
	documentMemory  = 192 << 20 // bytes
	documentShare   = documentMemory / 2
	documentWaiting = 32 // waiting loans of one user
)

// Documents lends n bytes for reading documents; see [ledger.Ledger.Take]. A
// caller that also needs memory for pictures takes that after, never before.
func (w *Workspace) Documents(ctx context.Context, n int64) (give func(), err error) {
	give, err = w.documents.Take(ctx, n)
	switch {
	case errors.Is(err, ledger.ErrBusy):
		return nil, segment.Errorf(segment.Busy, "Too many files are being read right now. This one was not saved; try again in a few seconds.")
	case errors.Is(err, ledger.ErrTooMuch):
		return nil, segment.Errorf(segment.TooLarge, "This file needs more memory than the server has for files of its kind.")
	}
	return give, err
}

// Pictures lends n bytes for pixels, from the memory for decoding photographs.
func (w *Workspace) Pictures(ctx context.Context, n int64) (give func(), err error) {
	if w.gate == nil {
		return func() {}, nil
	}
	give, err = w.gate.Memory(ctx, n)
	return give, Refusal(err)
}

// PhotoLimits returns the limits of a photograph.
func (w *Workspace) PhotoLimits() photo.Limits {
	if w.gate == nil {
		return photo.Limits{}.OrDefault()
	}
	return w.gate.Limits()
}

// MostImages returns how many images a project can hold.
func (w *Workspace) MostImages() int { return w.images }

// Sizes in memory, in bytes.
var (
	regionBytes = int(reflect.TypeFor[superpixels.Region]().Size())
	edgeBytes   = int(reflect.TypeFor[superpixels.Edge]().Size())
)

const (
	cellBytes       = 2*8 + 4 + 2 // a merge of the hierarchy and of the graph, a parent, a click and a label
	superpixelBytes = 1350        // of the model of a cut and a sequence on it
	learnedBytes    = 520         // more with learned affinities, beside the similarities of clicks
	dividedBytes    = 350         // of a cell, more when clicks have divided superpixels, beside what the assistant says
)

// footprint estimates the annotation's memory in bytes: the runs of the finest
// map, the graph, the model, a sequence on it, and the evidence.
func (a *Annotation) footprint() int64 {
	n := a.cells.Bytes() + regionBytes*len(a.assistant.Cells.Regions) + edgeBytes*len(a.assistant.Cells.Edges) + cellBytes*a.cells.N + a.assistant.Bytes()
	a.mu.Lock()
	defer a.mu.Unlock()
	superpixels := a.timeline.Cut().N
	n += superpixelBytes*superpixels + a.timeline.Bytes()
	if a.assistant.Parameters.Affinities != nil {
		clicked := 0
		for _, class := range a.timeline.Clicks() {
			if class != segment.Void {
				clicked++
			}
		}
		n += learnedBytes*superpixels + engine.SimilarityBytes(superpixels, clicked)
	}
	if e := a.timeline.Embedding(); e.Counts() {
		n += 4 * e.Dims * (a.cells.N + a.timeline.Cut().N)
	}
	if a.timeline.Cut() != a.timeline.Base() {
		n += dividedBytes * a.cells.N
	}
	return int64(n)
}

// Load returns the current load.
func (w *Workspace) Load() Load {
	w.open.mu.Lock()
	defer w.open.mu.Unlock()
	return Load{Load: w.schedule.Load(), Images: len(w.open.byID), Bytes: w.open.used, Budget: w.open.budget}
}

// Observer returns the workspace's observer.
func (w *Workspace) Observer() gauge.Observer { return w.observer }

// Load is a workspace's current work and memory.
type Load struct {
	schedule.Load
	Images int   // prepared images in memory
	Bytes  int64 // estimate of their memory
	Budget int64 // limit for images in memory
}
