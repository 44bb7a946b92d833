package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/photo/phototest"
)

// Two marks divide a region of one class between two objects; the list of objects,
// the export and undo agree, and the classes don't change.
func TestObjects(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.importFiles("/api/v1/projects/"+im.Project+"/imports", file{"beach.png", halfMask()})
	before := s.get(path + "/mask.png").body
	seq := 1
	send := func(kind, rest string, status int) answer {
		t.Helper()
		a := s.post(path+"/evidence", fmt.Sprintf(`{"id":"e%d%s","expected_seq":%d,"kind":%q%s}`, seq, kind, seq, kind, rest))
		if a.status == http.StatusOK {
			seq++
		}
		if a.status != status {
			t.Fatalf("%s%s: status %d, want %d: %s", kind, rest, a.status, status, a.body)
		}
		return a
	}
	objects := func() (list objectsJSON) {
		t.Helper()
		s.get(path+"/objects").into(t, http.StatusOK, &list)
		return list
	}
	if d := cmp.Diff(objectsJSON{Seq: 1, Objects: []objectJSON{}}, objects()); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{``, `,"class":1,"points":[[5,5]]`, `,"class":1,"points":[[5,5]],"number":-1`, `,"class":1,"points":[[5,5]],"number":70000`, `,"class":1,"number":1`, `,"class":1,"number":1,"points":[[5,500]]`, `,"class":99,"number":1,"points":[[5,5]]`} {
		send("instance", bad, http.StatusUnprocessableEntity)
	}
	send("instance", `,"class":1,"points":[[5,5]],"number":1`, http.StatusOK)
	if got := objects(); len(got.Objects) != 1 || got.Objects[0].Area != pictureWidth/2*pictureHeight || len(got.Objects[0].Outlines) != 1 {
		t.Errorf("one object: %+v", got)
	}
	send("instance", `,"class":1,"points":[[5,75]],"number":2`, http.StatusOK)
	both := objects()
	if len(both.Objects) != 2 || both.Objects[0].Area+both.Objects[1].Area != pictureWidth/2*pictureHeight || both.Objects[1].Area == 0 || len(both.Objects[0].Marks) != 1 {
		t.Fatalf("two objects: %+v", both)
	}
	if !bytes.Equal(before, s.get(path+"/mask.png").body) {
		t.Error("the classes have changed")
	}

	// Pixels of another class cover the second.
	send("pixels", fmt.Sprintf(`,"repairs":[{"class":0,"runs":[%d,%d]}]`, pictureWidth*pictureHeight/2, pictureWidth*pictureHeight/2), http.StatusOK)
	if got := objects(); len(got.Objects) != 1 || got.Objects[0].Number != 1 {
		t.Errorf("one object covered: %+v", got)
	}
	send("undo", "", http.StatusOK)

	// What happens to other classes changes none of them.
	elsewhere := fmt.Sprintf(`,"points":[[%d,5]]`, pictureWidth-5)
	send("label", elsewhere+`,"class":0`, http.StatusOK)
	tag := s.get(path + "/objects").header.Get("ETag")
	send("clear", elsewhere, http.StatusOK)
	if a := s.send("GET", path+"/objects", nil, "If-None-Match: "+tag); a.status != http.StatusNotModified || len(a.body) > 0 {
		t.Errorf("the same objects again: status %d, %s", a.status, a.body)
	}
	send("undo", "", http.StatusOK)
	send("undo", "", http.StatusOK)
	tag = s.get(path + "/objects").header.Get("ETag")
	for what, change := range map[string][2]string{
		"a pixel":     {"pixels", `,"repairs":[{"class":0,"runs":[0,1]}]`},
		"a mark":      {"instance", `,"class":1,"points":[[5,40]],"number":2`},
		"the class":   {"label", `,"points":[[5,40]],"class":0`},
		"all of them": {"clear", `,"points":[[5,75]]`},
	} {
		send(change[0], change[1], http.StatusOK)
		if a := s.send("GET", path+"/objects", nil, "If-None-Match: "+tag); a.status != http.StatusOK {
			t.Errorf("after a change of %s: status %d", what, a.status)
		}
		send("undo", "", http.StatusOK)
		if a := s.send("GET", path+"/objects", nil, "If-None-Match: "+tag); a.status != http.StatusNotModified {
			t.Errorf("after a change of %s was undone: status %d", what, a.status)
		}
	}

	done := s.exported(im.Project, `{"format":"cityscapes"}`)
	content := s.get("/api/v1/exports/" + done.ID + "/file").body
	img := pictureIn(t, content, "gtFine/default/beach_gtFine_instanceIds.png")
	counts := map[uint16]int{}
	for y := range pictureHeight {
		for x := range pictureWidth {
			counts[img.(*image.Gray16).Gray16At(x, y).Y]++
		}
	}
	if d := cmp.Diff(map[uint16]int{1000: both.Objects[0].Area, 1001: both.Objects[1].Area, 2000: pictureWidth / 2 * pictureHeight}, counts); d != "" {
		t.Errorf("instanceIds (-want +got):\n%s", d)
	}

	var log evidenceListJSON
	s.get(path+"/evidence").into(t, http.StatusOK, &log)
	if e := log.Events[2]; e.Kind != "instance" || *e.Class != 1 || *e.Number != 2 || len(e.Points) != 1 {
		t.Errorf("the log has %+v", e)
	}
	send("undo", "", http.StatusOK)
	if got := objects(); len(got.Objects) != 1 {
		t.Errorf("after undo: %+v", got)
	}
	send("redo", "", http.StatusOK)
	again := objects()
	if again.Seq = both.Seq; cmp.Diff(both, again) != "" {
		t.Errorf("after redo: %s", cmp.Diff(both, again))
	}
	send("instance", `,"class":1,"points":[[5,5]],"number":0`, http.StatusOK)
	if got := objects(); len(got.Objects) != 1 || got.Objects[0].Number != 2 {
		t.Errorf("one forgotten: %+v", got)
	}
}

// Imported objects smaller than a superpixel have no marks. Their superpixel can lose their
// class and get it again, and each time the list is another one.
func TestSmallObjects(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	var files []file
	for folder, right := range map[string]uint8{"SegmentationClass": 1, "SegmentationObject": 2} {
		of := image.NewGray(image.Rect(0, 0, pictureWidth, pictureHeight))
		of.SetGray(20, 20, color.Gray{Y: 1})
		of.SetGray(21, 20, color.Gray{Y: right})
		files = append(files, file{folder + "/beach.png", phototest.MustPNG(t, of)})
	}
	s.importFiles("/api/v1/projects/"+im.Project+"/imports", file{"voc.zip", pack(t, files...)})
	tag := ""
	for seq, want := range []int{2, 0, 2} {
		if seq > 0 {
			a := s.post(path+"/evidence", fmt.Sprintf(`{"id":"e%d","expected_seq":%d,"kind":"label","class":%d,"points":[[20,20]]}`, seq, seq, seq-1))
			if a.status != http.StatusOK {
				t.Fatalf("label: status %d, %s", a.status, a.body)
			}
		}
		a := s.send("GET", path+"/objects", nil, "If-None-Match: "+tag)
		var list objectsJSON
		a.into(t, http.StatusOK, &list)
		if len(list.Objects) != want {
			t.Errorf("after %d labels: objects %+v, want %d", seq, list.Objects, want)
		}
		tag = a.header.Get("ETag")
	}
}
