//go:build unix

package blob

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"collie/segment"
)

// While the program can't open another file, a stored one is neither missing nor
// damaged: nothing may be made again in its place.
func TestTooManyFiles(t *testing.T) {
	s := openAt(t, t.TempDir())
	defer s.Close()
	if err := s.Put(t.Context(), "x", func(w io.Writer) error { _, err := io.WriteString(w, "whole"); return err }); err != nil {
		t.Fatal(err)
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	few := before
	few.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	var taken []*os.File
	for {
		file, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		taken = append(taken, file)
	}
	_, err := s.Open(t.Context(), "x")
	for _, file := range taken {
		_ = file.Close()
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if segment.KindOf(err) != segment.Unavailable || !strings.Contains(err.Error(), "too many files") {
		t.Errorf("without another file: %v", err)
	}
	file, err := s.Open(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
}
