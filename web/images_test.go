package web

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment/photo/phototest"
	"collie/segment/workspace"
	"collie/superpixels"
	"collie/web/problem"
	"collie/web/wire"
)

func TestUpload(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	var records []json.RawMessage
	s.upload(p.ID, file{"beach.png", picture()}, file{"notes.txt", []byte("not a picture")}, file{"again.png", picture()}).into(t, http.StatusCreated, &records)
	if len(records) != 3 {
		t.Fatalf("%d records for 3 files", len(records))
	}
	var im wire.Image
	if err := json.Unmarshal(records[0], &im); err != nil {
		t.Fatal(err)
	}
	want := wire.Image{Project: p.ID, Name: "beach.png", Format: "png", Bytes: int64(len(picture())), Width: pictureWidth, Height: pictureHeight, Status: "untouched"}
	if diff := cmp.Diff(want, im, cmpopts.IgnoreFields(wire.Image{}, "ID", "Regions", "Created")); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	var failed problem.File
	if err := json.Unmarshal(records[1], &failed); err != nil {
		t.Fatal(err)
	}
	if failed.Name != "notes.txt" || failed.Status != "failed" || failed.Problem.Status != http.StatusUnsupportedMediaType {
		t.Errorf("record of a text file: %+v", failed)
	}

	var read wire.Image
	s.get("/api/v1/images/"+im.ID).into(t, http.StatusOK, &read)
	if diff := cmp.Diff(im, read); diff != "" {
		t.Errorf("uploaded and read differ:\n%s", diff)
	}
	var list []wire.Image
	s.get("/api/v1/projects/"+p.ID+"/images").into(t, http.StatusOK, &list)
	if len(list) != 2 || list[0].ID != im.ID || list[1].Name != "again.png" {
		t.Errorf("list %+v", list)
	}
}

// An image keeps the folders that our pages and programs send with its name, unless they
// are not plain: then it has the name of the file alone.
func TestUploadFolders(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	for sent, want := range map[string]string{
		"":                   "beach.png",
		"day 1/beach.png":    "day 1/beach.png",
		`a "b"/c.png`:        `a "b"/c.png`,
		"../beach.png":       "beach.png",
		"/etc/beach.png":     "beach.png",
		"a//beach.png":       "beach.png",
		`C:\Users\beach.png`: "beach.png",
	} {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		if err := w.WriteField("filename", sent); err != nil {
			t.Fatal(err)
		}
		if part, err := w.CreateFormFile("file", "beach.png"); err != nil {
			t.Fatal(err)
		} else if _, err := part.Write(picture()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var added []wire.Image
		s.send("POST", "/api/v1/projects/"+p.ID+"/images", &body, "Content-Type: "+w.FormDataContentType()).into(t, http.StatusCreated, &added)
		if len(added) != 1 || added[0].Name != want {
			t.Errorf("%q became %+v, want %q", sent, added, want)
		}
	}
}

// Only the answer to an upload says that an image is the first of several in its file.
func TestUploadOfStack(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	var added, list []wire.Image
	s.upload(p.ID, file{"stack.tif", phototest.Stack(t, image.NewNRGBA(image.Rect(0, 0, 60, 40)))}, file{"beach.png", picture()}).into(t, http.StatusCreated, &added)
	s.get("/api/v1/projects/"+p.ID+"/images").into(t, http.StatusOK, &list)
	if len(added) != 2 || added[0].Pictures != 2 || added[1].Pictures != 0 || len(list) != 2 || list[0].Pictures != 0 {
		t.Errorf("added %+v, then %+v", added, list)
	}
}

// Files are called by the last element of their path, with slashes of either kind.
func TestNamesOfUploads(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	got := outcomes(t, s.upload(p.ID, file{`C:\photos\a.png`, picture()}, file{"photos/b.png", picture()}, file{`C:\photos\notes.txt`, []byte("not a picture")}))
	if diff := cmp.Diff(map[string]int{"a.png": 201, "b.png": 201, "notes.txt": 415}, got); diff != "" {
		t.Errorf("uploads (-want +got):\n%s", diff)
	}
	var masks importJSON
	s.importFiles("/api/v1/projects/"+p.ID+"/imports", file{`D:\masks\a.png`, halfMask()}).into(t, http.StatusOK, &masks)
	if len(masks.Images) != 1 || masks.Images[0].Mask != "a" || masks.Images[0].Problem != "" {
		t.Errorf("import of a mask: %+v", masks.Images)
	}
}

// A list of images is the same whole and in parts.
func TestImagesInParts(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	address := "/api/v1/projects/" + p.ID + "/images"
	var none, all []wire.Image
	if s.get(address).into(t, http.StatusOK, &none); none == nil || len(none) > 0 {
		t.Errorf("the list of an empty project is %v", none)
	}
	s.upload(p.ID, file{"1.png", picture()}, file{"2.png", picture()}, file{"3.png", picture()})
	s.get(address).into(t, http.StatusOK, &all)
	for after, want := range map[string][]wire.Image{"": all[:2], all[0].ID: all[1:], all[1].ID: all[2:], all[2].ID: {}} {
		var got []wire.Image
		s.get(address+"?limit=2&after="+after).into(t, http.StatusOK, &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", after, diff)
		}
	}
	for query, status := range map[string]int{"limit=0": http.StatusUnprocessableEntity, "limit=x": http.StatusUnprocessableEntity, "after=nope": http.StatusUnprocessableEntity, "after=" + p.ID: http.StatusNotFound} {
		if a := s.get(address + "?" + query); a.status != status {
			t.Errorf("%s: status %d, want %d", query, a.status, status)
		}
	}
}

// cut is a PNG with a complete header and incomplete pixels.
func cut() []byte { return picture()[:2000] }

// huge is a PNG that states 20,000 × 20,000 pixels.
func huge() []byte {
	b := bytes.Clone(picture())
	copy(b[16:], []byte{0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20})
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestUploadOfNothingUsable(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	for _, c := range []struct {
		name   string
		files  []file
		status int
		says   string
	}{
		{"text", []file{{"a.png", []byte("hello")}}, 415, "JPEG"},
		{"svg", []file{{"a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)}}, 415, "PNG"},
		{"empty", []file{{"a.png", nil}}, 422, "empty"},
		{"cut", []file{{"a.png", cut()}}, 422, ""},
		{"huge", []file{{"a.png", huge()}}, 413, "16384"},
		{"no name", []file{{"", picture()}}, 422, "file name is empty"},
		{"two of them", []file{{"a.png", cut()}, {"b", []byte("hello")}}, 422, ""},
		{"none", nil, 422, "no file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := s.upload(p.ID, c.files...).problem(t, c.status)
			if len(got.Files) != len(c.files) || !strings.Contains(got.Detail, c.says) {
				t.Errorf("problem %+v", got)
			}
		})
	}
	var list []wire.Image
	s.get("/api/v1/projects/"+p.ID+"/images").into(t, http.StatusOK, &list)
	if len(list) != 0 {
		t.Errorf("%d images were kept", len(list))
	}
}

func TestPicturesOfAnImage(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID

	for _, part := range []string{"/display", "/thumbnail"} {
		a := s.get(path + part)
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "image/jpeg" || !strings.Contains(a.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", part, a.status, a.header)
		}
		if again := s.send("GET", path+part, nil, "If-None-Match: "+a.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%s again: %d, want 304", part, again.status)
		}
	}
	original := s.get(path + "/original")
	if !bytes.Equal(original.body, picture()) {
		t.Error("the original is not what was uploaded")
	}
	for name, want := range map[string]string{
		"Content-Type":            "image/png",
		"Content-Disposition":     `attachment; filename=beach.png`,
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
	} {
		if got := original.header.Get(name); got != want {
			t.Errorf("original: %s: %q, want %q", name, got, want)
		}
	}
	if part := s.send("GET", path+"/original", nil, "Range: bytes=1-3"); part.status != http.StatusPartialContent || string(part.body) != "PNG" {
		t.Errorf("a part of the original: %d %q", part.status, part.body)
	}
	for _, part := range []string{"/display", "/thumbnail", "/original", "/superpixels.png", "/superpixels.bin"} {
		for _, condition := range []string{`If-Match: "other"`, "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"} {
			if part != "/original" && strings.HasPrefix(condition, "If-Unm") {
				continue // only it has a time
			}
			a := s.send("GET", path+part, nil, condition)
			if a.problem(t, http.StatusPreconditionFailed); a.header.Get("Content-Encoding") != "" {
				t.Errorf("%s, %s: %v", part, condition, a.header)
			}
		}
		for _, bytes := range []string{"bytes=99999999-", "bytes=x"} {
			a := s.send("GET", path+part, nil, "Range: "+bytes)
			if p := a.problem(t, http.StatusRequestedRangeNotSatisfiable); !strings.Contains(p.Detail, bytes) || a.header.Get("Content-Encoding") != "" || a.header.Get("ETag") != "" {
				t.Errorf("%s, %s: %v %s", part, bytes, a.header, p.Detail)
			}
		}
	}
	for part, condition := range map[string]string{"/display": "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT", "/superpixels.bin": `If-Match: "another"`} {
		s.send("GET", path+part, nil, condition).problem(t, http.StatusPreconditionFailed)
	}
	if a := s.send("GET", path+"/original", nil, "Range: bytes=99999999-"); a.header.Get("Content-Range") != fmt.Sprintf("bytes */%d", len(picture())) {
		t.Errorf("the size of the original is not told: %v", a.header)
	}
	if head := s.send("HEAD", path+"/original", nil); head.status != http.StatusOK || len(head.body) != 0 {
		t.Errorf("HEAD: %d with %d bytes", head.status, len(head.body))
	}
	for _, part := range []string{"", "/display", "/thumbnail", "/original", "/superpixels.png", "/superpixels.bin", "/evidence", "/hypotheses", "/mask.png"} {
		s.get("/api/v1/images/nope"+part).problem(t, http.StatusNotFound)
	}
}

func TestSuperpixelForms(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	a := s.send("GET", "/api/v1/images/"+im.ID+"/superpixels.bin", nil, "Accept-Encoding: identity") // the client would unpack it
	if a.header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("headers %v", a.header)
	}
	for _, method := range []string{"GET", "HEAD"} {
		size := s.send(method, "/api/v1/images/"+im.ID+"/superpixels.bin", nil, "Accept-Encoding: identity").header.Get("Content-Length")
		if size != strconv.Itoa(len(a.body)) {
			t.Errorf("%s: a length of %q, but %d bytes", method, size, len(a.body))
		}
	}
	part := s.send("GET", "/api/v1/images/"+im.ID+"/superpixels.bin", nil, "Accept-Encoding: identity", "Range: bytes=1-3")
	if part.status != http.StatusPartialContent || part.header.Get("Content-Length") != "3" || !bytes.Equal(part.body, a.body[1:4]) {
		t.Errorf("a part: %d %v, %d bytes", part.status, part.header, len(part.body))
	}
	z, err := gzip.NewReader(bytes.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var m superpixels.Runs
	if err := m.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	if m.Width != pictureWidth || m.Height != pictureHeight || m.N != im.Regions {
		t.Errorf("map %d×%d of %d, record %+v", m.Width, m.Height, m.N, im)
	}
	img, err := png.Decode(bytes.NewReader(s.get("/api/v1/images/" + im.ID + "/superpixels.png").body))
	if err != nil {
		t.Fatal(err)
	}
	for y := range m.Height {
		for x := range m.Width {
			if got := int(img.(*image.Gray16).Gray16At(x, y).Y); got != m.At(x, y) {
				t.Fatalf("pixel (%d, %d) is %d in the PNG and %d in the other form", x, y, got, m.At(x, y))
			}
		}
	}
}

// A packer that waits for its next use does not keep in memory what it packed
// last.
func TestPackersKeepNothing(t *testing.T) {
	z := packers.New().(*gzip.Writer)
	last := func() weak.Pointer[bytes.Buffer] {
		gz, err := packed(z, make([]byte, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		if unpacked, err := gzip.NewReader(bytes.NewReader(gz.Bytes())); err != nil {
			t.Error(err)
		} else if b, err := io.ReadAll(unpacked); len(b) != 1<<20 || err != nil {
			t.Errorf("%d bytes come back, %v", len(b), err)
		}
		return weak.Make(gz)
	}()
	runtime.GC()
	if last.Value() != nil {
		t.Error("it does")
	}
	runtime.KeepAlive(z)
}

// The lists that grow with a project are compressed for those who can unpack them.
func TestCompressedLists(t *testing.T) {
	t.Parallel()
	s := MustServe(t)
	im := s.photo()
	for _, path := range []string{"/api/v1/projects/" + im.Project + "/images", "/api/v1/projects/" + im.Project + "/learning", "/api/v1/trash"} {
		plain, packed := s.send("GET", path, nil, "Accept-Encoding: identity"), httptest.NewRecorder()
		r := httptest.NewRequest("GET", s.url+path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		s.server.ServeHTTP(packed, r)
		if h := packed.Header(); plain.header.Get("Content-Encoding") != "" || h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: encodings %v and %v", path, plain.header, h)
		}
		z, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		if unpacked, err := io.ReadAll(z); err != nil || !bytes.Equal(unpacked, plain.body) {
			t.Errorf("%s: unpacked it is another answer: %v", path, err)
		}
	}
}

// While the images that others have open take all memory, calls that need another one
// answer 429, and each call says in the document that it can.
func TestNoMemoryForAnotherImage(t *testing.T) {
	s := serve(t, []workspace.Options{{Most: 1}})
	im, other := s.photo(), s.photo()
	s.greet(im.ID)
	busy := 0
	for _, route := range slices.Sorted(maps.Keys(calls)) {
		method, path, _ := strings.Cut(route, " ")
		if method != http.MethodGet || !strings.HasPrefix(path, "/api/v1/images/{id}") || strings.HasSuffix(path, "/socket") {
			continue
		}
		address := strings.Replace(path, "{id}", other.ID, 1)
		if strings.HasSuffix(path, "/alternatives") {
			address += "?superpixels=1"
		}
		switch a := s.get(address); a.status {
		case http.StatusTooManyRequests:
			busy++
			if a.header.Get("Retry-After") == "" {
				t.Errorf("%s does not say when to come back", route)
			}
		case http.StatusOK:
		default:
			t.Errorf("%s: %d %s", route, a.status, a.body)
		}
	}
	if busy < 8 {
		t.Errorf("%d calls had to wait for memory", busy)
	}
}
