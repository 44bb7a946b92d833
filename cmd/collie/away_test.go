package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// flaky is a server that stops now and then. Uploads store the names of files.
type flaky struct {
	tb     testing.TB
	broken map[int]error // what happens to the request of a number, instead of an answer
	after  bool          // the server does what is asked before the connection breaks
	calls  int
	names  []string
	status string // of the images
	bytes  int64  // of each image
	file   string // what each was uploaded from
}

var refusedDial = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}

func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	f.calls++
	err := f.broken[f.calls]
	answer := "{}"
	if r.Method == http.MethodPost && (err == nil || f.after) {
		answer = f.store(r)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case r.Method != http.MethodGet:
	case strings.HasSuffix(r.URL.Path, "/projects"):
		answer = `[{"id": "p", "name": "Beach"}]`
	case strings.HasSuffix(r.URL.Path, "/images"):
		answer = f.images(f.names)
	case strings.HasSuffix(r.URL.Path, "/original"):
		answer = f.file
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(answer)), Header: http.Header{}, ContentLength: -1, Request: r}, nil
}

func (f *flaky) images(names []string) string {
	all := []picture{}
	for _, name := range names {
		all = append(all, picture{ID: "i", Name: name, Status: f.status, Bytes: f.bytes})
	}
	b, err := json.Marshal(all)
	if err != nil {
		f.tb.Error(err)
	}
	return string(b)
}

// store keeps the names in an upload.
func (f *flaky) store(r *http.Request) string {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		f.tb.Fatal(err)
	}
	body := multipart.NewReader(r.Body, params["boundary"])
	var path, b []byte
	var part *multipart.Part
	for part == nil || part.FormName() == "filename" {
		path = b
		if part, err = body.NextPart(); err != nil {
			f.tb.Fatal(err)
		}
		if b, err = io.ReadAll(part); err != nil {
			f.tb.Fatal(err)
		}
	}
	names := []string{cmp.Or(string(path), part.FileName())}
	if archive, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); err == nil {
		names = nil
		for _, e := range archive.File {
			names = append(names, e.Name)
		}
	}
	f.names = append(f.names, names...)
	return f.images(names)
}

// run runs a command on a flaky server, with a clock of its own.
func (f *flaky) run(t *testing.T, c interface {
	Run(context.Context, *server, streams) error
},
) (said string, err error) {
	f.tb = t
	synctest.Test(t, func(t *testing.T) {
		s, failed := newServer("http://collie.test", "")
		if failed != nil {
			t.Fatal(failed)
		}
		s.client.Transport = f
		var stderr strings.Builder
		err = c.Run(t.Context(), s, streams{io.Discard, &stderr})
		said = stderr.String()
	})
	return said, err
}

func folder(tb testing.TB, names ...string) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// An upload whose server stops goes on once it is back, and stores each file once,
// whether or not the one under way had been stored.
func TestUploadToRestarted(t *testing.T) {
	for _, after := range []bool{false, true} {
		f := &flaky{after: after, broken: map[int]error{4: io.EOF, 5: refusedDial, 6: refusedDial}} // during b.png
		said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{folder(t, "a.png", "b.png", "c.png")}})
		if got := strings.Join(f.names, " "); err != nil || got != "a.png b.png c.png" {
			t.Errorf("stored before the break: %v; the project has %s: %v, %s", after, got, err, said)
		}
	}
}

// An upload whose server doesn't come back says how far it has come and what to do.
func TestUploadToStopped(t *testing.T) {
	broken := map[int]error{4: io.EOF}
	for call := 5; call < 100; call++ {
		broken[call] = refusedDial
	}
	for _, again := range []bool{false, true} {
		f := &flaky{broken: broken}
		said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{folder(t, "a.png", "b.png", "c.png")}, Again: again})
		if err == nil || !strings.Contains(err.Error(), "b.png: the connection to http://collie.test broke before its answer came (EOF), so it is not known whether this was done") {
			t.Errorf("error %v", err)
		}
		if goesOn := strings.Contains(said, "The same command goes on"); goesOn == again || !strings.Contains(said, "1 uploaded, 0 already there, 0 failed; files left: 2") {
			t.Errorf("again %v: %s", again, said)
		}
	}
}

// Of an archive, what the project has isn't uploaded again.
func TestUploadArchiveAgain(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "some.zip")
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"x/", "x/a.png", "./x/b.png", `x\c.png`, "__MACOSX/x/a.png"} { // with a backslash as PowerShell has it
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), os.WriteFile(archive, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		there, said, want string
	}{
		{"", "5 uploaded, 0 already", "x/ x/a.png ./x/b.png x\\c.png __MACOSX/x/a.png"}, // the fake server keeps all
		{"x/a.png x/b.png", "2 uploaded, 2 already", "x/a.png x/b.png x\\c.png __MACOSX/x/a.png"},
		{"x/a.png x/b.png x/c.png", "0 uploaded, 3 already", "x/a.png x/b.png x/c.png"},
	} {
		f := &flaky{names: strings.Fields(c.there)}
		said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{archive}})
		if got := strings.Join(f.names, " "); err != nil || got != c.want || !strings.Contains(said, c.said) {
			t.Errorf("with %q the project has %s: %v, %s", c.there, got, err, said)
		}
	}
}

// Masks and lists beside photographs are not uploaded, be they in an archive or a folder.
func TestUploadDataSetAgain(t *testing.T) {
	folder := t.TempDir()
	set := fstest.MapFS{"images/a.png": {}, "images/b.png": {}, "masks/a.png": {}, "data.yaml": {}}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	archive := filepath.Join(t.TempDir(), "set.zip")
	if err := errors.Join(w.AddFS(set), w.Close(), os.WriteFile(archive, b.Bytes(), 0o600), os.CopyFS(folder, set)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, there, said, want string }{
		{archive, "images/a.png", "1 uploaded, 1 already", "images/a.png images/b.png"},
		{archive, "images/a.png images/b.png", "0 uploaded, 2 already", "images/a.png images/b.png"},
		{folder, "a.png", "left out: 1;", "a.png b.png"},
	} {
		f := &flaky{names: strings.Fields(c.there)}
		said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{c.file}})
		if got := strings.Join(f.names, " "); err != nil || got != c.want || !strings.Contains(said, c.said) {
			t.Errorf("with %q the project has %s: %v, %s", c.there, got, err, said)
		}
	}
}

// Names in an archive of Windows in China are the same again, also when few are left.
func TestUploadChineseArchiveAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "some.zip")
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"照片.png", "细胞.png", "图片.png"} {
		raw, err := simplifiedchinese.GBK.NewEncoder().String(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.CreateHeader(&zip.FileHeader{Name: raw, NonUTF8: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), os.WriteFile(file, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	f := &flaky{names: []string{"照片.png", "细胞.png"}}
	if said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{file}}); err != nil || strings.Join(f.names, " ") != "照片.png 细胞.png 图片.png" || !strings.Contains(said, "1 uploaded, 2 already") {
		t.Errorf("the project has %q: %v, %s", f.names, err, said)
	}
}

// Windows names JPEGs from the web .jfif.
func TestUploadJFIF(t *testing.T) {
	f := &flaky{}
	if said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{folder(t, "a.JPG", "b.jfif", "c.txt")}}); err != nil || strings.Join(f.names, " ") != "a.JPG b.jfif" {
		t.Errorf("the project has %q: %v, %s", f.names, err, said)
	}
}

// A name that the project has for an image of another size is skipped, which is said.
func TestUploadAnotherOfOneName(t *testing.T) {
	const said = "the project's image of this name is another one"
	file := folder(t, "000001.png")
	for size, want := range map[int64]bool{int64(len("000001.png")): false, 12345: true} {
		f := &flaky{names: []string{"000001.png"}, bytes: size}
		if got, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{file}}); err != nil || len(f.names) != 1 || strings.Contains(got, said) != want {
			t.Errorf("%d bytes: %q: %v, %s", size, f.names, err, got)
		}
	}
}

// The server shortens long names and drops marks of direction, and such names are known all
// the same.
func TestUploadOtherNameAgain(t *testing.T) {
	long := strings.Repeat("n", 120) + ".png"
	for name, kept := range map[string]string{long: long[len(long)-100:], "\u200fصورة.png": "صورة.png"} {
		f := &flaky{names: []string{kept}}
		if said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{folder(t, name)}}); err != nil || len(f.names) != 1 {
			t.Errorf("%q: %v, %s", f.names, err, said)
		}
	}
}

// A name with a line break is sent as it is, so that the server can refuse it: a form would
// make another name of it, which the file doesn't have when the command is run again.
func TestUploadLineBreak(t *testing.T) {
	f := &flaky{}
	if said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{folder(t, "a\nb.png")}}); err != nil || len(f.names) != 1 || f.names[0] != "a\nb.png" {
		t.Errorf("%q: %v, %s", f.names, err, said)
	}
}

// The server takes a backslash in a name for the end of a folder's name.
func TestUploadBackslashAgain(t *testing.T) {
	f := &flaky{names: []string{"a.png"}}
	if said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{folder(t, `x\a.png`)}}); err != nil || len(f.names) != 1 {
		t.Errorf("%q: %v, %s", f.names, err, said)
	}
	if _, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{folder(t, "a.png", `x\a.png`)}}); err == nil || !strings.Contains(err.Error(), "have the same name") {
		t.Errorf("two of one name: %v", err)
	}
}

// Images keep the names of the folders that tell them apart, and are known by them when
// the command goes on.
func TestUploadFolders(t *testing.T) {
	trip := folder(t, "day 1/a.png", "day 2/a.png", "day 2/b.png")
	deep := folder(t, "x/y/c.png", "x/y/d.png")
	f := &flaky{names: []string{"day 2/a.png"}}
	said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{trip, deep, filepath.Join(folder(t, "x/e.png"), "x", "e.png")}})
	if want := []string{"day 2/a.png", "day 1/a.png", "day 2/b.png", "c.png", "d.png", "e.png"}; err != nil || !slices.Equal(f.names, want) {
		t.Errorf("%q: %v, %s; want %q", f.names, err, said, want)
	}
	if _, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{filepath.Join(trip, "day 1"), filepath.Join(trip, "day 2")}}); err == nil || !strings.Contains(err.Error(), "have the same name") {
		t.Errorf("two of one name: %v", err)
	}
}

// A file that the project has under a name with more or fewer folders, from when other
// folders were uploaded, isn't added again. Another of the same size is, and names that
// other files have are theirs.
func TestUploadFoldersAgain(t *testing.T) {
	grown := folder(t, "one/a.png", "two/a.png")
	f := &flaky{names: []string{"a.png"}, bytes: int64(len("one/a.png")), file: "one/a.png"}
	said, err := f.run(t, &uploadCommand{Project: "Beach", Files: []string{grown}})
	if want := []string{"a.png", "two/a.png"}; err != nil || !slices.Equal(f.names, want) || !strings.Contains(said, "one/a.png: already there as a.png") || !strings.Contains(said, "1 uploaded, 1 already there") {
		t.Errorf("a folder with another one: %q: %v, %s; want %q", f.names, err, said, want)
	}
	f = &flaky{names: []string{"one/a.png"}, bytes: int64(len("one/a.png")), file: "one/a.png"}
	said, err = f.run(t, &uploadCommand{Project: "Beach", Files: []string{filepath.Join(grown, "one"), filepath.Join(grown, "one", "a.png")}})
	if err != nil || len(f.names) != 1 || !strings.Contains(said, "already there as one/a.png") {
		t.Errorf("one of the folders: %q: %v, %s", f.names, err, said)
	}
	f = &flaky{names: []string{"a.png"}, bytes: int64(len("one/a.png")), file: "one/a.png"}
	within := folder(t, "a.png", "one/a.png")
	if said, err = f.run(t, &uploadCommand{Project: "Beach", Files: []string{within}}); err != nil || !slices.Equal(f.names, []string{"a.png", "one/a.png"}) {
		t.Errorf("a copy: %q: %v, %s", f.names, err, said)
	}
}

// Waiting for people goes on for as long as a server is away.
func TestWaitForRestarted(t *testing.T) {
	broken := map[int]error{2: io.EOF}
	for call := 3; call < 50; call++ {
		broken[call] = refusedDial
	}
	f := &flaky{names: []string{"a.png"}, status: "done", broken: broken}
	said, err := f.run(t, &waitCommand{Project: "Beach"})
	if err != nil || strings.Count(said, "waiting until the server is back") != 1 || !strings.Contains(said, "images done: 1 of 1") {
		t.Errorf("%v: %s", err, said)
	}
}
