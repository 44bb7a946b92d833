package hypotheses

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/cmd/internal/stats"
)

type nextFigures struct {
	Results []struct {
		Query        string
		Images       int
		MeanIoU      []float64 `json:"mean_iou"`
		Milliseconds float64
		Ahead        []stats.Interval
	}
}

// A query that knows the truth does better than chance, and gives the same result
// twice.
func TestNext(t *testing.T) {
	dir := evaluatetest.Unclear(t, 3)
	args := []string{"--data", dir, "--classes", "2", "--regions", "60", "--asked", "4", "--draws", "2"}
	got := evaluatetest.Figures[nextFigures](t, new(Next), args...)
	at := map[string]int{}
	for i, r := range got.Results {
		at[r.Query] = i
		if len(r.MeanIoU) != 5 || r.MeanIoU[0] != got.Results[0].MeanIoU[0] {
			t.Errorf("%s: %v after 0 to 4 answers, all should begin with %v", r.Query, r.MeanIoU, got.Results[0].MeanIoU[0])
		}
	}
	if len(at) != 8 || got.Results[at["error"]].MeanIoU[4] <= got.Results[at["random"]].MeanIoU[4] {
		t.Errorf("%+v: the middle of the error should beat chance", got.Results)
	}
	again := evaluatetest.Figures[nextFigures](t, new(Next), args...)
	for i := range again.Results {
		again.Results[i].Milliseconds, got.Results[i].Milliseconds = 0, 0
	}
	if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("another run (-first +second):\n%s", diff)
	}
	out, err := evaluatetest.Run(t, new(Next), "--data", dir, "--limit", "1", "--classes", "2", "--regions", "60", "--asked", "3", "--queries", "votes")
	if header := regexp.MustCompile(`query +0 +1 +2 +3 +ms`); err != nil || !header.MatchString(out) || !strings.Contains(out, "over 1 image and 1 draw") {
		t.Errorf("the table of one image ends before the last answer: %v\n%s", err, out)
	}
	for _, wrong := range [][]string{{"--asked", "0"}, {"--draws", "0"}, {"--classes", "256"}, {"--queries", "oracle"}} {
		if _, err := evaluatetest.Run(t, new(Next), append([]string{"--data", evaluatetest.Folder(t, 1)}, wrong...)...); err == nil || !strings.Contains(err.Error(), "--") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// An image of a single class has nothing to ask and counts for nothing, nor does how
// far one query is ahead of another there.
func TestNextWithoutQuestions(t *testing.T) {
	dir := evaluatetest.Unclear(t, 2)
	args := []string{"--data", dir, "--classes", "2", "--regions", "60", "--asked", "4", "--queries", "random,error"}
	two := evaluatetest.Figures[nextFigures](t, new(Next), args...)
	plain := evaluatetest.Grey(func(int, int) uint8 { return 0 })
	for i := 2; i < 6; i++ {
		evaluatetest.Save(t, filepath.Join(dir, "images", fmt.Sprintf("im%d.png", i)), plain)
		evaluatetest.Save(t, filepath.Join(dir, "masks", fmt.Sprintf("im%d.png", i)), plain)
	}
	got := evaluatetest.Figures[nextFigures](t, new(Next), args...)
	for i := range got.Results {
		got.Results[i].Milliseconds, two.Results[i].Milliseconds = 0, 0
	}
	if diff := cmp.Diff(two, got); diff != "" || got.Results[0].Images != 2 {
		t.Errorf("with four images of one class (-without +with):\n%s", diff)
	}
	for i := range 2 {
		evaluatetest.Save(t, filepath.Join(dir, "masks", fmt.Sprintf("im%d.png", i)), plain)
	}
	if _, err := evaluatetest.Run(t, new(Next), args...); err == nil || !strings.Contains(err.Error(), "two classes") {
		t.Errorf("images of one class alone: %v", err)
	}
}
