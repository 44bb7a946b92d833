package e2e

import (
	"crypto/rand"
	"fmt"
	"image"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/storage/storagetest"
)

// Uploads and exports leave the reserve of the disk alone: in it clicks, a status and a
// sign-in are saved, a lost copy is made again, and removing an export makes room for
// uploads.
func TestReserve(t *testing.T) {
	t.Parallel()
	place := storagetest.MemoryDisk(t, 128)
	data := filepath.Join(place, "data")
	if out, err := users(data, "correct horse\n", "add", "ann", "--role", "admin"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	p := start(t, data)
	tr := newTraffic(t, p.url, 1)
	small := tr.picture
	noise := image.NewNRGBA(image.Rect(0, 0, 700, 700))
	if _, err := rand.Read(noise.Pix); err != nil {
		t.Fatal(err)
	}
	tr.picture = pngOf(t, noise)
	large, err := tr.upload(t.Context(), p.url)
	if err != nil {
		t.Fatal(err)
	}
	project := p.url + "/api/v1/projects/" + tr.project
	made := beginExport(t, p, tr.project, "backup") // all files
	awaitExport(t, p, made, "done")
	refuses := func(what string, status int, err error) {
		t.Helper()
		if status != http.StatusInsufficientStorage || !strings.Contains(fmt.Sprint(err), "nearly full") || !strings.Contains(fmt.Sprint(err), "Ask whoever runs the server to make room") {
			t.Errorf("%s: %d, %v", what, status, err)
		}
	}
	send := func(method, address, kind string, body []byte) (int, error) {
		return send(t.Context(), method, address, kind, body, new([]byte))
	}

	// A zip that is larger than the disk, then files of the usual size.
	form, kind := formOf(t, []string{"many.zip"}, append([]byte("PK\x03\x04"), make([]byte, 140<<20)...))
	status, err := send(http.MethodPost, project+"/images", kind, form)
	refuses("a large zip", status, err)
	storagetest.Leave(t, place, 14<<20) // a twentieth of the disk are 6.4 MiB
	form, kind = formOf(t, []string{"noise.png"}, tr.picture)
	uploads := 0
	for err = nil; err == nil && uploads < 20; uploads++ {
		status, err = send(http.MethodPost, project+"/images", kind, form)
	}
	refuses(fmt.Sprintf("upload %d", uploads), status, err)
	if uploads == 1 {
		t.Error("the first upload was not kept")
	}
	failed := beginExport(t, p, tr.project, "backup")
	awaitExport(t, p, failed, "failed")
	if got := p.body(failed); !strings.Contains(got, "nearly full") {
		t.Errorf("the export says %s", got)
	}

	// The rest of the space above the reserve, and a little of that.
	storagetest.Leave(t, place, 6<<20)
	status, err = send(http.MethodPost, project+"/exports", "application/json", []byte(`{"format":"coco"}`))
	refuses("an export", status, err)
	form, kind = formOf(t, []string{"small.png"}, small)
	status, err = send(http.MethodPost, project+"/images", kind, form)
	refuses("a small upload", status, err)
	status, err = send(http.MethodPost, project+"/imports", kind, form)
	refuses("an import", status, err)
	began := time.Now()
	for tr.clicks() < 200 {
		for _, c := range tr.workers {
			if err := c.click(t.Context(), p.url); err != nil {
				t.Fatalf("after %d clicks: %v", tr.clicks(), err)
			}
		}
	}
	t.Logf("%d clicks saved in %v", tr.clicks(), time.Since(began).Round(time.Millisecond))
	bulky := fmt.Sprintf(`{"id":"a-long-one","expected_seq":%d,"kind":"label","points":[[1,1]%s],"class":0}`, tr.clicks(), strings.Repeat(",[1.5,2.5]", 10_000)) // waits in a file
	if status, err = send(http.MethodPost, p.url+"/api/v1/images/"+tr.workers[0].image+"/evidence", "application/json", []byte(bulky)); err != nil {
		t.Errorf("a large edit: %d, %v", status, err)
	}
	if status, err = send(http.MethodPut, project+"/reviews", "application/json", []byte(fmt.Sprintf(`{"images":[%q],"status":"done"}`, large))); err != nil {
		t.Errorf("a status: %d, %v", status, err)
	}
	if status, err = send(http.MethodDelete, p.url+"/api/v1/images/"+large, "", nil); err != nil && status != http.StatusNoContent {
		t.Errorf("to the trash: %d, %v", status, err)
	}
	copies, err := filepath.Glob(filepath.Join(data, "blobs", "display", tr.workers[0].image+"*"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("%v, %v", copies, err)
	}
	if err := os.Remove(copies[0]); err != nil {
		t.Fatal(err)
	}
	if status, err = send(http.MethodGet, p.url+"/api/v1/images/"+tr.workers[0].image+"/display", "", nil); err != nil {
		t.Errorf("a lost copy is not made again: %d, %v", status, err)
	}
	p.stop()

	p = start(t, data, "--auth")
	p.signIn("ann", "correct horse")
	p.stop()

	p = start(t, data)
	tr.picture = small
	if _, err := tr.upload(t.Context(), p.url); err == nil {
		t.Error("an upload is kept in the reserve")
	}
	if status, err := send(http.MethodDelete, p.url+made, "", nil); err != nil && status != http.StatusNoContent {
		t.Fatalf("removing an export: %d, %v", status, err)
	}
	if _, err := tr.upload(t.Context(), p.url); err != nil {
		t.Errorf("with more space: %v", err)
	}
	if got := strings.Count(p.body("/api/v1/images/"+tr.workers[0].image+"/evidence"), `"kind"`); got != tr.clicks()+1 {
		t.Errorf("%d edits are there, want %d", got, tr.clicks()+1)
	}
	p.stop()
	examine(t, data)
}
