package dataset

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/rle"
)

// Outlines fill the pixels that COCO's own tools fill.
func TestFillIsThatOfCOCO(t *testing.T) {
	b, err := os.ReadFile("testdata/outlines.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for line := range strings.Lines(string(b)) {
		if line[0] == '#' {
			continue
		}
		count++
		fields := strings.Fields(line)
		var numbers []float64
		for i, f := range fields {
			if i != 2 {
				v, err := strconv.ParseFloat(f, 64)
				if err != nil {
					t.Fatal(err)
				}
				numbers = append(numbers, v)
			}
		}
		m := new(Mask)
		if _, err := m.start(int(numbers[0]), int(numbers[1]), 0, 0, Options{MaxPixels: 1000, lend: lend}.orDefault()); err != nil {
			t.Fatal(err)
		}
		want := make([]uint8, len(m.Pixels))
		counts, err := rle.ParseCOCO(fields[2], len(want))
		if err != nil {
			t.Fatal(err)
		}
		rle.PaintColumns(counts, want, m.Width, m.Height, 1)
		n, err := m.fill(numbers[2:], 1)
		if err != nil || n != counts.Area() || string(m.Pixels) != string(want) {
			t.Errorf("%s: %d pixels, want %d, %v\ngot  %v\nwant %v", line, n, counts.Area(), err, m.Pixels, want)
		}
	}
	if count < 50 {
		t.Errorf("only %d outlines", count)
	}
}

func TestFillRefuses(t *testing.T) {
	m := new(Mask)
	if _, err := m.start(1000, 500, 0, 0, Options{lend: lend}.orDefault()); err != nil {
		t.Fatal(err)
	}
	zigzag := make([]float64, 0, 2*maxVertices)
	for range maxVertices / 2 {
		zigzag = append(zigzag, 0, 0, 1000, 500)
	}
	for name, outline := range map[string][]float64{
		"two corners":      {0, 0, 1, 1},
		"odd":              {0, 0, 1, 1, 2, 2, 3},
		"not a number":     {0, 0, 1, math.NaN(), 2, 2},
		"infinite":         {0, 0, 1, math.Inf(1), 2, 2},
		"far away":         {0, 0, 1e18, 5, 2, 2},
		"without an end":   zigzag,
		"too many corners": make([]float64, 2*maxVertices+2),
	} {
		if n, err := m.fill(outline, 1); n != 0 || segment.KindOf(err) == 0 {
			t.Errorf("%s: %d pixels, %v", name, n, err)
		}
	}
	for i, p := range m.Pixels {
		if p != 0 {
			t.Fatalf("pixel %d was set", i)
		}
	}
}
