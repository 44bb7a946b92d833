package evaluatetest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"collie/segment/photo/phototest"
)

// Width and Height are those of the images of Folder.
const Width, Height = 64, 48

// Folder writes a data folder of n images: a disc of class 1 on class 0, and a
// void frame, with scribbles.
func Folder(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		img := image.NewNRGBA(image.Rect(0, 0, Width, Height))
		mask := Grey(func(x, y int) uint8 {
			c := color.NRGBA{uint8(40 + x), 90, 60, 255}
			v := uint8(0)
			if math.Hypot(float64(x-20-4*i), float64(y-24)) < 12 {
				c, v = color.NRGBA{220, 200, uint8(4 * y), 255}, 1
			}
			img.SetNRGBA(x, y, c)
			if x == 0 {
				return 255
			}
			return v
		})
		id := fmt.Sprintf("im%d.png", i)
		Save(t, filepath.Join(dir, "images", id), img)
		Save(t, filepath.Join(dir, "masks", id), mask)
		Save(t, filepath.Join(dir, "scribbles", id), Grey(func(x, y int) uint8 {
			switch {
			case y == 24 && x > 18+4*i && x < 24+4*i:
				return 1
			case y == 2 && x > 5:
				return 2
			}
			return 0
		}))
	}
	return dir
}

// Unclear is Folder with images of noise, in which a click says little about its
// surroundings.
func Unclear(t *testing.T, images int) string {
	dir := Folder(t, images)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range images {
		Save(t, filepath.Join(dir, "images", fmt.Sprintf("im%d.png", i)), Grey(func(int, int) uint8 { return uint8(rng.IntN(256)) }))
	}
	return dir
}

// Grey is a mask for an image of Folder.
func Grey(f func(x, y int) uint8) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, Width, Height))
	for y := range Height {
		for x := range Width {
			m.SetGray(x, y, color.Gray{Y: f(x, y)})
		}
	}
	return m
}

// Save writes a PNG, and the folders above it.
func Save(t *testing.T, path string, img image.Image) {
	t.Helper()
	Write(t, path, string(phototest.MustPNG(t, img)))
}

// Write writes a file, and the folders above it.
func Write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Archive is an archive of one array of float32.
func Archive(t *testing.T, name, shape string, values []float32) string {
	t.Helper()
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n", shape)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name + ".npy")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s", len(text), text)
	if err := binary.Write(w, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Scores are what a good classifier says of image i of Folder.
func Scores(i int) []float32 {
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	v := make([]float32, Width*Height*2)
	for p := range Width * Height {
		object := 0.1 + 0.1*rng.Float32()
		if math.Hypot(float64(p%Width-20-4*i), float64(p/Width-24)) < 12 {
			object = 1 - object
		}
		v[2*p], v[2*p+1] = 1-object, object
	}
	return v
}
