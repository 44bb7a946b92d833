package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// annotator labels all images of a project as they arrive, like the people that
// scripts wait for, until all three are done.
const annotator = `
import time
from collie import Collie
server = Collie()
for _ in range(600):
    found = [p for p in server.projects() if p["name"] == "Beach"]
    images = server.images(found[0]["id"]) if found else []
    for image in images:
        if image["status"] != "done":
            server.append(image["id"], "label", superpixels=list(range(image["regions"])), class_=image["width"] % 3)
    if len(images) == 3 and all(i["status"] == "done" for i in images):
        break
    time.sleep(0.1)
else:
    raise SystemExit("the images never arrived")
`

// Runs the commands of the page about embeddings as written.
func TestEmbeddingsPage(t *testing.T) {
	needPython(t, "numpy, PIL")
	p := serve(t)
	p.photographs("photos")
	if n := p.page("../../docs/embeddings.md"); n < 3 {
		t.Errorf("only %d blocks were run", n)
	}
	if _, err := os.Stat(filepath.Join(p.folder, "embeddings", "beach2.npz")); err != nil {
		t.Error(err)
	}
}

// Runs the commands of the page about scripts as written.
func TestScriptsPage(t *testing.T) {
	needPython(t, "numpy, PIL")
	p := serve(t)
	p.photographs("photos")
	people := make(chan error, 1)
	go func() {
		out, err := p.try("", "/usr/bin/python3", "-c", annotator)
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		people <- err
	}()
	if n := p.page("../../docs/scripts.md"); n < 8 {
		t.Errorf("only %d blocks were run", n)
	}
	if err := <-people; err != nil {
		t.Error(err)
	}
	for _, made := range []string{"masks.zip", "coco.zip", "split.zip", "hypotheses.zip", "beach0.png.soft.npz"} {
		if info, err := os.Stat(filepath.Join(p.folder, made)); err != nil || info.Size() < 300 {
			t.Errorf("%s: %v, %v", made, info, err)
		}
	}
	if list := p.do("", "/usr/bin/python3", "-m", "zipfile", "-l", "masks.zip"); !strings.Contains(list, "masks/beach2.png") {
		t.Errorf("the masks: %s", list)
	}
}

// Runs the page for administrators, from an empty folder to a restored backup.
func TestAdministratorsPage(t *testing.T) {
	needPython(t, "urllib.request")
	p := newPlace(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String() // free, and most likely still so in a moment
	listener.Close()
	if n := p.page("../../docs/administrators.md", "127.0.0.1:8090", address); n < 8 {
		t.Errorf("only %d blocks were run", n)
	}
	log, err := os.ReadFile(filepath.Join(p.folder, "server.log"))
	if err != nil || !strings.Contains(string(log), "Collie is at http://"+address) || !strings.Contains(string(log), "stopping") {
		t.Errorf("the server's log: %v\n%s", err, log)
	}
	for name, mode := range map[string]os.FileMode{"collie-data": 0o700, "restored": 0o700} {
		if info, err := os.Stat(filepath.Join(p.folder, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// Runs the annotator on the page about the websocket.
func TestSocketPage(t *testing.T) {
	needPython(t, "numpy, PIL, websockets")
	p := serve(t)
	p.photographs("beaches/images")
	p.masks("beaches/masks")
	if n := p.page("../../docs/socket.md"); n != 2 {
		t.Errorf("%d blocks were run", n)
	}
}

// Runs the page for researchers, with a small data set.
func TestResearchersPage(t *testing.T) {
	needPython(t, "numpy, PIL")
	if out, err := exec.Command("go", "build", "-ldflags=-s", "-o", filepath.Join(programs, "evaluate"), "../evaluate").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	p := serve(t)
	p.photographs("beaches/images")
	p.masks("beaches/masks")
	if n := p.page("../../docs/researchers.md"); n < 10 {
		t.Errorf("only %d blocks were run", n)
	}
	for _, made := range []string{"voc.json", "hypotheses.zip", "shares.zip"} {
		if info, err := os.Stat(filepath.Join(p.folder, made)); err != nil || info.Size() < 300 {
			t.Errorf("%s: %v, %v", made, info, err)
		}
	}
}

func needPython(tb testing.TB, modules string) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("skipped with -short: starts python3")
	}
	if out, err := exec.Command("/usr/bin/python3", "-c", "import "+modules).CombinedOutput(); err != nil {
		tb.Skipf("skipped: needs /usr/bin/python3 with %s: %s", modules, out)
	}
}

// The Python module does what it says against a running server.
func TestPythonModule(t *testing.T) {
	needPython(t, "json")
	p := serve(t)
	tests, err := filepath.Abs("../../python/test_collie.py")
	if err != nil {
		t.Fatal(err)
	}
	if out := p.do("", "/usr/bin/python3", tests); !strings.Contains(out, "Ran 9 tests") {
		t.Errorf("tests of the module:\n%s", out)
	}
}

// An import says, once for all files, what numbers without names became.
func TestImportOfNumbers(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.masks("masks")
	p.do("", "collie", "create", "Beach", "--classes", "background,rock,sand")
	p.do("", "collie", "upload", "Beach", "photos")
	if out := p.do("", "collie", "import", "Beach", "masks"); strings.Count(out, "value 1 is rock here") != 1 {
		t.Errorf("an import of positions: %s", out)
	}
	if out := p.do("", "collie", "import", "Beach", "masks", "--map", "0=sand,1=stone", "--map", "2="); !strings.Contains(out, "value 1 is stone here") {
		t.Errorf("an import with a mapping: %s", out)
	}
	p.do("", "collie", "import", "Beach", "masks", "--names", "voc")
	p.do("", "collie", "export", "Beach", "beach.zip")
	z, err := zip.OpenReader(filepath.Join(p.folder, "beach.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if list, err := fs.ReadFile(z, "labelmap.txt"); err != nil || !strings.Contains(string(list), "aeroplane:") {
		t.Errorf("--names voc: %v, %s", err, list)
	}
}

// Failures are reported in one line, with a failing exit code.
func TestMistakes(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach", "--classes", "sky,sea,sand")
	if err := os.WriteFile(filepath.Join(p.folder, "photos", "broken.png"), []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.folder, "photos", "._beach0.png"), []byte("what macOS adds"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link.png": "beach0.png", "broken-link.png": "nowhere.png"} {
		if err := os.Symlink(to, filepath.Join(p.folder, "photos", link)); err != nil {
			t.Fatal(err)
		}
	}
	p.fails("4 uploaded, 0 already there, 2 failed", "upload", "Beach", "photos")
	if out := p.do("", "collie", "list", "Beach"); strings.Count(out, "untouched") != 4 {
		t.Errorf("the good files were not kept: %s", out)
	}
	p.fails("0 uploaded, 4 already there, 2 failed", "upload", "Beach", "photos")
	p.fails("contains no file that ends in", "upload", "Beach", t.TempDir())
	p.fails("there is no such file or folder: "+filepath.Join(p.folder, "nothing.png"), "upload", "Beach", "nothing.png")
	p.fails("there is no such file or folder", "import", "Beach", "photos", "nothing.png")
	if out, err := p.try("", "server", "import", "--project", "Beach", "nothing.png"); err == nil || !strings.Contains(out, "nothing was imported: there is no such file or folder: nothing.png") {
		t.Errorf("server import of a missing file: %v, %s", err, out)
	}
	p.fails("could not be imported", "import", "Beach", "photos/broken.png")
	p.fails(`no project of yours has the id or name "Moon"`, "upload", "Moon", "photos")
	p.fails("not all images of Beach were done within 50ms", "wait", "Beach", "--timeout", "50ms")
	p.fails("NAME=VALUE", "export", "Beach", "x.zip", "--option", "drafts")
	p.fails("is a folder", "export", "Beach", "photos")
	socket := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p.fails("is not an ordinary file", "export", "Beach", socket)
	p.fails("doesn't exist", "export", "Beach", filepath.Join("nowhere", "x.zip"))
	p.fails("standard output", "export", "Beach", "-")
	p.fails("--timeout -5s", "wait", "Beach", "--timeout=-5s")
	p.fails("coco", "export", "Beach", "x.zip", "--format", "postcard")
	p.fails(`no "colour"; it can have approved, background, drafts`, "export", "Beach", "x.zip", "--option", "colour=red")
	if log := p.do("", "server", "audit"); strings.Contains(log, "export.start") {
		t.Errorf("a refused export was started:\n%s", log)
	}
	p.fails("API token", "--token", "collie_wrong", "list")
	p.fails("can't be reached", "--url", "http://127.0.0.1:1", "list")
	p.fails("not an address", "--url", "collie.example.org", "list")
	for _, folder := range []string{"a", "b"} {
		p.photographs(filepath.Join("twice", folder))
	}
	p.fails("have the same name", "upload", "Beach", filepath.Join("twice", "a"), filepath.Join("twice", "b"))
	for _, program := range []string{"collie", "server"} {
		if flag, command := p.do("", program, "--version"), p.do("", program, "version"); flag != command {
			t.Errorf("%s --version says %q, and version %q", program, flag, command)
		}
		if flag, command := p.do("", program, "export", "--help"), p.do("", program, "help", "export"); flag != command {
			t.Errorf("%s export --help says %q, and help export %q", program, flag, command)
		}
	}
	if said, server := p.do("", "collie", "version", "--url", "nowhere"), p.do("", "server", "version"); said != server || !regexp.MustCompile(`^collie (development|v[0-9]\S*) \(commit `).MatchString(said) {
		t.Errorf("collie version says %q, the server's %q", said, server)
	}
	p.do("", "collie", "create", "Empty")
	p.fails("Empty has no images", "wait", "Empty", "--timeout", "5s")
	p.do("", "collie", "create", "Beach")
	p.fails("2 projects are called", "list", "Beach")
	if left, err := filepath.Glob(filepath.Join(p.folder, "*.zip")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// An export of images that have nothing but imported scores says that they have no
// labels, and how to get them.
func TestExportOfGuesses(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach", "--classes", "sky,sea,sand")
	p.do("", "collie", "upload", "Beach", "photos")
	p.do("", "/usr/bin/python3", "-c", `
import glob, os, numpy, PIL.Image
os.mkdir("scores")
for name in glob.glob("photos/*"):
    width, height = PIL.Image.open(name).size
    numpy.savez("scores/" + os.path.splitext(os.path.basename(name))[0] + ".npz", scores=numpy.full((height, width, 3), [.1, .8, .1], numpy.float32))
`)
	p.do("", "collie", "import", "Beach", "scores")
	for option, want := range map[string]bool{"guesses=false": true, "guesses=true": false} {
		out, err := p.try("", "collie", "export", "Beach", "masks.zip", "--option", option)
		if err != nil || strings.Contains(out, "nobody has accepted: 3 (--option guesses=true") != want {
			t.Errorf("%s: %v\n%s", option, err, out)
		}
		if strings.Contains(out, "beach0.png, beach1.png, beach2.png: It has a guess that nobody has accepted") != want {
			t.Errorf("%s doesn't say what was left out of each image:\n%s", option, out)
		}
	}
	const left = "  beach0.png, beach1.png, beach2.png: left out. It is not approved"
	if out, err := p.try("", "collie", "export", "Beach", "masks.zip", "--option", "approved=true"); err != nil || !strings.Contains(out, left) {
		t.Errorf("without approved images: %v\n%s", err, out)
	}
}

// Without the file of one image, exports have the others, and both commands end with an
// error that names it.
func TestExportWithoutAFile(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach", "--classes", "sky,sea,sand")
	p.do("", "collie", "upload", "Beach", "photos")
	at := slices.IndexFunc(p.env, func(e string) bool { return strings.HasPrefix(e, "COLLIE_DATA=") })
	data := strings.TrimPrefix(p.env[at], "COLLIE_DATA=")
	originals, err := filepath.Glob(filepath.Join(data, "blobs", "original", "*"))
	if err != nil || len(originals) != 3 {
		t.Fatalf("%d originals, %v", len(originals), err)
	}
	if err := os.Remove(originals[0]); err != nil {
		t.Fatal(err)
	}
	p.fails(".png: The picture is missing", "export", "Beach", "voc.zip", "--format", "voc")
	p.fails("backup.zip is complete but for images", "export", "Beach", "backup.zip", "--format", "backup")
	if err := os.WriteFile(filepath.Join(p.folder, ".collie-part-123"), []byte("PK"), 0o600); err != nil { // of a command that was killed
		t.Fatal(err)
	}
	p.do("", "collie", "export", "Beach", "masks.zip")
	if left, err := filepath.Glob(filepath.Join(p.folder, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if out, err := p.try("", "server", "export", "--project", "Beach", "--format", "voc", "--out", "server.zip"); err == nil || !strings.Contains(out, "The picture is missing") {
		t.Errorf("server export: %v\n%s", err, out)
	}
	for file, want := range map[string]int{"voc.zip": 2, "server.zip": 2} {
		list := p.do("", "/usr/bin/python3", "-m", "zipfile", "-l", file)
		if strings.Count(list, "JPEGImages/") != want || strings.Count(list, "SegmentationClass/") != 3 {
			t.Errorf("%s has\n%s", file, list)
		}
	}
}

// An export that can't be written here leaves nothing behind, and doesn't blame the connection.
func TestExportToAFullDisk(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach", "--classes", "sky,sea,sand")
	p.do("", "collie", "upload", "Beach", "photos")
	out, err := p.try("", "sh", "-c", "ulimit -f 0; collie export Beach masks.zip")
	if err == nil || !strings.Contains(out, "masks.zip was not written: write ") || strings.Contains(out, "broke") {
		t.Errorf("%v: %s", err, out)
	}
	if left, err := filepath.Glob(filepath.Join(p.folder, "*.zip")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Requests are repeated only for a busy server, and no token follows a redirect.
func TestAnswers(t *testing.T) {
	var calls atomic.Int32
	answer := func(w http.ResponseWriter, r *http.Request) {
		switch n := calls.Add(1); {
		case r.Header.Get("Authorization") != "Bearer secret":
			t.Error("no token")
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		case r.URL.Path == "/broken":
			http.Error(w, "<html>", http.StatusBadGateway)
		case n < 3:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			fmt.Fprint(w, "{}")
		}
	}
	fake := httptest.NewServer(http.HandlerFunc(answer))
	defer fake.Close()
	s, err := newServer(fake.URL+"/", "secret")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.send(t.Context(), "GET", "/busy", nil, nil); err != nil || calls.Load() != 3 {
		t.Errorf("%d calls: %v", calls.Load(), err)
	}
	for path, want := range map[string]string{"/moved": "https://elsewhere.example/", "/broken": "is it a Collie server?"} {
		before := calls.Load()
		if err := s.send(t.Context(), "GET", path, nil, nil); err == nil || !strings.Contains(err.Error(), want) || calls.Load() != before+1 {
			t.Errorf("%s: %v", path, err)
		}
	}
	calls.Store(0)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.send(ctx, "GET", "/busy", nil, nil); err == nil {
		t.Error("it waits although nobody does")
	}
}
