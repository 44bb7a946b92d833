package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mustExport runs the command and returns what it says.
func mustExport(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.Command(binary, append([]string{"export"}, arguments...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("export %q: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// The command writes the same file as a running server of the same folder, and
// changes nothing.
func TestExportBesideServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, data)
	project := p.sample()
	var started struct {
		ID string `json:"id"`
	}
	resp, err := http.Post(p.url+"/api/v1/projects/"+project+"/exports", "application/json", strings.NewReader(`{"format":"coco"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&started); err != nil {
		t.Fatal(err)
	}
	var status struct {
		Status string `json:"status"`
	}
	for limit := time.Now().Add(2 * time.Minute); status.Status != "done"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("the export does not end: %+v", status)
		}
		p.call("GET", "/api/v1/exports/"+started.ID, http.StatusOK, &status)
	}
	file, err := http.Get(p.url + "/api/v1/exports/" + started.ID + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Body.Close()
	var served bytes.Buffer
	if _, err := served.ReadFrom(file.Body); err != nil {
		t.Fatal(err)
	}

	out := filepath.Join(t.TempDir(), "out.zip")
	for _, name := range []string{project, "Sample"} {
		if said := mustExport(t, "--data", data, "--project", name, "--format", "coco", "--out", out); !strings.Contains(said, "1 image") {
			t.Errorf("the command says %q", said)
		}
		written, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written, served.Bytes()) {
			t.Errorf("the command writes %d bytes that are not the %d of the server", len(written), served.Len())
		}
	}
	p.stop()
	if said := mustExport(t, "--data", data, "--project", "Sample", "--format", "voc", "--no-drafts", "--no-pictures", "--out", out); !strings.Contains(said, "left out") {
		t.Errorf("without drafts the command says %q", said)
	}
	z, err := zip.OpenReader(out)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if strings.HasPrefix(f.Name, "JPEGImages/") {
			t.Errorf("there is a picture, %s", f.Name)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, data)
	p.sample()
	project := p.sample()
	out := filepath.Join(t.TempDir(), "out.zip")
	for name, c := range map[string]struct {
		arguments []string
		says      string
	}{
		"not a data folder":          {[]string{"--data", data + "x", "--project", "Sample", "--format", "coco"}, ""},
		"an unknown project":         {[]string{"--data", data, "--project", "Nobody", "--format", "coco"}, "no project"},
		"a name that two have":       {[]string{"--data", data, "--project", "Sample", "--format", "coco"}, project},
		"an unknown format":          {[]string{"--data", data, "--project", project, "--format", "gif"}, "cityscapes"},
		"an image of no project":     {[]string{"--data", data, "--project", project, "--format", "coco", "--image", "x"}, "no image"},
		"too many hypotheses":        {[]string{"--data", data, "--project", project, "--format", "numpy", "--hypotheses", "1000"}, "1 to 100"},
		"a folder that is not there": {[]string{"--data", data, "--project", project, "--format", "coco", "--out", filepath.Join(out, "x", "y.zip")}, ""},
	} {
		arguments := append([]string{"export", "--out", out}, c.arguments...)
		said, err := exec.Command(binary, arguments...).CombinedOutput()
		if err == nil || !strings.Contains(string(said), c.says) || bytes.Contains(said, []byte("panic")) {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(out)); err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// Whenever the command is killed, the file is complete or absent.
func TestKilledExport(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, data)
	p.sample()
	p.stop()
	whole := filepath.Join(t.TempDir(), "whole.zip")
	arguments := []string{"--data", data, "--project", "Sample", "--format", "voc", "--out"}
	began := time.Now()
	mustExport(t, append(arguments, whole)...)
	took := time.Since(began)
	want, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	const kills = 20
	left := 0
	for i := range kills {
		out := filepath.Join(t.TempDir(), "out.zip")
		cmd := exec.Command(binary, append([]string{"export"}, append(arguments, out)...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(i) / kills)
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		got, err := os.ReadFile(out)
		if err == nil && !bytes.Equal(got, want) {
			t.Errorf("killed after %d/%d of the time it leaves %d bytes that are not the %d of the whole file", i, kills, len(got), len(want))
		}
		if err == nil {
			left++
		}
	}
	t.Logf("%d of %d left the whole file", left, kills)
}
