package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/sharedtest"
)

// entry is a file to put into an archive.
type entry struct {
	name    string
	content string
	change  func(*zip.FileHeader)
}

// pack makes an archive; entries are deflated.
func pack(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.change != nil {
			e.change(h)
		}
		out, err := w.CreateHeader(h)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(out, e.content); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func open(tb testing.TB, b []byte, limits Limits) *Archive {
	tb.Helper()
	a, err := Open(bytes.NewReader(b), int64(len(b)), limits)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func readAll(f *File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// contents reads everything that can be taken and the kinds of refusal.
func contents(a *Archive) map[string]any {
	all := map[string]any{}
	for f := range a.Files() {
		b, err := readAll(f)
		if err != nil {
			all[f.Name] = segment.KindOf(err)
			continue
		}
		all[f.Name] = string(b)
	}
	return all
}

func TestPlainArchive(t *testing.T) {
	b := pack(t, entry{name: "a/"}, entry{name: "a/b.txt", content: "one"}, entry{name: "./c.txt", content: "two"},
		entry{name: "\x81ber.txt", content: "three", change: func(h *zip.FileHeader) { h.NonUTF8 = true }},
		entry{name: "grün.txt", content: "", change: func(h *zip.FileHeader) { h.Method = zip.Store }},
		entry{name: "__MACOSX/a/._b.txt", content: "x"}, entry{name: "a/.DS_Store", content: "x"},
		entry{name: "a/._b.txt", content: "x"}, entry{name: "._c.txt", content: "x"}, entry{name: "a/__MACOSX/b", content: "x"},
		entry{name: "a/thumbs.db", content: "x"}, entry{name: "Desktop.ini", content: "x"},
		entry{name: "\x80a.txt", content: "four", change: func(h *zip.FileHeader) { h.NonUTF8 = true }})
	a := open(t, b, Limits{})
	want := map[string]any{"a/b.txt": "one", "c.txt": "two", "über.txt": "three", "grün.txt": "", "Ça.txt": "four"}
	if diff := cmp.Diff(want, contents(a)); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
	for f := range a.Files() {
		if f.Name == "a/b.txt" && f.Size != 3 {
			t.Errorf("%s has %d bytes", f.Name, f.Size)
		}
	}
}

// PowerShell 5 puts backslashes between folders. Elsewhere one is part of a name, which no
// other system could tell from a path.
func TestBackslashes(t *testing.T) {
	made := func(system uint16) func(*zip.FileHeader) {
		return func(h *zip.FileHeader) { h.CreatorVersion = system<<8 | 20 }
	}
	const windows, unix = 0, 3
	a := open(t, pack(t, entry{name: `pics\`, change: made(windows)}, entry{name: `pics\sub\`, change: made(windows)},
		entry{name: `pics\sub\x.jpg`, content: "one", change: made(windows)}, entry{name: `.\y.png`, content: "two", change: made(windows)},
		entry{name: `pics\Thumbs.db`, change: made(windows)}, entry{name: `..\out.png`, change: made(windows)},
		entry{name: `C:\z.png`, change: made(windows)}, entry{name: `a\b.png`, change: made(unix)}), Limits{})
	want := map[string]any{"pics/sub/x.jpg": "one", "y.png": "two", `..\out.png`: segment.Invalid, `C:\z.png`: segment.Invalid, `a\b.png`: segment.Invalid}
	if diff := cmp.Diff(want, contents(a)); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"a.png": true, "a b/c (1).png": true, "ü/猫.png": true, "a..b": true, "console.png": true, "com.png": true, "what?.png": true, ".hidden": true, "a/b:c.png": true,
		"../a": false, "a/../../b": false, "a/../b": false, "/a": false, "a//b": false, "a/./b": false, "..": false, "": false,
		`a\b`: false, `..\a`: false, "C:a": false, `C:\a`: false, "c:/a": false,
		"con": true, "CON.png": true, "a/nul.tif": true, "aux.png": true, "com1/a.png": true,
		"a.": false, "a /b": false, "a\nb": false, "a\u2028b": false, "a\u2029b": false, "\u202egnp.exe": false, "\u200f\u200fصورة - نسخة.png": true, "a\x00": false, "\xff\xfe": false,
		strings.Repeat("x", 1025): false,
	} {
		if got := badName(name); (got == "") != ok {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestRefusedEntries(t *testing.T) {
	mode := func(m fs.FileMode) func(*zip.FileHeader) { return func(h *zip.FileHeader) { h.SetMode(m) } }
	locked := pack(t, entry{name: "locked", content: "x"})
	binary.LittleEndian.PutUint16(locked[bytes.Index(locked, []byte("PK\x01\x02"))+8:], 1)
	odd := pack(t, entry{name: "odd", content: "x", change: func(h *zip.FileHeader) { h.Method = zip.Store }})
	binary.LittleEndian.PutUint16(odd[bytes.Index(odd, []byte("PK\x01\x02"))+10:], 12)
	damaged := pack(t, entry{name: "damaged", content: "hello hello", change: func(h *zip.FileHeader) { h.Method = zip.Store }})
	damaged[bytes.Index(damaged, []byte("hello"))] = 'j'
	for name, c := range map[string]struct {
		zip  []byte
		want map[string]any
	}{
		"link":      {pack(t, entry{"link", "/etc/passwd", mode(fs.ModeSymlink | 0o777)}, entry{name: "b", content: "x"}), map[string]any{"link": segment.Invalid, "b": "x"}},
		"device":    {pack(t, entry{"device", "", mode(fs.ModeDevice | 0o600)}), map[string]any{"device": segment.Invalid}},
		"encrypted": {locked, map[string]any{"locked": segment.Unsupported}},
		"method":    {odd, map[string]any{"odd": segment.Unsupported}},
		"checksum":  {damaged, map[string]any{"damaged": segment.Unreadable}},
		"ratio":     {pack(t, entry{name: "ratio", content: strings.Repeat("x", 1<<20)}), map[string]any{"ratio": segment.TooLarge}},
	} {
		if diff := cmp.Diff(c.want, contents(open(t, c.zip, Limits{}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	twice := open(t, pack(t, entry{name: "a", content: "first"}, entry{name: "a", content: "second"}), Limits{})
	files := slices.Collect(twice.Files())
	if b, err := readAll(files[0]); string(b) != "first" || err != nil {
		t.Errorf("the first of two: %q, %v", b, err)
	}
	if _, err := files[1].Open(); segment.KindOf(err) != segment.Invalid {
		t.Errorf("the second of two: %v", err)
	}
}

// The sizes in the directory are not trusted.
func TestLyingDirectory(t *testing.T) {
	content := strings.Repeat("abcdefgh", 4096)
	b := pack(t, entry{name: "a", content: content})
	directory := b[bytes.Index(b, []byte("PK\x01\x02")):]
	binary.LittleEndian.PutUint32(directory[24:], 100) // inflated size
	f := slices.Collect(open(t, b, Limits{}).Files())[0]
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r); segment.KindOf(err) != segment.Unreadable || n > 100 {
		t.Errorf("a file said to have 100 bytes: %d, %v", n, err)
	}
}

// Entries that share their bytes inflate to more than any of them alone.
func TestSharedBytes(t *testing.T) {
	content := fmt.Sprint(make([]int, 500), rand.New(rand.NewPCG(1, 2)).Perm(400)) // deflates to about a third
	one := pack(t, entry{name: "000", content: content})
	at := bytes.Index(one, []byte("PK\x01\x02"))
	end := bytes.Index(one, []byte("PK\x05\x06"))
	const copies = 500
	all := slices.Clone(one[:at])
	for i := range copies {
		directory := slices.Clone(one[at:end])
		copy(directory[46:], fmt.Sprintf("%03d", i))
		all = append(all, directory...)
	}
	tail := slices.Clone(one[end:])
	binary.LittleEndian.PutUint16(tail[8:], copies)
	binary.LittleEndian.PutUint16(tail[10:], copies)
	binary.LittleEndian.PutUint32(tail[12:], uint32(copies*(end-at)))
	all = append(all, tail...)
	a := open(t, all, Limits{Ratio: 10})
	whole, refused := 0, 0
	for _, v := range contents(a) {
		if v == content {
			whole++
		} else if v == segment.TooLarge {
			refused++
		}
	}
	limit := 10 * len(all) / len(content)
	if whole == 0 || whole > limit || whole+refused != copies {
		t.Errorf("%d of %d copies were read and %d refused, want at most %d", whole, copies, refused, limit)
	}
}

func TestLimits(t *testing.T) {
	b := pack(t, entry{name: "a", content: "12345678"}, entry{name: "b", content: "12345678"}, entry{name: "c", content: "1"})
	for name, limits := range map[string]Limits{"bytes": {Bytes: int64(len(b)) - 1}, "entries": {Entries: 2}} {
		if _, err := Open(bytes.NewReader(b), int64(len(b)), limits); segment.KindOf(err) != segment.TooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := open(t, b, Limits{Bytes: int64(len(b)), Entries: 3, Inflated: 15})
	want := map[string]any{"a": "12345678", "b": segment.TooLarge, "c": segment.TooLarge}
	if diff := cmp.Diff(want, contents(a)); diff != "" {
		t.Errorf("15 bytes in all (-want +got):\n%s", diff)
	}
	for _, b := range [][]byte{nil, []byte("PK"), []byte("PK\x03\x04 and no more"), b[:len(b)-30], []byte("PK\x05\x06" + strings.Repeat("\xff", 18))} {
		if _, err := Open(bytes.NewReader(b), int64(len(b)), Limits{}); segment.KindOf(err) == 0 {
			t.Errorf("%q: %v", b, err)
		}
	}
}

// A directory with more entries than it states is not read without end.
func TestLongDirectory(t *testing.T) {
	one := pack(t, entry{name: "a"})
	at, end := bytes.Index(one, []byte("PK\x01\x02")), bytes.Index(one, []byte("PK\x05\x06"))
	const entries = 300_000
	all := append(slices.Clone(one[:at]), bytes.Repeat(one[at:end], entries)...)
	tail := slices.Clone(one[end:])
	binary.LittleEndian.PutUint32(tail[12:], uint32(entries*(end-at)))
	all = append(all, tail...)
	allocated := testing.AllocsPerRun(1, func() {
		if _, err := Open(bytes.NewReader(all), int64(len(all)), Limits{Entries: 1000}); segment.KindOf(err) != segment.TooLarge {
			t.Errorf("%d entries that are said to be one: %v", entries, err)
		}
	})
	if allocated > entries/3 {
		t.Errorf("%v allocations for %d entries", allocated, entries)
	}
	budget, b := budgetReader{r: bytes.NewReader(all), left: 4}, make([]byte, 4)
	for _, want := range []error{nil, errBudget} {
		if _, err := budget.ReadAt(b, 0); err != want {
			t.Errorf("a read with a budget for one: %v, want %v", err, want)
		}
	}
}

func TestStated(t *testing.T) {
	if got := stated(bytes.NewReader(pack(t, entry{name: "a"}, entry{name: "b"})), int64(len(pack(t, entry{name: "a"}, entry{name: "b"})))); got != 2 {
		t.Errorf("two entries: %d", got)
	}
	// An end of the long form: record, locator, and the short form.
	le := binary.LittleEndian
	const at = 10 // of the record
	long := make([]byte, at+56+20+22)
	copy(long[at:], "PK\x06\x06")
	le.PutUint64(long[at+32:], 1<<40)
	copy(long[at+56:], "PK\x06\x07")
	le.PutUint64(long[at+64:], at)
	copy(long[at+76:], "PK\x05\x06\x00\x00\x00\x00\xff\xff\xff\xff")
	if got := stated(bytes.NewReader(long), int64(len(long))); got != 1<<40 {
		t.Errorf("long form: %d", got)
	}
	// A long form that states fewer doesn't count.
	le.PutUint64(long[at+32:], 1)
	if got := stated(bytes.NewReader(long), int64(len(long))); got != 1<<16-1 {
		t.Errorf("long form with fewer: %d", got)
	}
	if _, err := Open(bytes.NewReader(long), int64(len(long)), Limits{}); segment.KindOf(err) != segment.TooLarge {
		t.Errorf("long form: %v", err)
	}
}

// trap reads one of the malicious archives.
func trap(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(sharedtest.Path(tb, "corpus/bombs/"+name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestTraps(t *testing.T) {
	slip := trap(t, "zip_slip.zip")
	files := slices.Collect(open(t, slip, Limits{}).Files())
	var taken []string
	for _, f := range files {
		if f.Err == nil {
			taken = append(taken, f.Name)
		}
	}
	if len(files) != 12 || !slices.Equal(taken, []string{"ok.png", "con.png"}) {
		t.Errorf("of %d files %q are taken", len(files), taken)
	}
	crowd := trap(t, "zip_65000_entries.zip")
	if _, err := Open(bytes.NewReader(crowd), int64(len(crowd)), Limits{}); segment.KindOf(err) != segment.TooLarge {
		t.Errorf("65,000 entries: %v", err)
	}
	bomb := trap(t, "zip_bomb_1GiB.zip")
	if diff := cmp.Diff(map[string]any{"big.bin": segment.TooLarge}, contents(open(t, bomb, Limits{}))); diff != "" {
		t.Errorf("1 GiB in 1 MiB (-want +got):\n%s", diff)
	}
	polyglot := trap(t, "polyglot_png_zip.png")
	if _, ok := contents(open(t, polyglot, Limits{}))["x.html"].(string); !ok {
		t.Error("the zip archive behind a PNG is not read")
	}
}

// FuzzOpen looks for panics and for files that pass a limit or a rule.
func FuzzOpen(f *testing.F) {
	f.Add(pack(f, entry{name: "a/b.txt", content: strings.Repeat("hello ", 50)}, entry{name: "../c", content: "x"}))
	f.Add(pack(f, entry{name: "link", content: "b", change: func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) }},
		entry{name: "stored", content: "x", change: func(h *zip.FileHeader) { h.Method = zip.Store }}))
	limits := Limits{Entries: 20, Inflated: 4096, Ratio: 10}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Open(bytes.NewReader(b), int64(len(b)), limits)
		if err != nil {
			if segment.KindOf(err) == 0 {
				t.Fatalf("%v is not for people", err)
			}
			return
		}
		total := 0
		for f := range a.Files() {
			content, err := readAll(f)
			if err != nil {
				if segment.KindOf(err) == 0 {
					t.Fatalf("%q: %v is not for people", f.Name, err)
				}
				continue
			}
			total += len(content)
			if !filepath.IsLocal(f.Name) || strings.ContainsAny(f.Name, "\\\x00\n") || int64(len(content)) > f.Size {
				t.Errorf("%q of %d bytes was taken, %d were announced", f.Name, len(content), f.Size)
			}
			if f.entry.CRC32 != 0 && crc32.ChecksumIEEE(content) != f.entry.CRC32 {
				t.Errorf("%q has another checksum", f.Name)
			}
		}
		if total > min(4096, 10*len(b)) {
			t.Errorf("%d bytes from %d", total, len(b))
		}
	})
}

// Limits are said in numbers that people read.
func TestLimitsInWords(t *testing.T) {
	for limit, want := range map[int64]string{1 << 19: "0.5 MiB", 100 << 20: "100 MiB", 0: "2 GiB", 12 << 30: "12 GiB", 3 << 29: "1.5 GiB"} {
		if _, err := Open(nil, 1<<40, Limits{Bytes: limit}); err == nil || !strings.Contains(err.Error(), "larger than "+want+",") {
			t.Errorf("%d: %v, want %s", limit, err, want)
		}
	}
}
