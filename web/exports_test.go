package web

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"collie/segment/export"
	"collie/segment/export/jobs"
)

// exported starts an export and waits until it ends.
func (s *site) exported(project, body string) jobs.Status {
	s.tb.Helper()
	var started startedJSON
	s.post("/api/v1/projects/"+project+"/exports", body).into(s.tb, http.StatusAccepted, &started)
	for limit := time.Now().Add(2 * time.Minute); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		var status jobs.Status
		s.get("/api/v1/exports/"+started.ID).into(s.tb, http.StatusOK, &status)
		if status.State == jobs.Done || status.State == jobs.Failed {
			return status
		}
	}
	s.tb.Fatal("the export does not end")
	return jobs.Status{}
}

// pictureIn is a PNG in a zip archive.
func pictureIn(tb testing.TB, archive []byte, name string) image.Image {
	tb.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		tb.Fatal(err)
	}
	file, err := z.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		tb.Fatal(err)
	}
	return img
}

func TestExport(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	s.post("/api/v1/images/"+im.ID+"/evidence", labelAt("a", 0, inSky, 0)).into(t, http.StatusOK, new(seqJSON))
	s.post("/api/v1/images/"+im.ID+"/evidence", labelAt("b", 1, inSand, 2)).into(t, http.StatusOK, new(seqJSON))
	status := s.exported(im.Project, fmt.Sprintf(`{"format":"voc","options":{"images":[%q],"pictures":false}}`, im.ID))
	if status.State != jobs.Done || status.ImagesDone != 1 || status.ImagesTotal != 1 || status.Report == nil || len(status.Report.Images) != 1 || status.Bytes == 0 {
		t.Fatalf("status %+v", status)
	}
	file := s.get("/api/v1/exports/" + status.ID + "/file")
	if file.status != http.StatusOK || int64(len(file.body)) != status.Bytes || file.header.Get("Content-Type") != "application/zip" || !strings.Contains(file.header.Get("Content-Disposition"), "Beach-voc.zip") {
		t.Errorf("file: %d, %d bytes, %v", file.status, len(file.body), file.header)
	}
	img := pictureIn(t, file.body, "SegmentationClass/beach.png")
	single, err := png.Decode(bytes.NewReader(s.get("/api/v1/images/" + im.ID + "/mask.png").body))
	if err != nil {
		t.Fatal(err)
	}
	for y := range pictureHeight {
		for x := range pictureWidth {
			if img.At(x, y) != single.At(x, y) {
				t.Fatalf("pixel (%d, %d) is %v in the archive and %v in the mask", x, y, img.At(x, y), single.At(x, y))
			}
		}
	}
	part := s.send("GET", "/api/v1/exports/"+status.ID+"/file", nil, "Range: bytes=0-3")
	if part.status != http.StatusPartialContent || string(part.body) != "PK\x03\x04" {
		t.Errorf("a part: %d %q", part.status, part.body)
	}
	s.send("GET", "/api/v1/exports/"+status.ID+"/file", nil, "Range: bytes=99999999-").problem(t, http.StatusRequestedRangeNotSatisfiable)
}

func TestExportRefusals(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	for body, want := range map[string]int{
		`{}`:               http.StatusUnprocessableEntity,
		`{"format":"gif"}`: http.StatusUnprocessableEntity,
		`{"format":3}`:     http.StatusUnprocessableEntity,
		`{"format":"coco"`: http.StatusBadRequest,
		`{"format":"voc","options":{"undecided":"red"}}`:   http.StatusUnprocessableEntity,
		`{"format":"numpy","options":{"hypotheses":0}}`:    http.StatusUnprocessableEntity,
		`{"format":"voc","options":{"aproved":true}}`:      http.StatusUnprocessableEntity,
		`{"format":"voc","options":{"split":{"tran":70}}}`: http.StatusUnprocessableEntity,
		`{"format":"voc","options":{"images":["nobody"]}}`: http.StatusNotFound,
	} {
		s.post("/api/v1/projects/"+p.ID+"/exports", body).problem(t, want)
	}
	s.post("/api/v1/projects/nobody/exports", `{"format":"coco"}`).problem(t, http.StatusNotFound)
	s.get("/api/v1/exports/nobody").problem(t, http.StatusNotFound)
	s.get("/api/v1/exports/nobody/file").problem(t, http.StatusNotFound)
	s.get("/api/v1/exports/"+strings.Repeat("a", 26)).problem(t, http.StatusNotFound)
}

// The exports of a project in the trash can't be found any more.
func TestExportOfTrashedProject(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	status := s.exported(p.ID, `{"format":"index-png"}`)
	if status.State != jobs.Done {
		t.Fatalf("an empty project: %+v", status)
	}
	if a := s.send("DELETE", "/api/v1/projects/"+p.ID, nil); a.status != http.StatusNoContent {
		t.Fatal(a.status)
	}
	s.get("/api/v1/exports/"+status.ID+"/file").problem(t, http.StatusNotFound)
}

// The API uses the same words as the report in the archive.
func TestExportStatusWords(t *testing.T) {
	var fields map[string]any
	if err := json.Unmarshal(encode(jobs.Status{Problem: "x", Bytes: 1, Report: &export.Report{}}), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "status", "report", "problem"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("the status of an export has no field %q: %v", name, fields)
		}
	}
}

// A cancelled export can't be found any more, nor can its file.
func TestCancelExport(t *testing.T) {
	s := MustServe(t)
	p := s.project()
	status := s.exported(p.ID, `{"format":"index-png"}`)
	path := "/api/v1/exports/" + status.ID
	if a := s.send("DELETE", path, nil); a.status != http.StatusNoContent || len(a.body) > 0 {
		t.Errorf("%d %q", a.status, a.body)
	}
	s.get(path).problem(t, http.StatusNotFound)
	s.get(path+"/file").problem(t, http.StatusNotFound)
	s.send("DELETE", path, nil).problem(t, http.StatusNotFound)
	s.send("DELETE", "/api/v1/exports/nobody", nil).problem(t, http.StatusNotFound)
}
