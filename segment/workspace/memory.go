package workspace

import (
	"context"
	"errors"

	"collie/segment"
	"collie/segment/gauge"
	"collie/segment/ledger"
	"collie/segment/photo"
	"collie/segment/schedule"
)

// Memory for documents: the JSON of requests, and an import's tables of a data
// set while its images are read one by one.
const (
	documentMemory  = 192 << 20 // bytes
	documentShare   = documentMemory / 2
	documentWaiting = 32 // waiting loans of one user
)

// workbenchMemory is for the unfinished work of all sequences, in bytes.
const workbenchMemory = 160 << 20

// Documents lends n bytes for reading documents; see [ledger.Ledger.Take]. A
// caller that also needs memory for pictures takes that after, never before.
func (w *Workspace) Documents(ctx context.Context, n int64) (give func(), err error) {
	give, err = w.documents.Take(ctx, n)
	switch {
	case errors.Is(err, ledger.ErrBusy):
		return nil, segment.Errorf(segment.Busy, "Too many files are being read right now. Nothing was changed; try again in a few seconds.")
	case errors.Is(err, ledger.ErrTooMuch):
		return nil, segment.Errorf(segment.TooLarge, "This file needs more memory than the server has for files of its kind.")
	}
	return give, err
}

// Pictures lends n bytes for pixels, from the memory for decoding photographs, or all of
// that.
func (w *Workspace) Pictures(ctx context.Context, n int64) (give func(), err error) {
	if w.gate == nil {
		return func() {}, nil
	}
	give, err = w.gate.Memory(ctx, n)
	return give, photo.Refusal(err)
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
	Bytes  int64 // estimate of their memory, without what those in use remember of clicks
	Budget int64 // limit for images in memory
}
