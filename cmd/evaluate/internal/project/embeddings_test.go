package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/cmd/internal/stats"
)

// Embeddings that know the classes save actions, noise costs none, and the figures
// have the documented form.
func TestEmbeddings(t *testing.T) {
	dir := evaluatetest.Folder(t, 10)
	type row struct {
		Quality, Target, Without float64
		Finished, Images         int
		MeanActions              float64 `json:"mean_actions"`
		Saved                    stats.Interval
	}
	all := evaluatetest.Figures[struct{ Results []row }](t, new(Embeddings), "--data", dir, "--classes", "2", "--finished", "6", "--test", "3", "--quality", "0,1", "--patch", "4", "--target", "0.9").Results
	if len(all) != 2 {
		t.Fatalf("%d rows, want one for each quality", len(all))
	}
	for _, r := range all {
		if r.Finished != 6 || r.Images != 3 || r.Target != 0.9 || r.MeanActions <= 0 || r.MeanActions > r.Without || r.Saved.Mean < 0 {
			t.Errorf("%+v", r)
		}
	}
	if all[0].MeanActions != all[0].Without || all[1].Quality != 1 {
		t.Errorf("%+v", all)
	}
	// Without noise the embeddings of an image of one class are the same everywhere: a
	// project refuses these.
	plain := evaluatetest.Folder(t, 10)
	for i := range 10 {
		if i%4 == 0 {
			evaluatetest.Save(t, filepath.Join(plain, fmt.Sprintf("masks/im%d.png", i)), evaluatetest.Grey(func(x, y int) uint8 { return 1 }))
		}
	}
	all = evaluatetest.Figures[struct{ Results []row }](t, new(Embeddings), "--data", plain, "--classes", "2", "--finished", "7", "--test", "3", "--quality", "1", "--patch", "4", "--target", "0.9").Results
	if len(all) != 1 || all[0].Images != 3 {
		t.Errorf("with images of one class: %+v", all)
	}
	for _, args := range [][]string{{"--quality", "2"}, {"--patch", "0"}, {"--finished", "1"}, {"--target", "2"}} {
		if _, err := evaluatetest.Run(t, new(Embeddings), append([]string{"--data", dir}, args...)...); err == nil || !strings.Contains(err.Error(), args[0]) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// Embeddings of a network are read, and refused with the file's name.
func TestEmbeddingsOfANetwork(t *testing.T) {
	dir, from := evaluatetest.Folder(t, 10), t.TempDir()
	file := func(i int) string { return filepath.Join(from, fmt.Sprintf("im%d.npz", i)) }
	for i := range 10 {
		evaluatetest.Write(t, file(i), evaluatetest.Archive(t, "embeddings", "(48, 64, 2)", evaluatetest.Scores(i)))
	}
	args := []string{"--data", dir, "--classes", "2", "--finished", "6", "--test", "3", "--target", "0.9", "--embeddings", from}
	type row struct {
		Embeddings  string
		Quality     *float64
		MeanActions float64 `json:"mean_actions"`
		Without     float64
	}
	rows := evaluatetest.Figures[struct{ Results []row }](t, new(Embeddings), args...).Results
	if len(rows) != 1 || rows[0].Embeddings != from || rows[0].Quality != nil || rows[0].MeanActions > rows[0].Without {
		t.Errorf("%+v", rows)
	}
	for want, content := range map[string]string{
		"im3.npz: it holds scores; an array of embeddings must be called embeddings": evaluatetest.Archive(t, "probs", "(48, 64, 2)", evaluatetest.Scores(3)),
		"im3.npz: array \"embeddings\": wrong size for the image":                    evaluatetest.Archive(t, "embeddings", "(64, 64, 1)", make([]float32, 64*64)),
		"im3.npz: not readable": "nonsense",
	} {
		evaluatetest.Write(t, file(3), content)
		if _, err := evaluatetest.Run(t, new(Embeddings), args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err := os.Remove(file(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := evaluatetest.Run(t, new(Embeddings), args...); err == nil || !strings.Contains(err.Error(), "has no im3.npz") {
		t.Errorf("error %v", err)
	}
}
