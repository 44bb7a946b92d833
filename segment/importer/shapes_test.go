package importer

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"collie/segment/mask/masktest"
	"collie/segment/mask/regions"
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

// empty is a mask of class 0.
func empty(t rapid.TB, width, height int) *imageMask {
	m := new(imageMask)
	if _, err := m.start(width, height, 0, 0, Options{}.orDefault()); err != nil {
		t.Fatal(err)
	}
	return m
}
