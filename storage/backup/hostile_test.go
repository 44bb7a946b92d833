package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entry is a file in a tar archive.
type entry struct {
	header  tar.Header
	content []byte
}

// entries takes a backup apart.
func entries(tb testing.TB, backup []byte) (all []entry) {
	tb.Helper()
	for r := tar.NewReader(bytes.NewReader(backup)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			tb.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, entry{*h, b})
	}
}

// pack puts entries together again, with checksums that fit unless kept.
func pack(tb testing.TB, all []entry, keepSums bool) []byte {
	tb.Helper()
	var sums strings.Builder
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range all {
		if e.header.Name == sumsName && !keepSums {
			e.content = []byte(sums.String())
		}
		e.header.Size = int64(len(e.content))
		if e.header.Typeflag != tar.TypeReg {
			e.header.Size, e.content = 0, nil
		}
		if err := w.WriteHeader(&e.header); err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write(e.content); err != nil {
			tb.Fatal(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(e.content), e.header.Name)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// sparse turns the first file of a backup into an old GNU sparse file of 8 GiB
// minus 1.
func sparse(backup []byte) []byte {
	b := bytes.Clone(backup)
	h := b[:512]
	h[156] = 'S'
	copy(h[257:], "ustar  \x00")
	clear(h[345:500])
	copy(h[386:], "00000000000\x0000000000000\x00") // no data at all
	copy(h[124:], "00000000000\x00")                // so much in the archive
	copy(h[483:], "77777777777\x00")                // so much when unpacked
	copy(h[148:], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return b
}

// TestHostileBackups checks that nothing is restored from an incomplete or
// malformed backup, and that nothing is written elsewhere.
func TestHostileBackups(t *testing.T) {
	good := mustWrite(t)
	parts := entries(t, good)
	last := len(parts) - 1
	with := func(e entry) []entry { return append(append([]entry{}, parts[:last]...), e, parts[last]) }
	file := func(name string) entry {
		return entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600}, []byte("x")}
	}
	change := func(i int, f func(e *entry)) []entry {
		all := append([]entry{}, parts...)
		all[i].content = bytes.Clone(all[i].content)
		f(&all[i])
		return all
	}
	cases := map[string][]byte{
		"empty":           {},
		"text":            []byte(strings.Repeat("no archive ", 1000)),
		"cut off":         good[:len(good)/2],
		"cut at its end":  good[:len(good)-1024-512-len(parts[last].content)],
		"a blob changed":  pack(t, change(3, func(e *entry) { e.content = append(e.content, 'x') }), true),
		"database gone":   pack(t, parts[1:], false),
		"a blob gone":     pack(t, append(append([]entry{}, parts[:5]...), parts[6:]...), false),
		"a blob unlisted": pack(t, with(file("blobs/original/more")), true),
		"sums too many": pack(t, change(last, func(e *entry) {
			e.content = append(e.content, []byte(strings.Repeat("0", 64)+"  blobs/more\n")...)
		}), true),
		"sums broken": pack(t, change(last, func(e *entry) { e.content = []byte("x\n") }), true),
		"twice":       pack(t, with(parts[4]), false),
		"no database": pack(t, change(0, func(e *entry) { e.content = []byte("no database") }), false),
		"link":        pack(t, with(entry{tar.Header{Name: "blobs/link", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, nil}), false),
		"hard link":   pack(t, with(entry{tar.Header{Name: "blobs/link", Typeflag: tar.TypeLink, Linkname: "collie.db"}, nil}), false),
		"folder":      pack(t, with(entry{tar.Header{Name: "blobs/folder", Typeflag: tar.TypeDir}, nil}), false),
		"device":      pack(t, with(entry{tar.Header{Name: "blobs/device", Typeflag: tar.TypeChar}, nil}), false),
		"extension":   pack(t, with(entry{tar.Header{Name: "blobs/x", Typeflag: tar.TypeReg, PAXRecords: map[string]string{"COLLIE.x": "1"}}, nil}), false),
		"sparse":      sparse(good),
	}
	for _, name := range []string{"../x", "/etc/x", "blobs/../../x", "blobs/../collie.db", "collie.db-wal", "collie.db/x", "blobs/X", "blobs/.lock", "blobs//x", "blobs\\x", "x", ".", "blobs/" + strings.Repeat("a/", 8) + "a"} {
		cases["name "+name] = pack(t, with(file(name)), false)
	}
	for name, b := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, place := filepath.Join(dir, "backup.tar"), filepath.Join(dir, "data")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(t.Context(), path, place); err == nil {
				t.Error("it was restored")
			} else if !strings.Contains(err.Error(), "Nothing was restored") {
				t.Errorf("error %v", err)
			} else if strings.HasPrefix(name, "cut") && !strings.Contains(err.Error(), "the backup is not complete") {
				t.Errorf("error %v of half a file", err)
			}
			if names := list(t, dir); !cmp.Equal(names, []string{"backup.tar"}) {
				t.Errorf("left behind: %q", names)
			}
		})
	}
	t.Run("untouched", func(t *testing.T) { // the control: what the cases start from is good
		dir := t.TempDir()
		path := filepath.Join(dir, "backup.tar")
		if err := os.WriteFile(path, pack(t, parts, false), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), path, filepath.Join(dir, "data")); err != nil {
			t.Error(err)
		}
	})
}

// A folder that is there stays what it is: a mounted disk, which can't be replaced,
// one that a link leads to, or another user's. A backup that is no good leaves it
// empty.
func TestRestoreToEmptyFolder(t *testing.T) {
	good := mustWrite(t)
	for name, has := range map[string][]string{
		"empty":       nil,
		"new disk":    {"lost+found"},
		"interrupted": {".collie-part-1234"}, // a restore that was killed
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, place, link := filepath.Join(dir, "backup.tar"), filepath.Join(dir, "data"), filepath.Join(dir, "link")
			err := errors.Join(os.WriteFile(path, good[:len(good)/2], 0o600), os.Mkdir(place, 0o750), os.Symlink(place, link))
			for _, name := range has {
				err = errors.Join(err, os.MkdirAll(filepath.Join(place, name, "x"), 0o700))
			}
			before, stat := os.Stat(place)
			if err := errors.Join(err, stat); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(t.Context(), path, link); err == nil || !strings.Contains(err.Error(), "not complete") {
				t.Errorf("half a backup: %v", err)
			}
			left := slices.DeleteFunc(slices.Clone(has), func(name string) bool { return name != "lost+found" })
			if names := list(t, place); !slices.Equal(names, left) {
				t.Errorf("half a backup left %q", names)
			}
			if err := os.WriteFile(path, good, 0o600); err != nil {
				t.Fatal(err)
			}
			if s, err := Read(t.Context(), path, link); err != nil || s.Images != 3 {
				t.Fatalf("%+v, %v", s, err)
			}
			after, err := os.Stat(place)
			if err != nil || !os.SameFile(before, after) || before.Mode() != after.Mode() {
				t.Errorf("the folder is another: %v, %v", after, err)
			}
			if want, names := append([]string{"blobs", "collie.db", "collie.db-mark"}, left...), list(t, place); !slices.Equal(names, want) {
				t.Errorf("restored %q, want %q", names, want)
			}
			if images := mustOpen(t, place).images(t); len(images) != 3 {
				t.Errorf("%d images", len(images))
			}
		})
	}
}

// A hostile database, with checksums that fit, is refused as well.
func TestHostileDatabase(t *testing.T) {
	parts := entries(t, mustWrite(t))
	for name, statement := range map[string]string{
		"trigger": "CREATE TRIGGER t AFTER DELETE ON session BEGIN DELETE FROM event; END",
		"view":    "CREATE VIEW v AS SELECT 1",
		"newer":   "PRAGMA user_version = 9999",
		"other":   "PRAGMA application_id = 1",
		"gap":     "DELETE FROM event WHERE number = (SELECT min(number) FROM event)",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := filepath.Join(dir, "db")
			if err := os.WriteFile(db, parts[0].content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := execute(t, db, statement); err != nil {
				t.Fatal(err)
			}
			changed, err := os.ReadFile(db)
			if err != nil {
				t.Fatal(err)
			}
			all := append([]entry{}, parts...)
			all[0].content = changed
			path := filepath.Join(dir, "backup.tar")
			if err := os.WriteFile(path, pack(t, all, false), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(t.Context(), path, filepath.Join(dir, "data")); err == nil {
				t.Error("it was restored")
			} else {
				t.Log(err)
			}
		})
	}
}
