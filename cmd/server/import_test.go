package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the export command writes the import command brings back, also beside a
// running server: a backup as a new project, masks as the labelling of images.
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
	var images []struct {
		Seq     int     `json:"seq"`
		Decided float64 `json:"decided"`
	}
	p.call("GET", "/api/v1/projects/"+project+"/images", http.StatusOK, &images)
	if len(images) != 1 || images[0].Seq != 1 || images[0].Decided != 1 {
		t.Errorf("images %+v", images)
	}
	var projects []any
	p.call("GET", "/api/v1/projects", http.StatusOK, &projects)
	if len(projects) != 2 {
		t.Errorf("%d projects", len(projects))
	}

	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ want, file, project string }{
		{"No masks", notes, project}, {"not a Collie backup", notes, ""}, {"no project", masks, "nobody"},
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
