package export

import (
	"image"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/mask"
	"collie/segment/rle"
)

// drawMask makes masks with few and many regions, holes, single pixels and
// undecided parts.
func drawMask(t *rapid.T) mask.Mask {
	m := mask.Mask{Width: rapid.IntRange(1, 32).Draw(t, "width"), Height: rapid.IntRange(1, 32).Draw(t, "height")}
	classes := []uint8{0, 1, 2, segment.Void}[:rapid.IntRange(1, 4).Draw(t, "classes")]
	m.Pixels = slices.Repeat([]uint8{rapid.SampledFrom(classes).Draw(t, "ground")}, m.Width*m.Height)
	for range rapid.IntRange(0, 12).Draw(t, "boxes") {
		class := rapid.SampledFrom(classes).Draw(t, "class")
		box := image.Rect(rapid.IntRange(0, m.Width).Draw(t, "x"), rapid.IntRange(0, m.Height).Draw(t, "y"),
			rapid.IntRange(0, m.Width).Draw(t, "x2"), rapid.IntRange(0, m.Height).Draw(t, "y2"))
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				m.Pixels[y*m.Width+x] = class
			}
		}
	}
	for range rapid.IntRange(0, m.Width*m.Height/2).Draw(t, "specks") {
		m.Pixels[rapid.IntRange(0, len(m.Pixels)-1).Draw(t, "speck")] = rapid.SampledFrom(classes).Draw(t, "of")
	}
	return m
}

// flood finds regions one by one, which is slow and plain.
func flood(m mask.Mask) []int32 {
	ids := slices.Repeat([]int32{-1}, len(m.Pixels))
	next := int32(0)
	for i, l := range m.Pixels {
		if l == segment.Void || ids[i] >= 0 {
			continue
		}
		ids[i] = next
		for open := []int{i}; len(open) > 0; {
			at := open[0]
			open = open[1:]
			x, y := at%m.Width, at/m.Width
			for _, d := range directions {
				p := image.Pt(x, y).Add(d)
				if !p.In(image.Rect(0, 0, m.Width, m.Height)) {
					continue
				}
				if j := p.Y*m.Width + p.X; m.Pixels[j] == l && ids[j] < 0 {
					ids[j] = next
					open = append(open, j)
				}
			}
		}
		next++
	}
	return ids
}

func TestDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMask(t)
		p := divide(m, nil)
		want := flood(m)
		if diff := cmp.Diff(want, p.ids); diff != "" {
			t.Fatalf("regions (-want +got):\n%s", diff)
		}
		for id, r := range p.regions {
			area, box := 0, image.Rectangle{}
			for i, of := range want {
				if of == int32(id) {
					area++
					box = box.Union(image.Rect(i%m.Width, i/m.Width, i%m.Width+1, i/m.Width+1))
				}
			}
			if r.area != area || r.box != box {
				t.Fatalf("region %d has area %d in %v, want %d in %v", id, r.area, r.box, area, box)
			}
		}
	})
}

// Painted run by run, objects give the mask again, and no two overlap.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMask(t)
		p := divide(m, nil)
		list, of := p.objects(rapid.Bool().Draw(t, "per class"), true)
		byColumn, byRow := slices.Repeat([]uint8{segment.Void}, len(m.Pixels)), slices.Repeat([]uint8{segment.Void}, len(m.Pixels))
		area := 0
		columns, rows := p.columns(len(list), of), p.rows(list, of)
		for i, o := range list {
			rle.PaintColumns(columns[i], byColumn, m.Width, m.Height, o.class)
			rows[i].PaintRows(byRow, m.Width, o.box, o.class)
			area += o.area
			if columns[i].Area() != o.area || columns[i].Bounds(m.Height) != o.box {
				t.Fatalf("object %d: runs of area %d in %v, want %d in %v", i, columns[i].Area(), columns[i].Bounds(m.Height), o.area, o.box)
			}
		}
		if diff := cmp.Diff(m.Pixels, byColumn); diff != "" {
			t.Fatalf("by columns (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(m.Pixels, byRow); diff != "" {
			t.Fatalf("by rows (-want +got):\n%s", diff)
		}
		decided := 0
		for _, l := range m.Pixels {
			if l != segment.Void {
				decided++
			}
		}
		if area != decided {
			t.Fatalf("objects have %d pixels, %d are decided", area, decided)
		}
	})
}

// fill paints what lies within loops by the even-odd rule: the pixels with an
// odd number of upright sides to their left.
func fill(width, height int, loops ...loop) []bool {
	sides := make([]int, (width+1)*height)
	for _, l := range loops {
		for i, from := range l {
			if to := l[(i+1)%len(l)]; from.X == to.X {
				for y := min(from.Y, to.Y); y < max(from.Y, to.Y); y++ {
					sides[y*(width+1)+from.X]++
				}
			}
		}
	}
	inside := make([]bool, width*height)
	for y := range height {
		n := 0
		for x := range width {
			n += sides[y*(width+1)+x]
			inside[y*width+x] = n%2 == 1
		}
	}
	return inside
}

func TestOutlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMask(t)
		p := divide(m, nil)
		for id, o := range p.outlines() {
			want := make([]bool, len(p.ids))
			for i, of := range p.ids {
				want[i] = of == int32(id)
			}
			if diff := cmp.Diff(want, fill(m.Width, m.Height, o...)); diff != "" {
				t.Fatalf("region %d, loops %v (-want +got):\n%s", id, o, diff)
			}
			path, ok := o.bridged()
			if diff := cmp.Diff(want, fill(m.Width, m.Height, path)); diff != "" || !ok {
				t.Fatalf("region %d, loops %v, joined to %v (-want +got):\n%s", id, o, path, diff)
			}
			for _, l := range append(slices.Clone(o), path) {
				if len(l) < 4 {
					t.Fatalf("region %d has the loop %v", id, l)
				}
				for i, from := range l {
					if to := l[(i+1)%len(l)]; from.X != to.X && from.Y != to.Y {
						t.Fatalf("region %d has a slanting side %v–%v", id, from, to)
					}
				}
			}
			if holes := holesOf(want, m.Width, m.Height); len(o)-1 != holes {
				t.Fatalf("region %d has %d holes, found %d", id, holes, len(o)-1)
			}
		}
	})
}

// holesOf counts holes by Euler's number of pixels that are neighbours when they
// share a side: Gray 1971, from the 2×2 squares of the picture.
func holesOf(in []bool, width, height int) int {
	at := func(x, y int) bool {
		return x >= 0 && y >= 0 && x < width && y < height && in[y*width+x]
	}
	one, three, diagonal := 0, 0, 0
	for y := -1; y < height; y++ {
		for x := -1; x < width; x++ {
			square := []bool{at(x, y), at(x+1, y), at(x, y+1), at(x+1, y+1)}
			n := 0
			for _, b := range square {
				if b {
					n++
				}
			}
			switch {
			case n == 1:
				one++
			case n == 3:
				three++
			case n == 2 && square[0] == square[3]:
				diagonal++
			}
		}
	}
	return 1 - (one-three+2*diagonal)/4
}

func TestInnerStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMask(t)
		p := divide(m, nil)
		for id, o := range p.outlines() {
			for _, at := range o[0].inner() {
				if p.ids[at.Y*m.Width+at.X] != int32(id) {
					t.Fatalf("the way along region %d passes %v, which is not in it", id, at)
				}
			}
		}
	})
}
