package regions

import (
	"image"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
	"collie/segment/mask"
	"collie/segment/mask/masktest"
	"collie/segment/rle"
)

// flood finds regions of one class one by one, which is slow and plain.
func flood(m mask.Mask) []int32 {
	return floodOf(m, func(i, j int) bool { return m.Pixels[i] == m.Pixels[j] })
}

// floodOf finds regions of pixels that are alike.
func floodOf(m mask.Mask, alike func(i, j int) bool) []int32 {
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
				if j := p.Y*m.Width + p.X; alike(i, j) && ids[j] < 0 {
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
		m := masktest.Draw(t)
		p := Divide(m, nil)
		want := flood(m)
		if diff := cmp.Diff(want, p.Runs.Map().Labels); diff != "" {
			t.Fatalf("regions (-want +got):\n%s", diff)
		}
		for id, r := range p.Regions {
			area, box := 0, image.Rectangle{}
			for i, of := range want {
				if of == int32(id) {
					area++
					box = box.Union(image.Rect(i%m.Width, i/m.Width, i%m.Width+1, i/m.Width+1))
				}
			}
			if r.Area != area || r.Box != box {
				t.Fatalf("region %d has area %d in %v, want %d in %v", id, r.Area, r.Box, area, box)
			}
		}
	})
}

// repeated puts a mask n times beside itself.
func repeated(m mask.Mask, n int) mask.Mask {
	out := mask.Mask{Width: n * m.Width, Height: m.Height}
	for y := range m.Height {
		out.Pixels = append(out.Pixels, slices.Repeat(m.Row(y), n)...)
	}
	return out
}

// Painted run by run, objects give the mask again, and no two overlap.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := masktest.Draw(t)
		if rapid.Bool().Draw(t, "wide") {
			m = repeated(m, 20)
		}
		p := Divide(m, nil)
		list, of := p.Objects(Which{PerClass: rapid.Bool().Draw(t, "per class"), Background: true})
		byColumn, byRow := slices.Repeat([]uint8{segment.Void}, len(m.Pixels)), slices.Repeat([]uint8{segment.Void}, len(m.Pixels))
		area := 0
		columns, rows := p.Columns(len(list), of), p.Rows(list, of)
		for i, o := range list {
			rle.PaintColumns(columns[i], byColumn, m.Width, m.Height, o.Class)
			rows[i].PaintRows(byRow, m.Width, o.Box, o.Class)
			area += o.Area
			if columns[i].Area() != o.Area {
				t.Fatalf("object %d: runs of area %d, want %d", i, columns[i].Area(), o.Area)
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
func fill(width, height int, loops ...Loop) []bool {
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
		m := masktest.Draw(t)
		p := Divide(m, nil)
		for id, o := range p.Outlines() {
			want := make([]bool, len(m.Pixels))
			for i, of := range p.Runs.Map().Labels {
				want[i] = of == int32(id)
			}
			if diff := cmp.Diff(want, fill(m.Width, m.Height, o...)); diff != "" {
				t.Fatalf("region %d, loops %v (-want +got):\n%s", id, o, diff)
			}
			path, ok := o.Bridged()
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

// A bridge from a hole ends at what is next on its left: no step of the joined path
// leaves the region.
func TestBridges(t *testing.T) {
	rows := []string{
		"###########",
		"###.#######",
		"###.##.##.#",
		"#.#.#.#.#.#",
		"#.#.###.###",
		"###.##.##.#",
		"###########",
	}
	m := mask.Mask{Width: 11, Height: len(rows)}
	for _, row := range rows {
		for _, c := range row {
			m.Pixels = append(m.Pixels, map[rune]uint8{'#': 1, '.': segment.Void}[c])
		}
	}
	path, ok := Divide(m, nil).Outlines()[0].Bridged()
	if !ok {
		t.Fatal("not joined")
	}
	in := func(x, y int) bool {
		return image.Pt(x, y).In(image.Rect(0, 0, m.Width, m.Height)) && m.Pixels[y*m.Width+x] == 1
	}
	for i, from := range path {
		to := path[(i+1)%len(path)]
		for x := min(from.X, to.X); x < max(from.X, to.X); x++ {
			if !in(x, from.Y-1) && !in(x, from.Y) {
				t.Errorf("the way from %v to %v leaves the region at x = %d", from, to, x)
			}
		}
	}
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
		m := masktest.Draw(t)
		p := Divide(m, nil)
		for id, o := range p.Outlines() {
			way, met := o[0].Inner(), image.Rectangle{}
			for i, at := range way {
				if p.Runs.At(at.X, at.Y) != id {
					t.Fatalf("the way along region %d passes %v, which is not in it", id, at)
				}
				met = met.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
				before, after := way[(i+len(way)-1)%len(way)], way[(i+1)%len(way)]
				if len(way) > 1 && (at == before || at.Sub(before) == after.Sub(at)) {
					t.Fatalf("the way along region %d stops at %v without a turn", id, at)
				}
			}
			if met != p.Regions[id].Box {
				t.Fatalf("the way along region %d reaches %v of %v", id, met, p.Regions[id].Box)
			}
		}
	})
}
