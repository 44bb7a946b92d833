package rle_test

import (
	"errors"
	"image"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment/rle"
)

// mask is a row-major picture of zeros and ones.
type mask struct {
	width, height int
	pixels        []uint8
}

// picture reads rows of 0 and 1 with slashes between them.
func picture(rows string) mask {
	lines := strings.Split(rows, "/")
	m := mask{width: len(lines[0]), height: len(lines)}
	for _, c := range strings.Join(lines, "") {
		m.pixels = append(m.pixels, uint8(c-'0'))
	}
	return m
}

// columns and rows are the definition of the runs, pixel by pixel.
func (m mask) columns() rle.Counts {
	var b rle.Builder
	for x := range m.width {
		for y := range m.height {
			if m.pixels[y*m.width+x] == 1 {
				b.Add(x*m.height+y, 1)
			}
		}
	}
	return b.Counts(len(m.pixels))
}

func (m mask) rows(box image.Rectangle) rle.Counts {
	var b rle.Builder
	for i := range box.Dx() * box.Dy() {
		if m.pixels[(box.Min.Y+i/box.Dx())*m.width+box.Min.X+i%box.Dx()] == 1 {
			b.Add(i, 1)
		}
	}
	return b.Counts(box.Dx() * box.Dy())
}

// The vectors were computed with COCO's C code (maskApi.c).
func TestVectors(t *testing.T) {
	square := mask{100, 100, make([]uint8, 100*100)}
	for i := range square.pixels {
		if x, y := i%100, i/100; x >= 20 && x <= 59 && y >= 30 && y <= 69 {
			square.pixels[i] = 1
		}
	}
	squareCounts := rle.Counts{2030}
	for range 39 {
		squareCounts = append(squareCounts, 40, 60)
	}
	for _, c := range []struct {
		name   string
		mask   mask
		counts rle.Counts
		text   string
		area   int
		box    image.Rectangle
		cvat   string
	}{
		{"a step", picture("00000/01100/01100/00010"), rle.Counts{5, 2, 2, 2, 4, 1, 4}, "52202O0", 5, image.Rect(1, 1, 4, 4), "0, 2, 1, 2, 3, 1"},
		{"a ring", picture("111/101/111"), rle.Counts{0, 4, 1, 4}, "0410", 8, image.Rect(0, 0, 3, 3), "0, 4, 1, 4"},
		{"a corner", picture("10/00"), rle.Counts{0, 1, 3}, "013", 1, image.Rect(0, 0, 1, 1), "0, 1"},
		{"nothing", picture("00/00"), rle.Counts{4}, "4", 0, image.Rectangle{}, ""},
		{"everything", picture("11/11"), rle.Counts{0, 4}, "04", 4, image.Rect(0, 0, 2, 2), "0, 4"},
		{"a flag", picture("0000000000/0111000000/0111011110/0111000000/0000000000"), rle.Counts{6, 3, 2, 3, 2, 3, 8, 1, 4, 1, 4, 1, 4, 1, 7}, "6320006NL000003", 13, image.Rect(1, 1, 9, 4), "0, 3, 5, 3, 1, 7, 5"},
		{"a square", square, append(squareCounts, 40, 4030), "^o1X1l1" + strings.Repeat("0", 77) + "Rl3", 1600, image.Rect(20, 30, 60, 70), "0, 1600"},
	} {
		t.Run(c.name, func(t *testing.T) {
			counts := c.mask.columns()
			if diff := cmp.Diff(c.counts, counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if got := counts.COCO(); got != c.text {
				t.Errorf("text %s, want %s", got, c.text)
			}
			if counts.Area() != c.area {
				t.Errorf("area %d, want %d", counts.Area(), c.area)
			}
			if got := string(c.mask.rows(c.box).AppendList(nil, ", ")); got != c.cvat {
				t.Errorf("rows %s, want %s", got, c.cvat)
			}
			read, err := rle.ParseCOCO(c.text, len(c.mask.pixels))
			if err != nil || !cmp.Equal(read, c.counts) {
				t.Errorf("read back as %v, %v", read, err)
			}
		})
	}
}

// drawMask makes masks from empty to full, in lumps.
func drawMask(t *rapid.T) mask {
	m := mask{width: rapid.IntRange(1, 40).Draw(t, "width"), height: rapid.IntRange(1, 40).Draw(t, "height")}
	m.pixels = make([]uint8, m.width*m.height)
	for range rapid.IntRange(0, 8).Draw(t, "lumps") {
		start := rapid.IntRange(0, len(m.pixels)-1).Draw(t, "start")
		for i := range rapid.IntRange(1, len(m.pixels)-start).Draw(t, "length") {
			m.pixels[start+i] = 1
		}
	}
	for range rapid.IntRange(0, 20).Draw(t, "specks") {
		i := rapid.IntRange(0, len(m.pixels)-1).Draw(t, "speck")
		m.pixels[i] ^= 1
	}
	return m
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMask(t)
		counts := m.columns()
		read, err := rle.ParseCOCO(counts.COCO(), len(m.pixels))
		if err != nil || !cmp.Equal(read, counts) {
			t.Fatalf("%v came back as %v, %v", counts, read, err)
		}
		checked, err := rle.Check(append([]int(nil), counts...), len(m.pixels))
		if err != nil || !cmp.Equal(checked, counts) {
			t.Fatalf("%v was checked to %v, %v", counts, checked, err)
		}
		painted := make([]uint8, len(m.pixels))
		rle.PaintColumns(counts, painted, m.width, m.height, 1)
		if diff := cmp.Diff(m.pixels, painted); diff != "" {
			t.Fatalf("by columns (-want +got):\n%s", diff)
		}
		var box image.Rectangle // around the foreground
		for i, p := range m.pixels {
			if p == 1 {
				box = box.Union(image.Rect(i%m.width, i/m.width, i%m.width+1, i/m.width+1))
			}
		}
		painted = make([]uint8, len(m.pixels))
		m.rows(box).PaintRows(painted, m.width, box, 1)
		if diff := cmp.Diff(m.pixels, painted); diff != "" {
			t.Fatalf("by rows (-want +got):\n%s", diff)
		}
	})
}

func TestCheckJoins(t *testing.T) {
	for _, c := range []struct{ in, want []int }{
		{[]int{2, 0, 3, 1}, []int{5, 1}},
		{[]int{0, 3, 0, 2, 1}, []int{0, 5, 1}},
		{[]int{0, 0, 0, 6}, []int{0, 6}},
		{[]int{1, 5, 0}, []int{1, 5}},
	} {
		got, err := rle.Check(append([]int(nil), c.in...), 6)
		if err != nil || !cmp.Equal([]int(got), c.want) {
			t.Errorf("Check(%v) = %v, %v, want %v", c.in, got, err, c.want)
		}
	}
}

func TestDamagedRuns(t *testing.T) {
	for name, counts := range map[string][]int{
		"too short": {1, 2}, "too long": {4, 4}, "negative": {-1, 7}, "overflow": {math.MaxInt / 2, math.MaxInt / 2, math.MaxInt / 2}, "empty": {},
	} {
		if _, err := rle.Check(counts, 6); !errors.Is(err, rle.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"empty": "", "unfinished": "6o", "a byte below": "/", "a byte above": "p6", "negative": "O0", "too many groups": "oooooooo0", "too short": "3",
	} {
		if _, err := rle.ParseCOCO(text, 6); !errors.Is(err, rle.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseCOCO(f *testing.F) {
	for _, text := range []string{"52202O0", "0410", "013", "4", "04", "6320006NL000003", "^o1X1l1000Rl3", "oooooo?", "00000000"} {
		f.Add(text, 50)
	}
	f.Fuzz(func(t *testing.T, text string, pixels int) {
		pixels = max(0, pixels%(1<<16))
		counts, err := rle.ParseCOCO(text, pixels)
		if err != nil {
			return
		}
		sum := 0
		for i, n := range counts {
			if n < 0 || n == 0 && i > 0 {
				t.Fatalf("run %d of %v", i, counts)
			}
			sum += n
		}
		if sum != pixels {
			t.Fatalf("the runs of %q cover %d of %d", text, sum, pixels)
		}
		again, err := rle.ParseCOCO(counts.COCO(), pixels)
		if err != nil || !cmp.Equal(again, counts) {
			t.Fatalf("%v came back as %v, %v", counts, again, err)
		}
		if area := counts.Area(); area > pixels {
			t.Fatalf("%d of %d pixels are in the foreground", area, pixels)
		}
	})
}
