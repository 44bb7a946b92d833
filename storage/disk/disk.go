// Package disk says what a full, read-only or broken disk means for a store, so
// that all stores of a data folder behave alike and speak the same words.
package disk

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"

	"collie/segment"
)

// Health is whether a disk can still be relied on. A sync that has failed may
// have dropped pages that the next one would not write again and would not
// mention, so after it nothing can be promised any more: the store takes no
// further writes until the program is restarted. Make one with NewHealth;
// safe for concurrent use.
type Health struct {
	err  atomic.Pointer[segment.Error]
	gone chan struct{}
}

// NewHealth returns the health of a disk that has done nothing wrong yet.
func NewHealth() *Health { return &Health{gone: make(chan struct{})} }

// Err is nil until the disk has failed, then the error that everyone is told.
func (h *Health) Err() error {
	if err := h.err.Load(); err != nil {
		return err
	}
	return nil
}

// Failed is closed when the disk has failed.
func (h *Health) Failed() <-chan struct{} { return h.gone }

// Fail gives the disk up because of cause and returns what Err says from now on.
func (h *Health) Fail(cause error) error {
	failed := segment.Errorf(segment.Unavailable, "The server's disk failed while saving. Nothing more can be saved until someone has checked it and restarted the server. This change was not saved; earlier work is safe.").Because(cause)
	if h.err.CompareAndSwap(nil, failed) {
		close(h.gone)
	}
	return h.Err()
}

// Full says that there is no space for a change. Nothing was written over, so
// writing goes on as soon as there is some.
func Full(cause error) error {
	return segment.Errorf(segment.Full, "The server's disk is full. This change was not saved; earlier work is safe. Saving works again as soon as there is space.").Because(cause)
}

// ReadOnly says that the data folder takes no changes.
func ReadOnly(cause error) error {
	return segment.Errorf(segment.Unavailable, "The server's data folder is read-only. This change was not saved; earlier work is safe.").Because(cause)
}

// IsFull reports whether a call of the system failed for want of space.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsReadOnly reports whether a call of the system failed because the file
// system or the folder is not to be written.
func IsReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, os.ErrPermission)
}

// Writable tries to make a file in folder and returns why that is not possible.
func Writable(folder string) error {
	f, err := os.CreateTemp(folder, ".probe-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
