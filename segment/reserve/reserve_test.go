//go:build linux || darwin || freebsd || dragonfly || windows

package reserve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/reserve"
)

// What would use the reserve is refused before a byte of it is written, unless it may.
func TestWriter(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	free, kept, ok := reserve.Space(f)
	if !ok {
		t.Fatal("the system doesn't say how much space the disk has")
	}
	if kept <= 0 || kept > 256<<20 {
		t.Errorf("the reserve is %d bytes", kept)
	}
	if free < kept+(64<<20) {
		t.Skip("this disk is nearly full")
	}
	if kept < 3<<20 { // a twentieth of what is free
		t.Errorf("the reserve is %d bytes", kept)
	}
	const slack = 32 << 20 // others use the disk, too
	if err := reserve.Check(f, free-kept-slack); err != nil {
		t.Error(err)
	}
	err = reserve.Check(f, free-kept+slack)
	if segment.KindOf(err) != segment.Full || !segment.OutOfSpace(err) || !strings.Contains(err.Error(), "make room") {
		t.Errorf("%v", err)
	}
	for _, w := range []func([]byte) (int, error){reserve.Writer(t.Context(), f).Write, reserve.Writer(reserve.Use(t.Context()), f).Write} {
		for range 3 {
			if n, err := w(make([]byte, 50_000)); n != 50_000 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
	}
	if info, err := f.Stat(); err != nil || info.Size() != 6*50_000 {
		t.Errorf("%v, %v", info, err)
	}
}
