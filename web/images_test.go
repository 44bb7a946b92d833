package web

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestUpload(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	var records []json.RawMessage
	s.upload(p.ID, file{"beach.png", picture()}, file{"notes.txt", []byte("not a picture")}, file{"again.png", picture()}).into(t, http.StatusCreated, &records)
	if len(records) != 3 {
		t.Fatalf("%d records for 3 files", len(records))
	}
	var im imageJSON
	if err := json.Unmarshal(records[0], &im); err != nil {
		t.Fatal(err)
	}
	want := imageJSON{Project: p.ID, Name: "beach.png", Format: "png", Bytes: int64(len(picture())), Width: pictureWidth, Height: pictureHeight, Status: "untouched"}
	if diff := cmp.Diff(want, im, cmpopts.IgnoreFields(imageJSON{}, "ID", "Regions", "Created")); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	var failed failedFileJSON
	if err := json.Unmarshal(records[1], &failed); err != nil {
		t.Fatal(err)
	}
	if failed.Name != "notes.txt" || failed.Status != "failed" || failed.Problem.Status != http.StatusUnsupportedMediaType {
		t.Errorf("record of a text file: %+v", failed)
	}

	var read imageJSON
	s.get("/api/v1/images/"+im.ID).into(t, http.StatusOK, &read)
	if diff := cmp.Diff(im, read); diff != "" {
		t.Errorf("uploaded and read differ:\n%s", diff)
	}
	var list []imageJSON
	s.get("/api/v1/projects/"+p.ID+"/images").into(t, http.StatusOK, &list)
	if len(list) != 2 || list[0].ID != im.ID || list[1].Name != "again.png" {
		t.Errorf("list %+v", list)
	}
}

// cut is a PNG whose header is whole and whose pixels are not.
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
	var list []imageJSON
	s.get("/api/v1/projects/"+p.ID+"/images").into(t, http.StatusOK, &list)
	if len(list) != 0 {
		t.Errorf("%d images were kept", len(list))
	}
}
