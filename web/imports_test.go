package web

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"collie/segment/archive"
	"collie/segment/audit"
	"collie/segment/mask"
	"collie/web/wire"
)

// halfMask is a palette PNG whose left half has class 1 and whose right half 2.
func halfMask() []byte {
	palette := make(color.Palette, 256)
	for i := range palette {
		palette[i] = mask.VOCColor(uint8(i))
	}
	img := image.NewPaletted(image.Rect(0, 0, pictureWidth, pictureHeight), palette)
	for i := range img.Pix {
		img.Pix[i] = 1
		if i%pictureWidth >= pictureWidth/2 {
			img.Pix[i] = 2
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func (s *site) importFiles(path string, files ...file) answer {
	s.tb.Helper()
	body, kind := form(files...)
	return s.send("POST", path, body, "Content-Type: "+kind)
}

// importMapped imports a half mask by a mapping, or without one if that is empty.
func (s *site) importMapped(path, mapping, name string) answer {
	s.tb.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if mapping != "" {
		if err := form.WriteField("mapping", mapping); err != nil {
			s.tb.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(halfMask())
	}
	if err := errors.Join(err, form.Close()); err != nil {
		s.tb.Fatal(err)
	}
	return s.send("POST", path, &body, "Content-Type: "+form.FormDataContentType())
}

// Imported masks become the labelling; pages with the image open are notified, and
// the answer lists what could be imported and what couldn't.
func TestImportMasks(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	c := s.greet(im.ID)
	var got importJSON
	s.importFiles("/api/v1/projects/"+im.Project+"/imports",
		file{"beach.png", halfMask()}, file{"nobody.png", halfMask()},
		file{"set.json", []byte(`{"categories":[],"annotations":[],"images":[{"id":1,"file_name":"else.jpg","width":4,"height":4}]}`)},
	).into(t, http.StatusOK, &got)
	if len(got.Images) != 3 || got.Images[0].Seq != 1 || got.Images[0].Decided != pictureWidth*pictureHeight || got.Images[1].Problem == "" || got.Images[2].Problem == "" {
		t.Fatalf("%+v", got)
	}
	if left, right := s.valueAt(path, image.Pt(5, 5)), s.valueAt(path, image.Pt(115, 75)); left != 1 || right != 2 {
		t.Errorf("the mask has %d and %d", left, right)
	}
	c.expect("project")
	if m := c.expect("state"); m.Seq != 1 {
		t.Errorf("told of %+v", m)
	}

	// A file without masks is reported by its name and keeps no other from being imported.
	all := "/api/v1/projects/" + im.Project + "/imports"
	got = importJSON{}
	s.importFiles(all, file{"notes.txt", []byte("notes")}, file{"beach.png", halfMask()}, file{"bad.json", []byte("{")}).into(t, http.StatusOK, &got)
	if len(got.Images) != 3 || got.Images[0].Mask != "notes.txt" || got.Images[0].Problem == "" || got.Images[1].Seq != 2 || got.Images[2].Mask != "bad.json" || got.Images[2].Problem == "" {
		t.Errorf("%+v", got)
	}
	var counts []string
	for _, e := range s.audited(0) {
		if e.Action == string(audit.MasksImported) {
			counts = append(counts, e.Detail)
		}
	}
	if !slices.Equal(counts, []string{"1 mask", "1 mask"}) { // the others had problems
		t.Errorf("the audit log has %q, want 1 mask, twice", counts)
	}
	s.importFiles(all, file{"notes.txt", []byte("notes")}).problem(t, http.StatusUnsupportedMediaType)
	s.importFiles(all).problem(t, http.StatusUnprocessableEntity)
	s.importFiles(all+"?uncovered=x", file{"a.png", nil}).problem(t, http.StatusUnprocessableEntity)
	s.importFiles(all+"?numbers=x", file{"a.png", nil}).problem(t, http.StatusUnprocessableEntity)
	s.send("POST", all, strings.NewReader("{}"), "Content-Type: application/json").problem(t, http.StatusUnsupportedMediaType)
}

// A file by itself that can't be used is refused, whatever it is and also in a review, and
// reported if others can. One that finds no image is reported in any case.
func TestImportRefusesAFileAlone(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/projects/" + im.Project + "/imports"
	var small bytes.Buffer
	if err := png.Encode(&small, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ content, says string }{
		"beach.json": {"{", "JSON"},
		"beach.npz":  {"PK", "The array can't be used: not readable: it is not a .npz file"},
		"beach.npy":  {"\x93NUMPY\x01\x00\x3d\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1)}\n\x00\x00\x00\xbf", "embeddings must be in a .npz, in an array called embeddings"},
		"beach.png":  {"\x89PNG\r\n\x1a\n", "not a readable PNG"},
		"BEACH.png":  {small.String(), "The mask has 3×2 pixels, but the image has"},
	} {
		for _, query := range []string{"?review=true", ""} {
			p := s.importFiles(path+query, file{name, []byte(c.content)}).problem(t, http.StatusUnprocessableEntity)
			if !strings.Contains(p.Detail, c.says) || len(p.Files) != 1 || p.Files[0].Name != name {
				t.Errorf("%s: %+v", name, p)
			}
		}
		var got importJSON
		s.importFiles(path+"?review=true", file{"beach.png", halfMask()}, file{name, []byte(c.content)}).into(t, http.StatusOK, &got)
		if len(got.Images) != 2 || got.Images[0].Problem != "" || !strings.Contains(got.Images[1].Problem, c.says) {
			t.Errorf("%s beside another: %+v", name, got.Images)
		}
	}
	var got importJSON
	s.importFiles(path, file{"nobody.npz", []byte("PK")}).into(t, http.StatusOK, &got)
	if len(got.Images) != 1 || !strings.Contains(got.Images[0].Problem, "No image in the project has this name") {
		t.Errorf("without an image: %+v", got.Images)
	}
	var now wire.Image
	if s.get("/api/v1/images/"+im.ID).into(t, http.StatusOK, &now); now.Seq != 0 {
		t.Errorf("%d events were stored", now.Seq)
	}
}

// A review says what an import would do, a mapping decides what values become, and
// the answer says what each has become.
func TestImportMapping(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/projects/" + im.Project + "/imports"
	send := func(query, mapping string) answer {
		t.Helper()
		return s.importMapped(path+query, mapping, "beach.png")
	}
	var got importJSON
	send("?review=true&names=voc", "").into(t, http.StatusOK, &got)
	if len(got.Values) != 2 || got.Values[1].Name != "bicycle" || !got.Values[1].New || *got.Values[1].Class != "bicycle" || len(got.Images[0].Thumbnail) == 0 || got.Images[0].Seq != 0 {
		t.Fatalf("review %+v", got)
	}
	for _, mapping := range []string{"[]", "null", `{"1":2}`, `{"1":" "}`, `{"1":"a\u202eb"}`, "{\"1\":\"a\xff\"}", "{"} {
		send("", mapping).problem(t, http.StatusUnprocessableEntity)
	}
	var project wire.Project
	s.get("/api/v1/projects/"+im.Project).into(t, http.StatusOK, &project)
	before := len(project.Classes)

	got = importJSON{}
	send("", `{"1":"pier","2":null,"3":"`+project.Classes[1].Name+`"}`).into(t, http.StatusOK, &got)
	if !slices.Equal(got.ClassesAdded, []string{"pier"}) || *got.Values[0].Class != "pier" || got.Values[1].Class != nil || got.Values[1].Unknown || got.Images[0].Thumbnail != nil {
		t.Errorf("import %+v", got)
	}
	image1 := "/api/v1/images/" + im.ID
	if left, right := s.valueAt(image1, image.Pt(5, 5)), s.valueAt(image1, image.Pt(115, 75)); int(left) != before || right != 255 {
		t.Errorf("the mask has %d and %d", left, right)
	}
}

// Numbers are objects if the call says so, and of the class that it says.
func TestImportLabelImage(t *testing.T) {
	s := MustServe(t)
	im := s.photo() // of a project of more than two classes
	path := "/api/v1/projects/" + im.Project + "/imports?numbers=objects"
	var got importJSON
	s.importFiles(path+"&review=true", file{"beach.png", halfMask()}).into(t, http.StatusOK, &got)
	if len(got.Values) != 1 || got.Values[0].Value != "objects" || !got.Values[0].Unknown || got.Values[0].Class != nil || got.Images[0].Problem != "" || got.Images[0].Regions != 2 {
		t.Fatalf("review %+v", got)
	}
	got = importJSON{}
	s.importFiles(path, file{"beach.png", halfMask()}).into(t, http.StatusOK, &got)
	if !strings.Contains(got.Images[0].Problem, `map "objects" to a class`) || got.Images[0].Seq != 0 {
		t.Errorf("without a class %+v", got)
	}
	var project wire.Project
	s.get("/api/v1/projects/"+im.Project).into(t, http.StatusOK, &project)
	got = importJSON{}
	s.importMapped(path, `{"objects":"`+project.Classes[1].Name+`"}`, "beach_masks.png").into(t, http.StatusOK, &got)
	if got.Images[0].Problem != "" || got.Images[0].Seq != 1 || *got.Values[0].Class != project.Classes[1].Name {
		t.Fatalf("import %+v", got)
	}
	for _, at := range []image.Point{{5, 5}, {115, 75}} {
		if class := s.valueAt("/api/v1/images/"+im.ID, at); class != 1 {
			t.Errorf("class %d at %v", class, at)
		}
	}
	var objects struct{ Objects []struct{ Number int } }
	s.get("/api/v1/images/"+im.ID+"/objects").into(t, http.StatusOK, &objects)
	if len(objects.Objects) != 2 {
		t.Errorf("objects %+v", objects)
	}
}

// A backup sent to a server becomes a project there.
func TestImportBackup(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	s.clickThree("/api/v1/images/" + im.ID)
	done := s.exported(im.Project, `{"format":"backup"}`)
	content := s.get("/api/v1/exports/" + done.ID + "/file").body
	var made []wire.Project
	s.importFiles("/api/v1/imports", file{"backup.zip", content}).into(t, http.StatusCreated, &made)
	if len(made) != 1 || made[0].ID == im.Project || made[0].Name != "Beach" {
		t.Fatalf("%+v", made)
	}
	var images []wire.Image
	s.get("/api/v1/projects/"+made[0].ID+"/images").into(t, http.StatusOK, &images)
	if len(images) != 1 || images[0].Seq != 3 || images[0].Clicks != 3 {
		t.Errorf("%+v", images)
	}
	// For several backups the answer says which became projects and which didn't.
	var both []struct{ ID, Name, Status string }
	s.importFiles("/api/v1/imports", file{"broken.zip", content[:len(content)/2]}, file{"backup.zip", content}).into(t, http.StatusCreated, &both)
	if len(both) != 2 || both[0].Status != "failed" || both[0].Name != "broken.zip" || both[1].ID == "" || both[1].Status != "" {
		t.Errorf("%+v", both)
	}
	s.importFiles("/api/v1/imports", file{"beach.png", picture()}).problem(t, http.StatusUnsupportedMediaType)
}

// The refusal of a file names it, among several.
func TestImportNamesTheFileThatIsTooLarge(t *testing.T) {
	t.Parallel()
	s := mustServe(t, Limits{Zip: archive.Limits{Bytes: 2000}})
	p := s.project()
	refused := s.importFiles("/api/v1/projects/"+p.ID+"/imports", file{"small.png", make([]byte, 10)}, file{"large.png", make([]byte, 2001)}).problem(t, http.StatusRequestEntityTooLarge)
	if !strings.Contains(refused.Detail, `"large.png"`) {
		t.Errorf("%+v", refused)
	}
}
