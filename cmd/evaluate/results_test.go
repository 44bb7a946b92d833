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

// Shares are printed as they were given, and a single draw has no spread.
func TestTables(t *testing.T) {
	dir := folder(t, 1)
	for _, args := range [][]string{
		{"voc", "--methods", "random-walker", "--observed", "0.07"},
		{"semantic", "--methods", "argmax", "--corrupt", "0.07"},
		{"methods", "--methods", "map", "--against", "map", "--observed", "0.07"},
	} {
		args = append(args, "--data", dir, "--classes", "2", "--regions", "60")
		one, err := evaluate(t, args...)
		if err != nil || !strings.Contains(one, " 7 %") || !strings.Contains(one, "1 draw") || !strings.Contains(one, "  –  ") {
			t.Errorf("%v: %v\n%s", args, err, one)
		}
		if two, err := evaluate(t, append(args, "--draws", "2")...); err != nil || !strings.Contains(two, "2 draws") || strings.Contains(two, "  –  ") {
			t.Errorf("%v with two draws: %v\n%s", args, err, two)
		}
	}
}
