package timeline

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/jpeg" // photographs
	_ "image/png"  // masks
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/sharedtest"
	"collie/superpixels"
)

// spreadPlainly is SpreadObjects pixel by pixel: breadth first from all pixels with
// an object, in their order.
func spreadPlainly(cells *superpixels.Runs, pixels []uint8, list []Object, of []int32) []int32 {
	out := make([]int32, len(pixels))
	var queue []int
	for p, cell := range cells.Map().Labels {
		if out[p] = -1; of[cell] >= 0 && pixels[p] == list[of[cell]].Class {
			out[p] = of[cell]
			queue = append(queue, p)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		x, y := queue[0]%cells.Width, queue[0]/cells.Width
		for _, n := range [][2]int{{x, y - 1}, {x - 1, y}, {x + 1, y}, {x, y + 1}} {
			if n[0] < 0 || n[1] < 0 || n[0] >= cells.Width || n[1] >= cells.Height {
				continue
			}
			if p := n[1]*cells.Width + n[0]; out[p] < 0 && pixels[p] == pixels[queue[0]] {
				out[p] = out[queue[0]]
				queue = append(queue, p)
			}
		}
	}
	return out
}

// Runs of pixels have the objects that pixels have one by one, and their extent bounds
// them.
func TestSpreadObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, g := speckled(rapid.Uint64Range(0, 3).Draw(t, "picture"))
		labels, marks := drawObjects(t, cells.N)
		repaired := map[int]uint8{}
		for range rapid.IntRange(0, 12).Draw(t, "repairs") {
			start, class := rapid.IntRange(0, cells.Area()-1).Draw(t, "start"), objectClass.Draw(t, "class")
			for p := start; p < min(start+rapid.IntRange(1, 40).Draw(t, "length"), cells.Area()); p++ {
				repaired[p] = class
			}
		}
		var repairs []segment.Repair
		for p := range cells.Area() {
			if class, ok := repaired[p]; ok {
				repairs = append(repairs, segment.Repair{Class: class, Runs: []int32{int32(p), 1}})
			}
		}
		pixels := Spread(cells, labels, repairs)
		list, of := Objects(g, labels, marks, nil)
		spread := SpreadObjects(cells, pixels, list, of)
		got, want := spread.Map().Labels, spreadPlainly(cells, pixels, list, of)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("objects of pixels (-want +got):\n%s", d)
		}
		filled, runs := 0, 0
		for p, cell := range cells.Map().Labels {
			own := of[cell]
			if own >= 0 && pixels[p] != list[own].Class {
				own = -1
			}
			if got[p] != own {
				filled++
			}
			if p%cells.Width == 0 || pixels[p] != pixels[p-1] || got[p] != got[p-1] {
				runs++
			}
		}
		if e := ExtentOf(cells, labels, repairs, list, of, nil); filled > e.Filled || runs > e.Runs+e.Filled {
			t.Fatalf("%d runs, %d pixels filled, more than %+v", runs, filled, e)
		}
	})
}

// The same on masks of photographs, which don't follow the cells.
func TestSpreadObjectsOfPhotographs(t *testing.T) {
	files, err := filepath.Glob(sharedtest.Path(t, "data/voc/masks") + "/*.png")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files[:min(8, len(files))] {
		truth := mustDecode(t, file).(*image.Paletted)
		name := strings.TrimSuffix(filepath.Base(file), ".png")
		photo := mustDecode(t, sharedtest.Path(t, "data/voc/images/"+name+".jpg"))
		img := image.NewNRGBA(truth.Rect)
		draw.Draw(img, img.Rect, photo, photo.Bounds().Min, draw.Src)
		h := superpixels.NewHierarchy(img, 200)
		cells, g := h.Runs(), superpixels.Describe(img, h.At(h.Finest()))
		pixels, labels := make([]uint8, cells.Area()), make([]uint8, cells.N)
		for p, cell := range cells.Map().Labels {
			pixels[p] = truth.ColorIndexAt(p%cells.Width, p/cells.Width)
			labels[cell] = pixels[p] // the last one's
		}
		var marks []segment.ObjectMark
		for cell, class := range labels {
			if cell%7 == 0 && class != segment.Void {
				marks = append(marks, segment.ObjectMark{Cell: int32(cell), Class: class, Number: int32(cell)})
			}
		}
		list, of := Objects(g, labels, marks, nil)
		if d := cmp.Diff(spreadPlainly(cells, pixels, list, of), SpreadObjects(cells, pixels, list, of).Map().Labels); d != "" {
			t.Errorf("%s: objects of pixels (-want +got):\n%.2000s", name, d)
		}
	}
}

func mustDecode(tb testing.TB, file string) image.Image {
	tb.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		tb.Fatal(err)
	}
	return img
}

// Where no repair joins anything, telling objects apart takes no memory for each pixel
// but a bit that says so.
func TestSpreadObjectsOfManyPixels(t *testing.T) {
	const side = 2000
	cells := superpixels.NewRuns(side, side, 2, slices.Values([]superpixels.Run{{Start: 0, End: side * side / 2}, {Start: side * side / 2, End: side * side, Region: 1}}))
	pixels := cells.Spread([]uint8{1, 1})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := SpreadObjects(cells, pixels, []Object{{Class: 1, Number: 1}, {Class: 1, Number: 2}}, []int32{0, 1})
	runtime.ReadMemStats(&after)
	if d := cmp.Diff(slices.Collect(cells.All()), slices.Collect(got.All())); d != "" {
		t.Error(d)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > side*side/2 {
		t.Errorf("%d bytes for %d pixels", bytes, side*side)
	}
}

// Drawn pixels have their object where they have its class and nobody has marked the
// superpixel since, unless the object has lost all its marks; all others keep theirs.
func TestDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, g := speckled(rapid.Uint64Range(0, 3).Draw(t, "picture"))
		labels, marks := drawObjects(t, cells.N)
		marks = marked(nil, marks)
		c := &segment.Constraints{Objects: marks, Drawn: &segment.Drawn{Marks: slices.Clone(marks)}}
		drawn := map[int]Object{}
		for start := 0; start < cells.Area(); {
			start += rapid.IntRange(0, 300).Draw(t, "gap")
			end := min(start+rapid.IntRange(1, 60).Draw(t, "length"), cells.Area())
			o := Object{objectClass.Draw(t, "class"), rapid.Int32Range(1, 4).Draw(t, "number")}
			if o.Class == segment.Void || start >= end {
				continue
			}
			c.Drawn.Objects = append(c.Drawn.Objects, segment.ObjectPixels{Class: o.Class, Number: o.Number, Runs: []int32{int32(start), int32(end - start)}})
			for ; start < end; start++ {
				drawn[start] = o
			}
		}
		touched := int32(rapid.IntRange(0, cells.N-1).Draw(t, "touched"))
		c.Objects = marked(c.Objects, []segment.ObjectMark{{Cell: touched, Class: 1, Number: 9}})
		pixels := cells.Spread(labels)
		list, of := Objects(g, labels, c.Objects, c.Drawn)
		own := SpreadObjects(cells, pixels, list, of)
		got, want := Draw(own, cells, pixels, list, c), own.Map().Labels
		joined := map[Object]bool{} // whose marks were all in the touched superpixel
		for _, m := range marks {
			o := Object{m.Class, m.Number}
			before, known := joined[o]
			joined[o] = m.Cell == touched && (before || !known)
		}
		for p, o := range drawn {
			if pixels[p] == o.Class && int32(cells.At(p%cells.Width, p/cells.Width)) != touched && !joined[o] {
				want[p] = int32(slices.Index(list, o))
			}
		}
		if d := cmp.Diff(want, got.Map().Labels); d != "" {
			t.Fatalf("objects of pixels (-want +got):\n%s", d)
		}
		runs := 0
		for p := range want {
			if p%cells.Width == 0 || want[p] != want[p-1] || pixels[p] != pixels[p-1] {
				runs++
			}
		}
		if e := ExtentOf(cells, labels, nil, list, of, c.Drawn); runs > e.Runs {
			t.Fatalf("%d runs, more than the %d expected", runs, e.Runs)
		}
	})
}

// An object that has lost all its marks leaves nothing behind in the superpixels of
// others, even if another object has its number now. One that never had any stays.
func TestDrawJoined(t *testing.T) {
	cells, g := speckled(1)
	labels := slices.Repeat([]uint8{1}, cells.N)
	pixels := cells.Spread(labels)
	had := []segment.ObjectMark{{Cell: 0, Class: 1, Number: 1}, {Cell: 3, Class: 1, Number: 2}, {Cell: 5, Class: 1, Number: 2}}
	var first int // pixel of cell 0
	for run := range cells.All() {
		if run.Region == 0 {
			first = run.Start
			break
		}
	}
	for name, c := range map[string]struct {
		now  []segment.ObjectMark
		here Object
	}{
		"as imported":              {had, Object{1, 2}},
		"a superpixel is left":     {had[:2], Object{1, 2}},
		"joined":                   {had[:1], Object{1, 1}},
		"joined, its number again": {[]segment.ObjectMark{had[0], {Cell: 9, Class: 1, Number: 2}}, Object{1, 1}},
	} {
		for _, small := range []bool{false, true} {
			o := segment.ObjectPixels{Class: 1, Number: 2, Runs: []int32{int32(first), 1}}
			if small {
				o.Number, c.here = 7, Object{1, 7}
			}
			said := &segment.Constraints{Objects: c.now, Drawn: &segment.Drawn{Marks: had, Objects: []segment.ObjectPixels{o}}}
			list, of := Objects(g, labels, c.now, said.Drawn)
			got := Draw(SpreadObjects(cells, pixels, list, of), cells, pixels, list, said).Map().Labels[first]
			if list[got] != c.here {
				t.Errorf("%s: the pixel of object %d belongs to %v, want %v", name, o.Number, list[got], c.here)
			}
		}
	}
}
