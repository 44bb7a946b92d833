package blob

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"collie/segment"
	"collie/storage/storagetest"
)

// placeVariable names the folder in which the file b can't be read, in the process for that.
const placeVariable = "COLLIE_TEST_UNREADABLE"

// TestUnreadable lets the disk fail to open or to read a file, as one with a bad sector
// does: the file is damaged, its checksum isn't known, and others are not affected.
func TestUnreadable(t *testing.T) {
	if place := os.Getenv(placeVariable); place != "" {
		checkUnreadable(t, place)
		return
	}
	strace := storagetest.Strace(t)
	place := t.TempDir()
	s := openAt(t, place)
	for _, key := range []string{"a", "b"} {
		err := s.Put(t.Context(), key, func(w io.Writer) error { _, err := io.WriteString(w, "content of "+key); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := SealedName("b")
	for name, fault := range map[string][]string{
		"open": {"-P", file, "-e", "inject=openat:error=EIO"},
		"read": {"-P", filepath.Join(place, file), "-e", "inject=pread64,read:error=EIO"},
	} {
		command := append(append(strace[1:], "-o", os.DevNull), fault...)
		test := exec.CommandContext(t.Context(), strace[0], append(command, os.Args[0], "-test.run=^TestUnreadable$", "-test.count=1")...)
		test.Env = append(os.Environ(), placeVariable+"="+place)
		if out, err := test.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// A file that is not what was stored is damaged, however short.
func TestDamagedFile(t *testing.T) {
	place := t.TempDir()
	s := openAt(t, place)
	defer s.Close()
	if err := s.Put(t.Context(), "a", func(w io.Writer) error { _, err := io.WriteString(w, "content"); return err }); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(place, SealedName("a"))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[3] ^= 1
	for name, b := range map[string][]byte{"one bit": flipped, "without its end": whole[:len(whole)-1], "without its beginning": whole[1:], "shorter than a seal": whole[:sealBytes-1], "empty": nil} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), "a"); segment.KindOf(err) != segment.Damaged {
			t.Errorf("%s: %v, want an Error of kind Damaged", name, err)
		}
	}
}

func checkUnreadable(t *testing.T, place string) {
	s := openAt(t, place)
	for _, c := range []struct {
		key   string
		kind  segment.Kind
		known bool
	}{{"a", 0, true}, {"b", segment.Damaged, false}} {
		sum, err := s.Sum(c.key)
		if err != nil || sum != "" != c.known {
			t.Errorf("the checksum of %s: %q, %v", c.key, sum, err)
		}
		file, err := s.Open(t.Context(), c.key)
		if err == nil {
			err = file.Close()
		}
		if segment.KindOf(err) != c.kind {
			t.Errorf("opening %s: %v, want kind %v", c.key, err, c.kind)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
