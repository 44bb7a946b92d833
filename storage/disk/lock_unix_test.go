//go:build unix

package disk

import (
	"syscall"
	"testing"
)

// A closed lock is free although a program that is being started still has the file.
func TestLockEndsWithClose(t *testing.T) {
	folder := t.TempDir()
	first, err := Hold(folder, "here")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := syscall.Dup(int(first.(Lock).file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(copied)
	if _, err := Hold(folder, "there"); err == nil {
		t.Error("two servers hold one folder")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Hold(folder, "there")
	if err != nil {
		t.Fatalf("after the first has closed its lock: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
