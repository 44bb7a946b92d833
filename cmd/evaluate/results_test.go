package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Folders for results that can't be made are refused before the work, whose figures
// would be lost.
func TestRoomForResults(t *testing.T) {
	dir := folder(t, 1)
	file := filepath.Join(dir, "images", "im0.png")
	for command, flag := range map[string]string{"voc": "--curves", "calibration": "--curves", "project": "--plots", "superpixels": "--labels"} {
		for _, folder := range []string{file, filepath.Join(file, "deeper")} {
			if out, err := evaluate(t, command, "--data", dir, flag, folder); out != "" || err == nil || !strings.Contains(err.Error(), flag) {
				t.Errorf("%s %s %s: output %q, error %v", command, flag, folder, out, err)
			}
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "nowhere", "out.json")} {
		if out, err := evaluate(t, "voc", "--data", dir, "--json", path); out != "" || err == nil || !strings.Contains(err.Error(), "--json") {
			t.Errorf("--json %s: output %q, error %v", path, out, err)
		}
	}
}
