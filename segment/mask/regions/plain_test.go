package regions

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment/mask"
	"collie/segment/mask/masktest"
	"collie/sharedtest"
	"collie/superpixels"
)

// outlinesPlainly is Outlines pixel by pixel, with a number for each: regions one by
// one, and each border side by side with the region on the right.
func outlinesPlainly(m mask.Mask, of []int32, n int) [][][]int32 {
	ids := floodOf(m, func(i, j int) bool { return m.Pixels[i] == m.Pixels[j] && of[i] == of[j] })
	at := func(x, y int) int32 {
		if !image.Pt(x, y).In(image.Rect(0, 0, m.Width, m.Height)) {
			return -1
		}
		return ids[y*m.Width+x]
	}
	regions := map[int32][][]int32{}
	object, last := map[int32]int32{}, int32(-1)
	traced := map[image.Point]bool{}
	for i, id := range ids {
		start := image.Pt(i%m.Width, i/m.Width)
		if id < 0 || of[i] < 0 || traced[start] || at(start.X, start.Y-1) == id {
			continue
		}
		object[id], last = of[i], max(last, id)
		loop := []int32{int32(start.X), int32(start.Y)}
		for p, heading := start, 0; ; {
			if heading == 0 {
				traced[p] = true
			}
			p = p.Add(directions[heading])
			// The pixels in front, to the right and to the left.
			right := p.Add([4]image.Point{{}, {X: -1}, {X: -1, Y: -1}, {Y: -1}}[heading])
			left := p.Add([4]image.Point{{Y: -1}, {}, {X: -1}, {X: -1, Y: -1}}[heading])
			turn := 0
			if at(right.X, right.Y) != id {
				turn = 1
			} else if at(left.X, left.Y) == id {
				turn = 3
			}
			if heading = (heading + turn) % 4; p == start && heading == 0 {
				break
			}
			if turn > 0 {
				loop = append(loop, int32(p.X), int32(p.Y))
			}
		}
		regions[id] = append(regions[id], loop)
	}
	all := make([][][]int32, n)
	for id := range last + 1 {
		if loops := regions[id]; loops != nil {
			all[object[id]] = append(all[object[id]], loops...)
		}
	}
	return all
}

// Outlines and regions by runs are those that a plain program finds pixel by pixel.
func TestOutlinesOfObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := masktest.Draw(t)
		of := make([]int32, len(m.Pixels))
		for i, class := range m.Pixels {
			if of[i] = -1; class == 1 || class == 2 {
				of[i] = int32(class) - 1
			}
		}
		for range rapid.IntRange(0, 30).Draw(t, "stretches") {
			object := rapid.Int32Range(-1, 3).Draw(t, "object")
			start := rapid.IntRange(0, len(of)-1).Draw(t, "start")
			for i := start; i < min(start+rapid.IntRange(1, 50).Draw(t, "length"), len(of)); i++ {
				of[i] = object
			}
		}
		if d := cmp.Diff(outlinesPlainly(m, of, 4), Outlines(m, masktest.Objects(m.Width, m.Height, of), 4)); d != "" {
			t.Fatalf("outlines (-want +got):\n%s", d)
		}
	})
}

// The same on masks of photographs, with their borders undecided, and with each
// object cut in four.
func TestOutlinesOfPhotographs(t *testing.T) {
	files, err := filepath.Glob(sharedtest.Path(t, "data/voc/masks") + "/*.png")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files[:min(20, len(files))] {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(f)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		img := decoded.(*image.Paletted)
		m := mask.Mask{Width: img.Rect.Dx(), Height: img.Rect.Dy()}
		var of []int32
		for y := range m.Height {
			for x := range m.Width {
				m.Pixels = append(m.Pixels, img.ColorIndexAt(x, y))
				of = append(of, int32(x/150%2+y/120%2*2)-int32(y/60%2*5)) // -1 and less are none
			}
		}
		for i, object := range of {
			of[i] = max(object, -1)
		}
		if d := cmp.Diff(outlinesPlainly(m, of, 4), Outlines(m, masktest.Objects(m.Width, m.Height, of), 4)); d != "" {
			t.Errorf("%s: outlines (-want +got):\n%.2000s", filepath.Base(file), d)
		}
	}
}

// Tracing takes memory for runs and borders, not for pixels.
func TestOutlinesOfManyPixels(t *testing.T) {
	m := mask.Mask{Width: 2000, Height: 2000, Pixels: make([]uint8, 4_000_000)}
	of := superpixels.NewRuns(m.Width, m.Height, 1, slices.Values([]superpixels.Run{{Start: 0, End: 4_000_000}}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := Outlines(m, of, 1)
	runtime.ReadMemStats(&after)
	if d := cmp.Diff([][][]int32{{{0, 0, 2000, 0, 2000, 2000, 0, 2000}}}, got); d != "" {
		t.Error(d)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 2_000_000 {
		t.Errorf("%d bytes for 4,000,000 pixels", bytes)
	}
}
