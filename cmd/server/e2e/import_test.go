package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The import command reads what the export command writes, also beside a running
// server: a backup becomes a new project, masks become the labelling of images.
func TestImportBesideServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	p := start(t, data)
	project := p.sample()
	backup, masks := filepath.Join(dir, "backup.zip"), filepath.Join(dir, "masks.zip")
	mustExport(t, "--data", data, "--project", project, "--format", "backup", "--out", backup)
	mustExport(t, "--data", data, "--project", project, "--format", "voc", "--undecided", "background", "--out", masks)

	run := func(wanted int, arguments ...string) string {
		t.Helper()
		cmd := exec.Command(binary, append([]string{"import", "--data", data}, arguments...)...)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != wanted {
			t.Errorf("import %q ends with %d: %s", arguments, got, out)
		}
		return string(out)
	}
	if out := run(0, backup); !strings.Contains(out, `project "Sample" with the id`) {
		t.Errorf("backup: %s", out)
	}
	if out := run(0, "--project", project, masks); !strings.Contains(out, "pixels have a class") {
		t.Errorf("masks: %s", out)
	}
	labels := filepath.Join(dir, "labels.zip")
	mustExport(t, "--data", data, "--project", project, "--format", "label-images", "--out", labels)
	if out := run(0, "--project", project, "--numbers", "objects", labels); !strings.Contains(out, "pixels have a class") {
		t.Errorf("label images: %s", out)
	}
	var images []struct {
		Seq     int     `json:"seq"`
		Decided float64 `json:"decided"`
	}
	p.call("GET", "/api/v1/projects/"+project+"/images", http.StatusOK, &images)
	if len(images) != 1 || images[0].Seq != 2 || images[0].Decided != 1 {
		t.Errorf("images %+v", images)
	}
	var projects []any
	p.call("GET", "/api/v1/projects", http.StatusOK, &projects)
	if len(projects) != 2 {
		t.Errorf("%d projects", len(projects))
	}

	// The limits are those of the flags.
	if status, body, err := upload(p.url+"/api/v1/projects/"+project+"/images", "grain.png", grainy(t)); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %v %s", status, err, body)
	}
	two := filepath.Join(dir, "two.zip")
	mustExport(t, "--data", data, "--project", project, "--format", "backup", "--out", two)
	for _, c := range []struct{ flag, says string }{
		{"--max-file=10kB", "which is the limit"}, {"--max-side=100", "100"}, {"--max-megapixels=0.1", "0.1 megapixels"}, {"--max-images=1", "more than 1 images"}, {"--zip-size=1kB", "zip archive is larger"},
	} {
		if out := run(1, c.flag, two); !strings.Contains(out, c.says) {
			t.Errorf("a backup with %s: %s", c.flag, out)
		}
	}
	if out := run(1, "--project", project, "--max-megapixels=0.1", masks); !strings.Contains(out, "the limit is 0.1 million") {
		t.Errorf("masks: %s", out)
	}

	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	// What has no masks keeps nothing else from being imported.
	if out := run(1, "--project", project, notes, masks); !strings.Contains(out, "notes.txt: not imported. No masks found") || !strings.Contains(out, "pixels have a class") {
		t.Errorf("notes and masks: %s", out)
	}
	for _, c := range []struct{ want, file, project string }{
		{"No masks", notes, project}, {"not a Collie backup", notes, ""}, {"no project", masks, "nobody"}, {dir + " is a folder", dir, ""}, {"add --project", dir, ""}, {"name it with --project", notes, ""},
	} {
		arguments := []string{c.file}
		if c.project != "" {
			arguments = []string{"--project", c.project, c.file}
		}
		if out := run(1, arguments...); !strings.Contains(out, c.want) {
			t.Errorf("%v: %s", arguments, out)
		}
	}
}
