package dataset

import (
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"collie/segment/photo/phototest"
)

// The classes of Cityscapes' pictures are those of a list, or of Cityscapes; numbers of
// instances from 1,000 on are objects.
func TestCityscapes(t *testing.T) {
	numbers := func(rows string) *fstest.MapFile {
		return file(phototest.MustPNG(t, picture(image.NewGray(image.Rect(0, 0, 4, 1)), rows, func(c uint8) color.Color { return color.Gray{c} })))
	}
	instances := image.NewGray16(image.Rect(0, 0, 4, 1))
	for x, id := range []uint16{1, 2000, 2001, 255} {
		instances.SetGray16(x, 0, color.Gray16{id})
	}
	files := fstest.MapFS{
		"gtFine/train/bonn/b_gtFine_labelIds.png":          numbers("122."),
		"gtFine/train/bonn/b_gtFine_instanceIds.png":       file(phototest.MustPNG(t, instances)),
		"gtFine/train/bonn/b_gtFine_color.png":             file(nil),
		"gtFine/train/bonn/b_gtFine_polygons.json":         file([]byte(`{"imgHeight": 1, "imgWidth": 4, "objects": [{"label": "road", "polygon": [[0, 0]]}]}`)),
		"leftImg8bit/train/bonn/b_leftImg8bit.png":         file(nil),
		"gtCoarse/train_extra/ulm/u_gtCoarse_LABELIDS.png": numbers("0000"),
	}
	want := []string{"gtCoarse/train_extra/ulm/u_gtCoarse_LABELIDS 0000", "train/bonn/b_gtFine_labelIds 122."}
	for _, c := range []struct{ name, list, classes string }{
		{"without a list", "", strings.Join(cityNames, " ")},
		{"with a list", "128 64 128 dark_road\n\n0 0 142 car\n70\t70 70\tbuilding\n", "dark road car building"},
		{"with something else", "road car", strings.Join(cityNames, " ")},
		{"with names and numbers", "road is a way of cars\n", strings.Join(cityNames, " ")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.list != "" {
				files["label_colors.txt"] = file([]byte(c.list))
			}
			classes, masks := readAll(t, files, Options{classes: named([]string{"ground", "dark road"})})
			if classes != c.classes {
				t.Errorf("classes %q, want %q", classes, c.classes)
			}
			slices.Sort(masks)
			if d := cmp.Diff(want, masks); d != "" {
				t.Error(d)
			}
		})
	}
	d, err := open(t, files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"leftImg8bit/train/bonn/b_leftImg8bit.png"}, d.Photos); d != "" {
		t.Errorf("photographs: %s", d)
	}
	for m, err := range d.Masks {
		if err != nil || !strings.Contains(m.Image, "bonn") {
			continue
		}
		give, err := m.Draw()
		if err != nil || m.Regions != 2 || m.Objects[0] != -1 || m.Objects[1] == m.Objects[2] || min(m.Objects[1], m.Objects[2]) < 0 || m.Objects[3] != -1 {
			t.Errorf("%v; objects %v", err, m.Objects)
		}
		give()
	}
}
