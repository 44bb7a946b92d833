package dataset

import (
	"encoding/base64"
	"image"
	"image/color"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"collie/segment/mask/masktest"
	"collie/segment/mask/regions"
	"collie/segment/photo/phototest"
)

// The polygon that an export draws along a region's border covers the region, as in
// labelme, which fills the border, too.
func TestPolygonsCoverTheirRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := masktest.Draw(t)
		parts := regions.Divide(of, nil)
		for id, outline := range parts.Outlines() {
			walk := outline[0].Inner()
			if len(outline) > 1 || len(walk) < 3 {
				continue // exported as a mask
			}
			m := empty(t, of.Width, of.Height)
			var points [][2]float64
			for _, at := range walk {
				points = append(points, [2]float64{float64(at.X), float64(at.Y)})
			}
			if err := m.shade(points, 1); err != nil {
				t.Fatal(err)
			}
			for i, p := range m.Pixels {
				if in := parts.Runs.At(i%of.Width, i/of.Width) == id; in != (p == 1) {
					t.Fatalf("pixel %d, %d of region %d along %v: %v, want %v", i%of.Width, i/of.Width, id, walk, p == 1, in)
				}
			}
		}
	})
}

// Shapes have the pixels that labelme gives them (labelme.utils.shape_to_mask).
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		shape labelmeShape
		want  string
	}{
		{labelmeShape{ShapeType: "rectangle", Points: labelmePoints{{1.9, 1}, {3.2, 2.9}}}, "...... .###.. .###.. ......"},
		{labelmeShape{ShapeType: "rectangle", Points: labelmePoints{{4, 3}, {2, 2}}}, "...... ...... ..###. ..###."},
		{labelmeShape{ShapeType: "rectangle", Points: labelmePoints{{1.9, 1}, {3.2, 1}, {3.2, 2.9}, {1.9, 2.9}}}, "...... .###.. .###.. ......"},
		{labelmeShape{ShapeType: "rectangle", Points: labelmePoints{{2, 0}, {3, 1}, {2, 2}, {1, 1}}}, "..#... .###.. ..#... ......"},
		{labelmeShape{ShapeType: "rotation", Points: labelmePoints{{2, 0}, {3, 1}, {2, 2}, {1, 1}}}, "..#... .###.. ..#... ......"},
		{labelmeShape{ShapeType: "oriented_rectangle", Points: labelmePoints{{2, 0}, {3, 1}, {2, 2}, {1, 1}}}, "..#... .###.. ..#... ......"},
		{labelmeShape{Points: labelmePoints{{0, 0}, {4, 0}, {0, 3}}}, "#####. ####.. ##.... #....."},
		{labelmeShape{Points: labelmePoints{{1, 0}, {1, 3}, {4, 3}, {1, 3}}}, ".#.... .#.... .#.... .####."},
		{labelmeShape{Points: labelmePoints{{2, 2}, {2, 2}, {2, 2}}}, "...... ...... ..#... ......"},
		{labelmeShape{Points: labelmePoints{{-5, -3}, {11, -3}, {11, 1}, {-5, 1}}}, "###### ###### ...... ......"},
		{labelmeShape{ShapeType: "circle", Points: labelmePoints{{2, 1}, {4.2, 1}}}, "#####. #####. #####. .###.."},
		{labelmeShape{ShapeType: "circle", Points: labelmePoints{{5, 3}, {5, 5}}}, "...... ....## ...### ...###"},
	} {
		m := empty(t, 6, 4)
		if drawn, err := m.drawLabelme(c.shape, 1); !drawn || err != nil {
			t.Fatal(drawn, err)
		}
		var rows []string
		for y := range m.Height {
			rows = append(rows, strings.NewReplacer("\x00", ".", "\x01", "#").Replace(string(m.Pixels[y*m.Width:][:m.Width])))
		}
		if got := strings.Join(rows, " "); got != c.want {
			t.Errorf("%+v: %s, want %s", c.shape, got, c.want)
		}
	}
}

// A crop that was moved in labelme lies where labelme draws it, and is cut off at the image's
// border.
func TestMovedCrops(t *testing.T) {
	crop := base64.StdEncoding.EncodeToString(phototest.MustPNG(t, picture(image.NewGray(image.Rect(0, 0, 3, 2)), "101/111", func(c uint8) color.Color { return color.Gray{c * 255} })))
	for _, c := range []struct {
		a, b [2]float64
		want string
	}{
		{[2]float64{1, 1}, [2]float64{3, 2}, "......|.#.#..|.###..|......"},
		{[2]float64{1.5, 1.5}, [2]float64{3.5, 2.5}, "......|......|..#.#.|..###."},
		{[2]float64{0.6, 0.4}, [2]float64{2.4, 1.6}, ".#.#..|.###..|......|......"},
		{[2]float64{-1, -1}, [2]float64{1, 0}, "##....|......|......|......"},
		{[2]float64{4.2, 2.8}, [2]float64{6.2, 3.8}, "......|......|......|....#."},
		{[2]float64{1, 1}, [2]float64{3, 3}, "Its mask of 3×2 pixels doesn't fit its box (1, 1) to (3, 3), both corners included."},
		{[2]float64{1e300, 1}, [2]float64{3, 3}, "Its box (1e+300, 1) to (3, 3) is far outside the image of 6×4 pixels."},
	} {
		m := empty(t, 6, 4)
		got := ""
		if err := m.stamp(crop, c.a, c.b, 1); err != nil {
			got = err.Error()
		} else {
			got = strings.NewReplacer("0", ".", "1", "#", "/", "|").Replace(show(m))
		}
		if got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// empty is a mask of class 0.
func empty(t rapid.TB, width, height int) *Mask {
	m := new(Mask)
	if _, err := m.start(width, height, 0, 0, Options{lend: lend}.orDefault()); err != nil {
		t.Fatal(err)
	}
	return m
}
