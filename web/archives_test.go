package web

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/archive"
	"collie/sharedtest"
	"collie/web/problem"
	"collie/web/wire"
)

// pack makes a zip archive; a nil content makes a link.
func pack(tb testing.TB, files ...file) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.content == nil {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		out, err := w.CreateHeader(h)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := out.Write(f.content); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// outcomes returns the status of each file of an upload, by name.
func outcomes(tb testing.TB, a answer) map[string]int {
	tb.Helper()
	var results []struct {
		Name    string
		Problem *problem.Problem
	}
	if a.status != http.StatusCreated {
		var p problem.Problem
		a.into(tb, a.status, &p)
		if len(p.Files) == 0 {
			return map[string]int{"": p.Status}
		}
		a.body, _ = json.Marshal(p.Files)
	}
	if err := json.Unmarshal(a.body, &results); err != nil {
		tb.Fatalf("%v in %s", err, a.body)
	}
	all := map[string]int{}
	for _, r := range results {
		all[r.Name] = http.StatusCreated
		if r.Problem != nil {
			all[r.Name] = r.Problem.Status
		}
	}
	return all
}

func TestUploadZip(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	b := pack(t, file{"day 1/beach.png", picture()}, file{"day 1/notes.txt", []byte("hello")}, file{"day 2/beach.png", picture()},
		file{"../out.png", picture()}, file{"link.png", nil}, file{"__MACOSX/day 1/._beach.png", []byte("x")}, file{"inner.zip", pack(t, file{"a.png", picture()})})
	got := outcomes(t, s.upload(p.ID, file{"first.png", picture()}, file{"photos.zip", b}, file{"last.png", picture()}))
	want := map[string]int{
		"first.png": 201, "last.png": 201, "day 1/beach.png": 201, "day 2/beach.png": 201,
		"../out.png": 422, "link.png": 422, "inner.zip": 415,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	var list []wire.Image
	s.get("/api/v1/projects/"+p.ID+"/images").into(t, http.StatusOK, &list)
	names := make([]string, len(list))
	for i, im := range list {
		names[i] = im.Name
	}
	if diff := cmp.Diff([]string{"first.png", "day 1/beach.png", "day 2/beach.png", "last.png"}, names); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
	original := s.get("/api/v1/images/" + list[1].ID + "/original")
	if !bytes.Equal(original.body, picture()) || original.header.Get("Content-Disposition") != `attachment; filename="day 1-beach.png"` {
		t.Errorf("original of a file from a folder: %v", original.header)
	}
}

// A data set in a zip archive becomes images of its photographs alone.
func TestUploadDataSet(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	b := pack(t, file{"SegmentationClass/a.png", picture()}, file{"JPEGImages/a.png", picture()}, file{"JPEGImages/b.png", picture()}, file{"labelmap.txt", []byte("x")})
	var got []wire.Image
	s.upload(p.ID, file{"voc.zip", b}).into(t, http.StatusCreated, &got)
	if len(got) != 2 || got[0].Name != "JPEGImages/a.png" || got[0].LeftOut != 2 || got[1].LeftOut != 0 {
		t.Errorf("images of a data set: %+v", got)
	}
}

// Masks of images that are in the project, and those of an export from Collie or CVAT, don't become images.
func TestUploadMasksOfImages(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	var list []wire.Image
	s.upload(p.ID, file{"a.jpg", picture()}).into(t, http.StatusCreated, &list)
	masks := pack(t, file{"masks/a.png", picture()}, file{"manifest.json", []byte("{}")})
	cvat := pack(t, file{"set/SegmentationClass/a.png", picture()}, file{"set/labelmap.txt", []byte("background:0,0,0::")}, file{"set/ImageSets/Segmentation/default.txt", []byte("a")})
	for _, export := range [][]byte{masks, cvat} {
		got := s.upload(s.project().ID, file{"masks.zip", export})
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), `Upload their photographs`) {
			t.Errorf("masks alone, of an export: %d %s", got.status, got.body)
		}
	}
	got := s.upload(p.ID, file{"masks.zip", masks})
	if got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), `Import masks`) {
		t.Errorf("masks alone: %d %s", got.status, got.body)
	}
	s.get("/api/v1/projects/"+p.ID+"/images").into(t, http.StatusOK, &list)
	if len(list) != 1 {
		t.Errorf("%d images, want the photograph", len(list))
	}
}

// An archive that is sent again adds what the project doesn't have of it, if asked so.
func TestUploadZipAgain(t *testing.T) {
	s := mustServe(t, Limits{Files: 2})
	p := s.project()
	other := append(bytes.Clone(picture()), 0) // of the same name, with more behind the picture
	send := func(query string, files ...file) (images []wire.Image) {
		t.Helper()
		body, kind := form(file{"a.zip", pack(t, files...)})
		s.send("POST", "/api/v1/projects/"+p.ID+"/images"+query, body, "Content-Type: "+kind).into(t, http.StatusCreated, &images)
		return images
	}
	first := send("", file{"day 1/a.png", picture()}, file{"b.png", picture()})
	again := send("?present=skip", file{"day 1/a.png", picture()}, file{"c.png", picture()}, file{"b.png", other}, file{"a.png", []byte("text")})
	if len(again) != 4 || again[0].ID != first[0].ID || !again[0].Present || again[1].Present || again[2].Present || again[2].ID == first[1].ID || again[3].ID != "" {
		t.Errorf("%+v again: %+v", first, again)
	}
	if whole := send("", file{"b.png", picture()}); len(whole) != 1 || whole[0].Present {
		t.Errorf("without asking: %+v", whole)
	}
	if twice := send("?present=skip", file{"b.png", other}, file{"B.png", picture()}); len(twice) != 2 || twice[0].ID != again[2].ID || twice[1].Present {
		t.Errorf("content and case count: %+v", twice)
	}
	body, kind := form(file{"a.png", picture()})
	if a := s.send("POST", "/api/v1/projects/"+p.ID+"/images?present=maybe", body, "Content-Type: "+kind); a.status != http.StatusUnprocessableEntity {
		t.Errorf("an unknown word: %d %s", a.status, a.body)
	}
}

// So does a file by itself, each time for one file of the upload.
func TestUploadAgain(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	send := func(query string, files ...file) (images []wire.Image) {
		t.Helper()
		body, kind := form(files...)
		s.send("POST", "/api/v1/projects/"+p.ID+"/images"+query, body, "Content-Type: "+kind).into(t, http.StatusCreated, &images)
		return images
	}
	first := send("?present=skip", file{"a.png", picture()})
	other := append(bytes.Clone(picture()), 0)
	again := send("?present=skip", file{"a.png", picture()}, file{"a.png", other}, file{"b.png", picture()}, file{"a.png", picture()})
	if len(again) != 4 || again[0].ID != first[0].ID || !again[0].Present || again[1].Present || again[2].Present || again[3].Present {
		t.Errorf("%+v again: %+v", first, again)
	}
	if whole := send("", file{"a.png", picture()}); whole[0].Present || whole[0].ID == first[0].ID {
		t.Errorf("without asking: %+v", whole)
	}
}

func TestUploadOfUnusableZips(t *testing.T) {
	s := mustServe(t, Limits{Files: 3, Zip: archive.Limits{Bytes: 1 << 20, Entries: 5, Inflated: 3 << 20}})
	p := s.project()
	whole := pack(t, file{"a.png", picture()})
	damaged := bytes.Clone(whole)
	damaged[100] ^= 0xff
	texts := func(n int) (files []file) {
		for i := range n {
			files = append(files, file{strings.Repeat("x", i+1), []byte("hello")})
		}
		return files
	}
	for name, c := range map[string]struct {
		zip    []byte
		status int
		want   map[string]int
	}{
		"empty":     {pack(t), 422, map[string]int{"a.zip": 422}},
		"backup":    {pack(t, file{"originals/a.png", picture()}, file{"backup.json", []byte("{}")}), 422, map[string]int{"a.zip": 422}},
		"cut":       {whole[:len(whole)-30], 422, map[string]int{"a.zip": 422}},
		"damaged":   {damaged, 422, map[string]int{"a.png": 422}},
		"too large": {append(bytes.Clone(whole), make([]byte, 1<<20)...), 413, map[string]int{"a.zip": 413}},
		"entries":   {pack(t, texts(6)...), 413, map[string]int{"a.zip": 413}},
		"ratio":     {pack(t, file{"a.bmp", append([]byte("BM"), make([]byte, 1<<20)...)}), 413, map[string]int{"a.bmp": 413}},
		"files":     {pack(t, texts(5)...), 415, map[string]int{"x": 415, "xx": 415, "xxx": 415, "xxxx": 422}},
	} {
		a := s.upload(p.ID, file{"a.zip", c.zip})
		if a.status != c.status {
			t.Errorf("%s: status %d, want %d: %s", name, a.status, c.status, a.body)
		}
		if diff := cmp.Diff(c.want, outcomes(t, a)); diff != "" {
			t.Errorf("%s: outcomes (-want +got):\n%s", name, diff)
		}
	}
}

// The zip traps of the corpus do no harm.
func TestZipTraps(t *testing.T) {
	dir := sharedtest.Path(t, "corpus/bombs")
	s := MustServe(t)
	p := s.project()
	for name, want := range map[string]map[string]int{
		"zip_65000_entries.zip": {"zip_65000_entries.zip": 413},
		"zip_bomb_1GiB.zip":     {"big.bin": 413},
		"zip_slip.zip": {
			"../../etc/x.png": 422, "/abs.png": 422, "a/../../b.png": 422, `C:\x.png`: 422, `..\..\w.png`: 422, "ok.png": 422, // some have no picture in them, one is there twice
			"con.png": 415, "a\x00b.png": 422, "nl\nname.png": 422, "\u202egnp.exe": 422, "link.png": 422,
		},
		"polyglot_png_zip.png": {"polyglot_png_zip.png": 201}, // a picture, whatever is behind it
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if diff := cmp.Diff(want, outcomes(t, s.upload(p.ID, file{name, b}))); diff != "" {
			t.Errorf("%s: outcomes (-want +got):\n%s", name, diff)
		}
		if took := time.Since(began); took > time.Minute { // a fraction of a second on a machine that does nothing else
			t.Errorf("%s took %v", name, took)
		}
	}
}

// An upload whose client sends too slowly or stops is ended, with an answer that
// says so and lists files refused before. Files that had arrived are kept.
func TestSlowUploads(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: waits for a time limit")
	}
	t.Parallel()
	s := mustServe(t, Limits{Stall: 1500 * time.Millisecond, SlowRate: 10 << 20})
	p := s.project()
	for name, pause := range map[string]time.Duration{"a byte at a time": 10 * time.Millisecond, "nothing more": time.Hour} {
		got := outcomes(t, s.uploadSlowly(p.ID, pause))
		if diff := cmp.Diff(map[string]int{"first.png": 201, "second.png": 400}, got); diff != "" {
			t.Errorf("%s: outcomes (-want +got):\n%s", name, diff)
		}
		s.uploadSlowly(segment.NewID(), pause).problem(t, 404)
	}
}

// An upload ends with the right to: what had been stored by then stays, and of what
// follows, also in an archive, the answer names the first.
func TestUploadAfterTheRole(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	admin, ann := s.as(s.user("admin", access.Admin)), s.as(s.user("ann", access.Annotator))
	lower := func(project string) { s.join(project, "ann", access.Viewer) }
	remove := func(project string) {
		if _, err := s.store.SetMember(t.Context(), project, "ann", access.Nobody, ""); err != nil {
			t.Error(err)
		}
	}
	trash := func(project string) { admin.send("DELETE", "/api/v1/projects/"+project, nil) }
	picture := file{"more.png", picture()}
	archive := file{"more.zip", pack(t, file{"1.png", picture.content}, file{"2.png", picture.content})}
	for name, c := range map[string]struct {
		lose   func(project string)
		query  string
		second file
		failed string
	}{
		"lowered":          {lower, "", picture, "more.png"},
		"lowered, archive": {lower, "", archive, "1.png"},
		"removed":          {remove, "", picture, "more.png"},
		"removed, skip":    {remove, "?present=skip", picture, "more.png"},
		"trash":            {trash, "", archive, "1.png"},
	} {
		p := admin.project()
		body, kind := form(file{"first.png", picture.content}, c.second, file{"last.png", picture.content})
		parts := bytes.SplitAfterN(body.Bytes(), []byte("Content-Disposition"), 3)
		out, in := io.Pipe()
		go func() {
			_, _ = in.Write(append(parts[0], parts[1]...)) // a whole file
			for images := 0; images == 0; {
				var err error
				if images, err = s.store.CountImages(t.Context(), p.ID); err != nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
			c.lose(p.ID)
			_, _ = in.Write(parts[2])
			in.Close()
		}()
		got := ann.send("POST", "/api/v1/projects/"+p.ID+"/images"+c.query, out, "Content-Type: "+kind)
		if diff := cmp.Diff(map[string]int{"first.png": 201, c.failed: 404}, outcomes(t, got)); diff != "" {
			t.Errorf("%s: outcomes (-want +got):\n%s", name, diff)
		}
		if !strings.Contains(string(got.body), "can't add images to this project any more") {
			t.Errorf("%s: %s", name, got.body)
		}
	}
}

// uploadSlowly sends one picture, then little of a second and a byte after each
// pause.
func (s *site) uploadSlowly(project string, pause time.Duration) answer {
	s.tb.Helper()
	body, kind := form(file{"first.png", picture()}, file{"second.png", picture()})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.tb.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		s.tb.Fatal(err)
	}
	answered := make(chan struct{})
	defer close(answered)
	go func() { // whether or not somebody still listens; an http.Client might then miss the answer
		b := body.Bytes()
		first := bytes.LastIndex(b, []byte("Content-Disposition")) + 200
		_, err := fmt.Fprintf(conn, "POST /api/v1/projects/%s/images HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", project, kind, len(b), b[:first])
		for i := first; i < len(b) && err == nil; i++ {
			select {
			case <-time.After(pause):
				_, err = conn.Write(b[i : i+1])
			case <-answered:
				return
			}
		}
	}()
	return s.answer(http.ReadResponse(bufio.NewReader(conn), nil))
}
