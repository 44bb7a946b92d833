package gestures

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
)

// A disc takes few actions.
func TestClicks(t *testing.T) {
	dir := evaluatetest.Folder(t, 2)
	for _, row := range evaluatetest.Figures[evaluatetest.Results](t, new(Clicks), "--data", dir, "--regions", "60", "--target", "0.6,0.9", "--max", "20").Results {
		if m := evaluatetest.Missing(row, "method", "hypotheses", "target", "images", "mean_actions", "median_actions", "failed"); len(m) > 0 {
			t.Fatalf("clicks: row lacks %v", m)
		}
		if n := row["mean_actions"].(float64); n < 1 || n > 6 { // one click is enough where the rest is known
			t.Errorf("%v needs %v actions for a disc, want 1 to 6", row["method"], n)
		}
	}
}

// An image without objects needs no click, and one that is all void doesn't count.
func TestClicksOfNothing(t *testing.T) {
	dir := evaluatetest.Folder(t, 3)
	args := []string{"--data", dir, "--regions", "60", "--target", "0.9", "--methods", "random-walker"}
	three := evaluatetest.Figures[evaluatetest.Results](t, new(Clicks), args...).Results[0]
	evaluatetest.Save(t, filepath.Join(dir, "masks/im1.png"), evaluatetest.Grey(func(int, int) uint8 { return 0 }))
	evaluatetest.Save(t, filepath.Join(dir, "masks/im2.png"), evaluatetest.Grey(func(int, int) uint8 { return 255 }))
	row := evaluatetest.Figures[evaluatetest.Results](t, new(Clicks), args...).Results[0]
	if row["images"] != 2.0 || row["failed"] != 0.0 || row["mean_actions"].(float64) >= three["mean_actions"].(float64) {
		t.Errorf("%v, want two images without failures and less than %v", row, three["mean_actions"])
	}
	for i := range 2 {
		evaluatetest.Save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), evaluatetest.Grey(func(int, int) uint8 { return 255 }))
	}
	if _, err := evaluatetest.Run(t, new(Clicks), args...); err == nil || !strings.Contains(err.Error(), "void") {
		t.Errorf("void masks alone: %v", err)
	}
}

// A background that no mask has is said to be missing, since every click it costs is
// the command line's fault, not the method's.
func TestClicksWithoutBackground(t *testing.T) {
	dir := evaluatetest.Folder(t, 2)
	const note = "No mask has class 0, which is taken for the background; --no-rest is for such masks."
	for _, c := range []struct {
		background uint8
		flag       string
		want       bool
	}{{0, "--rest", false}, {2, "--rest", true}, {2, "--no-rest", false}} {
		for i := range 2 {
			evaluatetest.Save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), evaluatetest.Grey(func(x, y int) uint8 {
				if x > 20+10*i {
					return 1
				}
				return c.background
			}))
		}
		out, err := evaluatetest.Run(t, new(Clicks), "--data", dir, "--classes", "3", "--regions", "60", "--target", "0.9", "--offers", "1", c.flag)
		if err != nil || strings.Contains(out, note) != c.want {
			t.Errorf("%+v: %v\n%s", c, err, out)
		}
	}
}
