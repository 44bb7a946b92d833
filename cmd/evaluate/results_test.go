package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
	printing "collie/cmd/internal/output"
	"collie/cmd/internal/version"
	"collie/segment/affinity"
	"collie/segment/engine"
)

// Folders for results that can't be made are refused before the work, whose figures
// would be lost.
func TestRoomForResults(t *testing.T) {
	dir := evaluatetest.Folder(t, 1)
	file := filepath.Join(dir, "images", "im0.png")
	for command, flag := range map[string]string{"voc": "--curves", "calibration": "--curves", "project": "--plots", "superpixels": "--labels"} {
		for _, folder := range []string{file, filepath.Join(file, "deeper")} {
			if out, err := evaluatetest.Run(t, &commands{}, command, "--data", dir, flag, folder); out != "" || err == nil || !strings.Contains(err.Error(), flag) {
				t.Errorf("%s %s %s: output %q, error %v", command, flag, folder, out, err)
			}
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "nowhere", "out.json")} {
		if out, err := evaluatetest.Run(t, &commands{}, "voc", "--data", dir, "--json", path); out != "" || err == nil || !strings.Contains(err.Error(), "--json") {
			t.Errorf("--json %s: output %q, error %v", path, out, err)
		}
	}
}

// Figures can be told apart later: their file says which program made them, and how.
func TestFiguresSayHowTheyWereMade(t *testing.T) {
	dir := evaluatetest.Folder(t, 1)
	for _, command := range []string{"voc", "superpixels"} {
		r := evaluatetest.Figures[struct {
			Made struct {
				Version    string
				Arguments  []string
				Parameters engine.Parameters
			}
		}](t, &commands{}, command, "--data", dir, "--regions", "40")
		if r.Made.Version != version.Text() || !slices.Equal(r.Made.Arguments, os.Args[1:]) || r.Made.Parameters.Number != affinity.Default().Number() {
			t.Errorf("%s: %+v", command, r.Made)
		}
	}
}

// A table that can't be printed takes no figures along.
func TestFiguresWithoutTable(t *testing.T) {
	nowhere, err := os.Open(os.DevNull) // for reading
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	dir := evaluatetest.Folder(t, 1)
	for _, command := range []string{"superpixels", "voc", "calibration"} {
		file := filepath.Join(t.TempDir(), "figures.json")
		printed := &printing.Printed{To: nowhere}
		if err := evaluatetest.RunTo(t, printed, &commands{}, command, "--data", dir, "--json", file); err != nil || printed.Err == nil {
			t.Errorf("%s: %v; printing: %v", command, err, printed.Err)
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// Shares are printed as they were given, and a single draw has no spread.
func TestTables(t *testing.T) {
	dir := evaluatetest.Folder(t, 1)
	for _, args := range [][]string{
		{"voc", "--methods", "random-walker", "--observed", "0.07"},
		{"semantic", "--methods", "argmax", "--corrupt", "0.07"},
		{"methods", "--methods", "map", "--against", "map", "--observed", "0.07"},
	} {
		args = append(args, "--data", dir, "--classes", "2", "--regions", "60")
		one, err := evaluatetest.Run(t, &commands{}, args...)
		if err != nil || !strings.Contains(one, " 7 %") || !strings.Contains(one, "1 draw") || !strings.Contains(one, "  –  ") {
			t.Errorf("%v: %v\n%s", args, err, one)
		}
		if two, err := evaluatetest.Run(t, &commands{}, append(args, "--draws", "2")...); err != nil || !strings.Contains(two, "2 draws") || strings.Contains(two, "  –  ") {
			t.Errorf("%v with two draws: %v\n%s", args, err, two)
		}
	}
}

// A folder whose masks leave nothing to measure is named instead of a table of
// perfect or empty figures.
func TestNothingToMeasure(t *testing.T) {
	void, plain := evaluatetest.Folder(t, 6), evaluatetest.Folder(t, 6)
	for i := range 6 {
		name := fmt.Sprintf("masks/im%d.png", i)
		evaluatetest.Save(t, filepath.Join(void, name), evaluatetest.Grey(func(int, int) uint8 { return 255 }))
		evaluatetest.Save(t, filepath.Join(plain, name), evaluatetest.Grey(func(int, int) uint8 { return 0 }))
	}
	good, other, split := evaluatetest.Folder(t, 1), evaluatetest.Folder(t, 1), evaluatetest.Folder(t, 6)
	for _, c := range []struct{ args, says string }{
		{"voc --data " + void, "void"},
		{"semantic --data " + void, "void"},
		{"methods --methods herding --data " + void, "void"},
		{"clicks --data " + void, "void"},
		{"voc --data " + plain, "hold one class, 0"},
		{"semantic --data " + plain, "hold one class, 0"},
		{"methods --methods herding --data " + plain, "hold one class, 0"},
		{"clicks --data " + plain, "255 is void"},
		{"areas --methods herding --data " + plain, "--data " + plain + ": no image has clicks on two classes"},
		{"rank --method herding --data " + good + " --train " + plain, "--train " + plain + ": no image has clicks on two classes"},
		{"rank --method herding --observed 0.4 --train " + good + " --data " + plain, "--data " + plain + ": no image has clicks on two classes"},
		{"learn --data " + good + " --train " + plain, "--train " + plain + ": no image has clicks on two classes"},
		{"learn --observed 0.4 --predictors 2 --train " + good + " --data " + other, "--predictors 2: every predictor needs an image"},
		{"learn --observed 0.4 --predictors 1 --train " + good + " --data " + plain, "--data " + plain + ": no image has clicks on two classes"},
		{"calibration --data " + good + " --fit " + plain, plain + ": no image has anything to click"},
		{"calibration --data " + void, void + ": no image has anything to click"},
		{"labellings --labellings " + filepath.Join(plain, "masks") + " --data " + plain, "hold one class, 0"},
		{"labellings --labellings " + filepath.Join(void, "masks") + " --data " + void, "are void"},
		{"project --data " + plain, "hold one class, 0"},
		{"project --finished 9 --data " + split, "--finished 9"},
		{"project --online --data " + void, "--data " + void},
		{"embeddings --finished 5 --data " + void, "--data " + void},
		{"scribbles --data " + void, "--data " + void},
	} {
		args := strings.Fields(c.args)
		if args[0] != "scribbles" { // which has no other classes
			args = append(args, "--classes", "2")
		}
		if args[0] != "project" && args[0] != "embeddings" && args[0] != "labellings" {
			args = append(args, "--regions", "60")
		}
		if out, err := evaluatetest.Run(t, &commands{}, args...); out != "" || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: output %q, error %v, want %q", c.args, out, err, c.says)
		}
	}
}

// More superpixels than anybody needs would keep a command busy for hours, or wrap
// around to a few where it divides them further.
func TestMostRegions(t *testing.T) {
	dir := evaluatetest.Folder(t, 2)
	for _, command := range []string{"voc", "clicks", "objects", "scribbles", "semantic", "methods", "areas", "next", "calibration", "superpixels", "extents", "corrections", "stack"} {
		_, err := evaluatetest.Run(t, &commands{}, command, "--data", dir, "--regions", "2000000000")
		if err == nil || !strings.Contains(err.Error(), "--regions 2000000000: must be from 1 to 65536") {
			t.Errorf("%s: %v", command, err)
		}
	}
}
