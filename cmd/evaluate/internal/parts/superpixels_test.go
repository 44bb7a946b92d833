package parts

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/cmd/evaluate/internal/evaluatetest"
	"collie/segment/simulate"
)

// Superpixels follow the edge of a disc, and are written as a map.
func TestSuperpixels(t *testing.T) {
	dir := evaluatetest.Folder(t, 2)
	labels := t.TempDir()
	s := evaluatetest.Figures[map[string]any](t, new(Superpixels), "--data", dir, "--regions", "50", "--labels", labels)
	if m := evaluatetest.Missing(s, "images", "regions", "boundary_recall", "undersegmentation_error", "asa", "explained_variation", "compactness", "milliseconds"); len(m) > 0 {
		t.Fatalf("superpixels: lacks %v", m)
	}
	if s["regions"] != 50.0 || s["asa"].(float64) < 0.9 {
		t.Errorf("superpixels: %v", s)
	}
	f, err := os.Open(filepath.Join(labels, "im1.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.ColorModel() != color.Gray16Model || img.Bounds().Dx() != evaluatetest.Width {
		t.Errorf("label map: %v", err)
	}
}

// Masks of several people are told from those of other images by their names.
func TestMasksOfSeveralPeople(t *testing.T) {
	dir := t.TempDir()
	plain := image.NewGray(image.Rect(0, 0, evaluatetest.Width, evaluatetest.Height))
	for _, name := range []string{"a", "a_b", "a_1", "b"} {
		evaluatetest.Save(t, filepath.Join(dir, "images", name+".png"), plain)
	}
	for i, name := range []string{"a", "a_2", "a_b", "a_1", "b_0", "b_1", "b_x"} {
		evaluatetest.Save(t, filepath.Join(dir, "masks", name+".png"), evaluatetest.Grey(func(int, int) uint8 { return uint8(i) }))
	}
	list, err := simulate.Pictures(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	images := map[string]bool{}
	for _, p := range list {
		images[p.ID] = true
	}
	read := func() map[string][]int32 {
		out := map[string][]int32{}
		for _, p := range list {
			masks, err := segmentations(p, images, plain.Rect.Size())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range masks {
				out[p.ID] = append(out[p.ID], m[0])
			}
		}
		return out
	}
	if diff := cmp.Diff(map[string][]int32{"a": {0}, "a_b": {2}, "a_1": {3}, "b": {4, 5}}, read()); diff != "" {
		t.Errorf("masks of each image (-want +got):\n%s", diff)
	}
	if err := os.Remove(filepath.Join(dir, "masks", "a.png")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int32{1}, read()["a"]); diff != "" {
		t.Errorf("masks of a without its own (-want +got):\n%s", diff)
	}
}
