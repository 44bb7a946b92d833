// Package disk handles full, read-only and broken disks, so that all stores of
// a data folder behave alike and return the same errors.
package disk

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"

	"collie/segment"
	"collie/segment/reserve"
	"collie/tempfile"
)

// Health tracks whether a disk can still be relied on. A failed sync can drop
// pages that the next sync neither writes nor reports, so after it nothing is
// certain: the store refuses all writes until the program is restarted. Make
// one with NewHealth. Safe for concurrent use.
type Health struct {
	err  atomic.Pointer[segment.Error]
	gone chan struct{}
}

// NewHealth returns the health of a working disk.
func NewHealth() *Health { return &Health{gone: make(chan struct{})} }

// Err is nil until the disk has failed, then the error for every caller.
func (h *Health) Err() error {
	if err := h.err.Load(); err != nil {
		return err
	}
	return nil
}

// Failed is closed when the disk has failed.
func (h *Health) Failed() <-chan struct{} { return h.gone }

// Fail marks the disk as failed because of cause and returns the error that Err
// returns from then on.
func (h *Health) Fail(cause error) error {
	failed := segment.Errorf(segment.Unavailable, "The server's disk failed while saving. Nothing more can be saved until someone has checked it and restarted the server. This was not saved; earlier work is safe.").Because(cause)
	if h.err.CompareAndSwap(nil, failed) {
		close(h.gone)
	}
	return h.Err()
}

// Full is the error for a full disk. Nothing was overwritten, so writing works
// again as soon as there is space.
func Full(cause error) error {
	return segment.Errorf(segment.Full, "The server's disk is full. This was not saved; earlier work is safe. Saving works again as soon as there is space.").Because(cause)
}

// ReadOnly is the error for a read-only data folder.
func ReadOnly(cause error) error {
	return segment.Errorf(segment.Unavailable, "The server's data folder is read-only. This was not saved; earlier work is safe.").Because(cause)
}

// IsReadOnly reports whether a system call failed because the file system or
// the folder is read-only.
func IsReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, os.ErrPermission)
}

// Spare returns an error of kind Full if nothing large can be stored in folder, because
// what is left is the reserve.
func Spare(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return Trouble(err)
	}
	defer f.Close()
	return reserve.Check(f, 1)
}

// Room tries to write so many bytes in folder and returns the error, if any.
func Room(folder string, bytes int) error {
	f, err := tempfile.Create(folder, temporary+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, bytes))
	return errors.Join(err, f.Close())
}

// Writable tries to create a file in folder and returns the error, if any.
func Writable(folder string) error {
	f, err := tempfile.Create(folder, temporary+"*")
	if err != nil {
		return err
	}
	return f.Close()
}
