package npz

import (
	"archive/zip"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/superpixels"
)

// TestMap: with the superpixels that they are of, scores fit any others; what is no such
// map is ignored, as other arrays are.
func TestMap(t *testing.T) {
	m := (&superpixels.Map{Width: 3, Height: 2, N: 3, Labels: []int32{0, 0, 1, 0, 2, 1}}).Runs()
	scores := array{"probs", "|u1", false, "(2, 2)", []uint8{255, 0, 0, 255}}
	of := func(a array) ([]float64, error) {
		t.Helper()
		s, err := read(npz(zip.Deflate, scores, a), Limits{Values: 10})
		if err != nil {
			t.Fatal(err)
		}
		if s.PerPixel(3, 2) != (s.Map != nil) || s.PerPixel(2, 3) {
			t.Errorf("%v: per pixel %v", a, s.PerPixel(3, 2))
		}
		return s.PerSuperpixel(m)
	}
	ids := []uint32{0, 0, 1, 1, 1, 1}
	got, err := of(array{"superpixels", "<u4", false, "(2, 3)", ids})
	if d := cmp.Diff([]float64{2. / 3, 1. / 3, 0, 1, 0, 1}, got); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	for _, other := range []array{
		{"superpixels", "<u4", false, "(2, 3)", []uint32{0, 0, 1, 1, 1, 2}},
		{"superpixels", "<u4", true, "(2, 3)", ids},
		{"superpixels", "<f4", false, "(2, 3)", ids},
		{"superpixels", "<u4", false, "(6,)", ids},
		{"superpixels", "<u4", false, "(2, 4)", ids},
		{"superpixels", "<u4", false, "(1, 7)", append(ids, 0)},
		{"more", "<u4", false, "(2, 3)", ids},
		{"superpixels", "<u4", false, "(0, 0)", ids},
	} {
		if _, err := of(other); !errors.Is(err, ErrSize) {
			t.Errorf("%v: %v", other, err)
		}
	}
}

func TestPerSuperpixel(t *testing.T) {
	m := (&superpixels.Map{Width: 3, Height: 2, N: 2, Labels: []int32{0, 0, 1, 0, 1, 1}}).Runs()
	s := &Scores{Name: "a", Width: 3, Height: 2, Rows: 6, Classes: 2, Values: []float32{
		1, 0, 0.5, 0.5, 0, 1,
		0, 1, 0.25, 0.75, 0.5, 0.5,
	}}
	got, err := s.PerSuperpixel(m)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{0.5, 0.5, 0.25, 0.75}, got); d != "" {
		t.Error(d)
	}
	regions := &Scores{Name: "a", Rows: 2, Classes: 2, Values: []float32{1, 0, 0.5, 0.25}}
	got, err = regions.PerSuperpixel(m)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{1, 0, 0.5, 0.25}, got); d != "" {
		t.Error(d)
	}
	for words, wrong := range map[string]*Scores{
		"3×1 pixels and 2 classes, but the image has 3×2 pixels; an array of embeddings must be called embeddings: ": {Width: 3, Height: 1, Rows: 3, Classes: 2},
		"called probs_chw":                            {Width: 2, Height: 21, Rows: 42, Classes: 3},
		"3 superpixels, but the image has 2":          {Rows: 3, Classes: 2},
		"2×3 pixels and 2 classes, but the image has": {Width: 2, Height: 3, Rows: 6, Classes: 2},
	} {
		wrong.Name = "a"
		if _, err := wrong.PerSuperpixel(m); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
	for _, empty := range []*Scores{{Name: "a", Width: 3, Height: 2, Rows: 6, Classes: 2, Values: make([]float32, 12)}, {Name: "a", Rows: 2, Classes: 2, Values: make([]float32, 4)}} {
		if _, err := empty.PerSuperpixel(m); !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "all scores are 0") {
			t.Errorf("zeros: %v", err)
		}
	}
	whole := (&superpixels.Map{Width: 3, Height: 2, N: 1, Labels: make([]int32, 6)}).Runs()
	ofPixels := &Scores{Name: "a", Rows: 2, Classes: 3, Values: make([]float32, 6)}
	if _, err := ofPixels.PerSuperpixel(whole); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), onePerPixel) {
		t.Errorf("one score for each pixel: %v", err)
	}
}
