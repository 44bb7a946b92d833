package gestures

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/cmd/evaluate/internal/evaluatetest"
)

func TestObjects(t *testing.T) {
	dir := evaluatetest.Folder(t, 2)
	type results struct {
		Results []struct {
			Method string
			Images int
			NoC    map[string]struct {
				First, Picks float64
				Failed       int
			} `json:"noc"`
			IoU  map[string]struct{ First, Best3, Best20 float64 } `json:"iou"`
			Mean []float64                                         `json:"mean_iou"`
		}
	}
	for _, args := range [][]string{nil, {"--jitter"}, {"--box"}} {
		args = append([]string{"--data", dir, "--regions", "40"}, args...)
		got := evaluatetest.Figures[results](t, new(Objects), args...)
		if len(got.Results) != 2 {
			t.Fatalf("%v: %d rows, want random-walker and herding-harmonic", args, len(got.Results))
		}
		for _, r := range got.Results {
			if r.Images != 2 || len(r.Mean) != 20 {
				t.Errorf("%v, %s: %d images, IoU after %d actions; want 2 and 20", args, r.Method, r.Images, len(r.Mean))
			}
			last := 0.0
			for _, target := range []string{"80", "85", "90"} {
				n := r.NoC[target]
				if n.First < last || n.First < 1 || n.First > 4 || n.Picks > n.First || n.Failed != 0 {
					t.Errorf("%v, %s: %+v to %s %%; a bright disc takes 1 to 4 clicks, picks no more", args, r.Method, n, target)
				}
				last = n.First
			}
			for actions, q := range r.IoU {
				if q.Best3 < q.First || q.Best20 < q.Best3 || q.Best20 > 1 {
					t.Errorf("%v, %s: after %s actions %+v", args, r.Method, actions, q)
				}
			}
			if math.Abs(r.Mean[4]-r.IoU["5"].First) > 1e-12 || r.Mean[19] < 0.9 {
				t.Errorf("%v, %s: mean IoU %v, after 5 actions %v", args, r.Method, r.Mean, r.IoU["5"])
			}
		}
	}
}

// Of masks with classes the largest part is the object.
func TestObjectsOfClasses(t *testing.T) {
	plain, classes := evaluatetest.Folder(t, 1), evaluatetest.Folder(t, 1)
	evaluatetest.Save(t, filepath.Join(classes, "masks", "im0.png"), evaluatetest.Grey(func(x, y int) uint8 {
		switch {
		case x == 0:
			return 255
		case math.Hypot(float64(x-20), float64(y-24)) < 12:
			return 7
		case x > 50 && y < 5:
			return 4
		}
		return 0
	}))
	type results struct{ Results []marked }
	want := evaluatetest.Figures[results](t, new(Objects), "--data", plain, "--regions", "40", "--methods", "random-walker").Results[0]
	got := evaluatetest.Figures[results](t, new(Objects), "--data", classes, "--regions", "40", "--methods", "random-walker", "--largest").Results[0]
	if diff := cmp.Diff(want.Mean, got.Mean); diff != "" {
		t.Errorf("IoUs (-object +largest part):\n%s", diff)
	}
}

func TestObjectsRefuses(t *testing.T) {
	dir := evaluatetest.Folder(t, 1)
	evaluatetest.Save(t, filepath.Join(dir, "masks", "im0.png"), evaluatetest.Grey(func(x, y int) uint8 { return uint8(x % 3) }))
	for want, args := range map[string][]string{
		"(2, 0) is 2":  nil,
		"--max 0":      {"--max", "0"},
		"--regions -1": {"--regions=-1"},
	} {
		if _, err := evaluatetest.Run(t, new(Objects), append([]string{"--data", dir}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	evaluatetest.Save(t, filepath.Join(dir, "masks", "im0.png"), evaluatetest.Grey(func(int, int) uint8 { return 0 }))
	if _, err := evaluatetest.Run(t, new(Objects), "--data", dir, "--largest"); err == nil || !strings.Contains(err.Error(), "no class other than 0") {
		t.Errorf("classes without an object: %v", err)
	}
}
