package paper

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/cmd/evaluate/internal/parts"
	"collie/cmd/internal/stats"
	"collie/segment"
	"collie/segment/simulate"
)

type labellingsFigures struct {
	Labellings          string
	Images, Hypotheses  int
	Oracle, First, Mode float64
	PerImage            accuracy `json:"per_image"`
	Ahead               stats.Interval
}

// Labellings that voc writes have the figures that it gives them.
func TestLabellings(t *testing.T) {
	dir, masks := evaluatetest.Folder(t, 3), filepath.Join(t.TempDir(), "of voc")
	rows := evaluatetest.Figures[evaluatetest.Results](t, new(VOC), "--data", dir, "--classes", "2", "--regions", "60", "--observed", "0.1", "--draws", "2",
		"--hypotheses", "4", "--methods", "label-bias,herding-paper", "--masks", masks).Results
	var folders []string
	for _, method := range []string{"label-bias", "herding-paper-exact-similarity-η-0.25"} {
		for draw := range 2 {
			folders = append(folders, filepath.Join(masks, "0.1", fmt.Sprint(draw), method))
		}
	}
	got := evaluatetest.Figures[struct{ Results []labellingsFigures }](t, new(Labellings), "--data", dir, "--classes", "2", "--labellings", strings.Join(folders, ",")).Results
	if len(got) != 4 {
		t.Fatalf("%d rows, want 4", len(got))
	}
	for i, row := range rows {
		first, second := got[2*i], got[2*i+1]
		if first.Images != 3 || first.Hypotheses != 4 || first.Labellings != folders[2*i] {
			t.Errorf("%+v", first)
		}
		each := row["per_image"].(map[string]any)
		for name, pair := range map[string][3]float64{
			"oracle":           {first.Oracle, second.Oracle, row["oracle"].(float64)},
			"first":            {first.First, second.First, row["first"].(float64)},
			"mode":             {first.Mode, second.Mode, row["mode"].(float64)},
			"oracle per image": {first.PerImage.Oracle, second.PerImage.Oracle, each["oracle"].(float64)},
		} {
			if mean := (pair[0] + pair[1]) / 2; mean-pair[2] > 1e-9 || pair[2]-mean > 1e-9 {
				t.Errorf("%s %v: the draws have %v and %v, voc says %v", row["method"], name, pair[0], pair[1], pair[2])
			}
		}
	}
	if a := got[2].Ahead; a.Mean != got[2].Oracle-got[0].Oracle || a.Low > a.Mean || a.High < a.Mean {
		t.Errorf("ahead of the first folder by %+v, oracles are %v and %v", a, got[2].Oracle, got[0].Oracle)
	}

	// Clicks cover whole superpixels, those that 'superpixels --labels' writes, in the class
	// of most of their pixels.
	maps := t.TempDir()
	if _, err := evaluatetest.Run(t, new(parts.Superpixels), "--data", dir, "--regions", "60", "--labels", maps); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"im0", "im1", "im2"} {
		size := image.Pt(evaluatetest.Width, evaluatetest.Height)
		clicks, err := simulate.ReadMask(filepath.Join(masks, "0.1", "1", "clicks", id+".png"), size)
		if err != nil {
			t.Fatal(err)
		}
		of, clicked := map[int]uint8{}, map[int]bool{}
		for p, region := range readMap(t, filepath.Join(maps, id+".png")) {
			if class, ok := of[region]; ok && class != clicks[p] {
				t.Fatalf("%s: superpixel %d is clicked in part", id, region)
			}
			of[region] = clicks[p]
			clicked[region] = clicks[p] != segment.Void
		}
		n := 0
		for _, is := range clicked {
			if is {
				n++
			}
		}
		if n != 6 { // 10 % of 60
			t.Errorf("%s: %d superpixels are clicked, want 6", id, n)
		}
	}
}

// readMap reads a superpixel map.
func readMap(t *testing.T, path string) []int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	grey := img.(*image.Gray16)
	var out []int
	for y := range evaluatetest.Height {
		for x := range evaluatetest.Width {
			out = append(out, int(grey.Gray16At(x, y).Y))
		}
	}
	return out
}

// Labellings can be finer than any superpixels, differ in number and have pixels without a
// class, which are wrong.
func TestLabellingsMadeElsewhere(t *testing.T) {
	dir, mine := evaluatetest.Folder(t, 2), t.TempDir()
	for i := range 2 {
		truth, err := os.ReadFile(filepath.Join(dir, "masks", fmt.Sprintf("im%d.png", i)))
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(mine, fmt.Sprintf("im%d", i))
		evaluatetest.Save(t, filepath.Join(folder, "a.png"), evaluatetest.Grey(func(x, y int) uint8 { return 255 * uint8(x%2) }))
		if i == 0 {
			evaluatetest.Write(t, filepath.Join(folder, "b.png"), string(truth))
		}
		evaluatetest.Write(t, filepath.Join(folder, "scores.txt"), "not read")
	}
	args := []string{"--data", dir, "--classes", "2", "--labellings", mine}
	row := evaluatetest.Figures[struct{ Results []labellingsFigures }](t, new(Labellings), args...).Results[0]
	if row.Hypotheses != 2 || row.First > 0.5 || row.PerImage.Oracle < 0.5 || row.PerImage.Oracle > 0.75 {
		t.Errorf("%+v", row)
	}
	row = evaluatetest.Figures[struct{ Results []labellingsFigures }](t, new(Labellings), "--data", dir, "--classes", "2", "--labellings", filepath.Join(dir, "masks")).Results[0]
	if row.Hypotheses != 1 || row.First != 1 {
		t.Errorf("the true masks: %+v", row)
	}
	for want, spoil := range map[string]func(folder string){
		"b.png is 9×9 pixels, its image 64×48": func(f string) { evaluatetest.Save(t, filepath.Join(f, "b.png"), image.NewGray(image.Rect(0, 0, 9, 9))) },
		"a.png: pixel (0, 0) has class 7; with 2 classes labellings hold 0 to 1, and 255 for none": func(f string) {
			evaluatetest.Save(t, filepath.Join(f, "a.png"), evaluatetest.Grey(func(x, y int) uint8 { return 7 }))
		},
		"has no labellings of im1; each is a PNG of classes in the folder im1, or a single one im1.png": func(f string) { os.RemoveAll(f) },
	} {
		spoil(filepath.Join(mine, "im1"))
		if _, err := evaluatetest.Run(t, new(Labellings), args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
