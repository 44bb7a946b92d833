package beside

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestOthers(t *testing.T) {
	for _, c := range []struct{ names, there, want string }{
		{"a.jpg b.png", "", ""},
		{"JPEGImages/a.jpg SegmentationClass/a.png SegmentationObject/a.png ImageSets/Segmentation/val.txt labelmap.txt", "", "ImageSets/Segmentation/val.txt SegmentationClass/a.png SegmentationObject/a.png labelmap.txt"},
		{"JPEGImages/a.jpg SegmentationClassPNG/a.png SegmentationClassVisualization/a.jpg", "", "SegmentationClassPNG/a.png SegmentationClassVisualization/a.jpg"},
		{"Images/a.png Masks/a.png", "", "Masks/a.png"},
		{"x/images/A.JPG x/masks/a.png x/masks/b.png", "", "x/masks/a.png"}, // b is perhaps a photograph
		{"train/images/a.jpg train/labels/a.txt data.YAML README.md", "", "README.md data.YAML train/labels/a.txt"},
		{"masks/a.png masks/b.png", "", ""},
		{"a.jpg a_mask.png b_mask.png c.tif c_cp_masks.tif _classes.csv _mask.png a_mask.jpg", "", "_classes.csv a_mask.png c_cp_masks.tif"},
		{"leftImg8bit/val/u/u_leftImg8bit.png gtFine/val/u/u_gtFine_color.png gtFine/val/u/u_gtFine_labelTrainIds.png gtFine/val/u/v_gtFine_instanceIds.png", "v.jpg", "gtFine/val/u/u_gtFine_color.png gtFine/val/u/u_gtFine_labelTrainIds.png gtFine/val/u/v_gtFine_instanceIds.png"},
		{"a.json a.xml", "", ""}, // nothing would be left
		{"a.jpg a.nef notes", "", ""},
		{"masks/a.png masks/b.png", "x/a.jpg", "masks/a.png"},
		{"masks/a.png manifest.json", "a.jpg", "manifest.json masks/a.png"}, // nothing is left
		{"masks/a.jpg masks/b.JPEG a_mask.png", "a.jpg b.jpg", "a_mask.png"},
		{"masks/a.png", "masks/a.png", ""}, // they are the images here
	} {
		got := strings.Join(slices.Sorted(maps.Keys(Others(strings.Fields(c.names), strings.Fields(c.there)))), " ")
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.names, got, c.want)
		}
	}
}
