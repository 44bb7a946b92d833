package dataset

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color/palette"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/image/tiff"

	"collie/segment"
	"collie/segment/archive"
	"collie/segment/photo/phototest"
)

// FuzzMasks looks for panics, for masks that break a promise, and for small files
// that take long.
func FuzzMasks(f *testing.F) {
	img := image.NewPaletted(image.Rect(0, 0, 4, 3), palette.Plan9)
	img.Pix[5] = 2
	mask := phototest.MustPNG(f, img)
	f.Add("a.png", mask)
	f.Add("a.json", []byte(`{"images":[{"id":1,"file_name":"a.jpg","width":4,"height":3}],"categories":[{"id":7,"name":"cat"}],"annotations":[
		{"id":1,"image_id":1,"category_id":7,"segmentation":[[0,0,3,0,3,2.5]]},
		{"id":2,"image_id":1,"category_id":7,"iscrowd":1,"segmentation":{"size":[3,4],"counts":[2,3,7]}},
		{"id":3,"image_id":1,"category_id":7,"segmentation":{"size":[3,4],"counts":"223"}}]}`))
	f.Add("a.json", fmt.Appendf(nil, `{"imagePath":"a.jpg","imageWidth":4,"imageHeight":3,"shapes":[
		{"label":"cat","shape_type":"polygon","points":[[0,0],[3,0],[3,2]]},{"label":"dog","shape_type":"rectangle","points":[[0,0],[1,1]]},
		{"label":"owl","shape_type":"circle","points":[[1,1],[2,1]]},{"label":"cow","shape_type":"mask","points":[[0,0],[3,2]],"mask":%q}]}`,
		base64.StdEncoding.EncodeToString(mask)))
	f.Add("a.xml", []byte(`<annotations><image name="a" width="4" height="3"><mask label="cat" rle="1, 2" left="1" top="0" width="2" height="2"/>
		<polygon label="dog" points="0,0;3,0;3,2.5" z_order="-1"/><box label="owl" xtl="0" ytl="0" xbr="2" ybr="1" rotation="9"/></image></annotations>`))
	f.Add("a.json", []byte(`[{"data":{"image":"a.jpg"},"annotations":[{"result":[
		{"type":"brushlabels","original_width":6,"original_height":4,"value":{"format":"rle","rle":[0,0,0,96,57,27,254,31,0,54,20,40,61,254,20,40,61,254,20,40,61,255,108,0,216,80,160,247,248,80,160,247,248,80,160,247,254,27,0],"brushlabels":["cat"]}},
		{"type":"rectanglelabels","original_width":6,"original_height":4,"value":{"x":9,"y":9,"width":50,"height":50,"rotation":9,"rectanglelabels":["dog"]}},
		{"type":"ellipselabels","original_width":6,"original_height":4,"value":{"x":50,"y":50,"radiusX":20,"radiusY":50,"ellipselabels":["owl"]}},
		{"type":"polygonlabels","original_width":6,"original_height":4,"value":{"points":[[0,0],[90,0],[90,90]],"polygonlabels":["cow"]}}]}]}]`))
	f.Add("a.tif", phototest.Numbers(4, []uint8{0, 1, 2, 0, 7, 7, 255, 9}))
	f.Add("a.tif", phototest.Numbers(4, []float32{0, 1, 2, 0, 7, 7, 255, 9}))
	f.Add("a.tif", phototest.MustTIFF(f, img, &tiff.Options{Compression: tiff.Deflate, Predictor: true}))
	for _, name := range []string{"bits-tifffile", "packbits-pillow"} {
		file, err := os.ReadFile(filepath.Join("..", "..", "photo", "testdata", name+".tif"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add("a.tif", file)
	}
	few := *img
	few.Palette = few.Palette[:4]
	f.Add("a.png", phototest.FewBits(f, &few))
	f.Fuzz(func(t *testing.T, name string, file []byte) {
		began := time.Now()
		defer func() {
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%d bytes took %v", len(file), took)
			}
		}()
		for _, objects := range []bool{false, true} {
			readAny(t, name, file, Options{MaxPixels: 10_000, Objects: objects})
		}
	})
}

// readAny reads a file as masks.
func readAny(t *testing.T, name string, file []byte, o Options) {
	files, err := FromFile(name, bytes.NewReader(file), int64(len(file)), archive.Limits{})
	if err == nil {
		readSet(t, files, o)
	}
}

// readSet reads a data set, whose masks have promises to keep.
func readSet(t *testing.T, files Files, o Options) {
	d, err := Open(t.Context(), files, o, nil, lend)
	if err != nil {
		if segment.KindOf(err) == 0 {
			t.Errorf("%v is not for people", err)
		}
		return
	}
	if len(d.Classes) > segment.MaxClasses {
		t.Errorf("%d classes", len(d.Classes))
	}
	for m, err := range d.Masks {
		if err != nil {
			if segment.KindOf(err) == 0 {
				t.Errorf("%v is not for people", err)
			}
			continue
		}
		m.SizeOf = func() (image.Point, error) { return image.Pt(3, 2), nil }
		give, err := m.Draw()
		if err != nil {
			if segment.KindOf(err) == 0 {
				t.Errorf("%v is not for people", err)
			}
			give()
			continue
		}
		if m.Width < 1 || m.Height < 1 || m.Width*m.Height > 10_000 || len(m.Pixels) != m.Width*m.Height {
			t.Fatalf("a mask of %d×%d in %d pixels", m.Width, m.Height, len(m.Pixels))
		}
		for _, p := range m.Pixels {
			if d.Classes != nil && p != segment.Void && int(p) >= len(d.Classes) {
				t.Fatalf("class %d of %d", p, len(d.Classes))
			}
		}
		give()
	}
}

// FuzzPanoptic looks for panics and for masks that break a promise.
func FuzzPanoptic(f *testing.F) {
	f.Add([]byte(`{"images":[{"id":1,"file_name":"a.jpg"}],"categories":[{"id":7,"name":"cat","isthing":1}],"annotations":[
		{"image_id":1,"file_name":"a.png","segments_info":[{"id":1,"category_id":7},{"id":513,"category_id":7,"iscrowd":1}]}]}`), segmentsPNG(f, 0, 1, 513, 1).Data)
	f.Fuzz(func(t *testing.T, document, picture []byte) {
		files, err := FromFS(fstest.MapFS{"a.json": file(document), "a.png": file(picture)})
		if err != nil {
			t.Fatal(err)
		}
		readSet(t, files, Options{MaxPixels: 10_000})
	})
}

// FuzzYOLO looks for panics and for masks that break a promise.
func FuzzYOLO(f *testing.F) {
	f.Add([]byte("names: [cat, dog]\n"), []byte("0 0 0 1 0 1 1\n1 0.5 0.5 0.1 0.1\n"))
	f.Add([]byte("a: &a [x]\nnames: {0: cat, 1: *a}\nkpt_shape: [3, 3]\n"), []byte("1 nan 0 1e9 0 1 1\n"))
	f.Fuzz(func(t *testing.T, list, outlines []byte) {
		d, err := open(t, fstest.MapFS{"data.yaml": file(list), "labels/a.txt": file(outlines)}, Options{})
		if err != nil {
			return
		}
		for m, err := range d.Masks {
			if err == nil {
				_ = drawn(m)
			}
			if len(m.Pixels) != m.Width*m.Height {
				t.Errorf("%d pixels of %d×%d", len(m.Pixels), m.Width, m.Height)
			}
		}
	})
}
