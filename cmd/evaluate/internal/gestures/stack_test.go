package gestures

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
)

// The stack is learned from all kinds of clicks, and tells the classes of images that it
// wasn't learned from better than the walker does.
func TestStack(t *testing.T) {
	const images = 8
	dir := evaluatetest.Unclear(t, images)
	out := filepath.Join(t.TempDir(), "weights.go")
	args := []string{"--data", dir, "--regions", "60", "--classes", "3"}
	got := evaluatetest.Figures[struct{ Results map[string]compared }](t, new(Stack), append(args, "--passes", "150", "--out", out)...)
	if len(got.Results) != len(kinds) {
		t.Errorf("kinds of clicks: %v", got.Results)
	}
	asked, walker, stack := 0.0, 0.0, 0.0
	for kind, row := range got.Results {
		for name, of := range map[string]judged{"walker": row.Walker, "stack": row.Stack} {
			if of.Wrong < 0 || of.Wrong > 1 || of.Loss < 0 {
				t.Errorf("%s, %s: %+v", kind, name, of)
			}
		}
		asked += row.Superpixels
		walker += row.Superpixels * row.Walker.Loss
		stack += row.Superpixels * row.Stack.Loss
	}
	if asked == 0 || stack >= walker {
		t.Errorf("log loss of %v superpixels: walker %v, with the stack %v", asked, walker, stack)
	}
	checkSource(t, out, "Stack")

	if _, err := evaluatetest.Run(t, new(Stack), append(args, "--passes", "0")...); err == nil || !strings.Contains(err.Error(), "--passes") {
		t.Errorf("--passes 0: %v", err)
	}
	empty := evaluatetest.Grey(func(int, int) uint8 { return 0 })
	for i := range images {
		evaluatetest.Save(t, filepath.Join(dir, fmt.Sprintf("masks/im%d.png", i)), empty)
	}
	if out, err := evaluatetest.Run(t, new(Stack), args...); err == nil || !strings.Contains(err.Error(), "nothing to learn from") {
		t.Errorf("images of one class: %q, %v", out, err)
	}
}
