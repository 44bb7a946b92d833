package workspace

import (
	"context"
	"errors"

	"collie/segment"
	"collie/segment/ledger"
	"collie/segment/photo"
)

// Memory for documents: the JSON of requests, and what an import knows of a
// data set while its images pass one by one.
const (
	documentMemory  = 192 << 20 // bytes
	documentShare   = documentMemory / 2
	documentWaiting = 32 // of one user
)

// Documents lends n bytes for documents that are read; see [ledger.Ledger.Take].
// Who needs memory for pictures too takes it after, never before.
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

// Pictures lends n bytes for pixels, of the memory in which photographs are
// decoded.
func (w *Workspace) Pictures(ctx context.Context, n int64) (give func(), err error) {
	if w.gate == nil {
		return func() {}, nil
	}
	give, err = w.gate.Memory(ctx, n)
	return give, Refusal(err)
}

// PhotoLimits are those of a photograph.
func (w *Workspace) PhotoLimits() photo.Limits {
	if w.gate == nil {
		return photo.Limits{}.OrDefault()
	}
	return w.gate.Limits()
}

// MostImages is how many images a project can hold.
func (w *Workspace) MostImages() int { return w.images }
