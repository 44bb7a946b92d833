package simulate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"collie/segment/photo"
)

// Picture is one image of a data folder.
type Picture struct {
	Dir, ID string
	File    string // of the image
}

// Mask is the path of the picture's mask.
func (p Picture) Mask() string { return filepath.Join(p.Dir, "masks", p.ID+".png") }

// Pictures lists the images of a data folder: those of index.tsv in its order,
// when the folder has one, and all of images/ by name otherwise, without hidden files.
func Pictures(dir string, limit int) ([]Picture, error) {
	if limit < 0 {
		return nil, fmt.Errorf("--limit %d: must be at least 1", limit)
	}
	files := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(dir, "images"))
	if err != nil {
		return nil, fmt.Errorf("%s is not a data folder: it needs images/ID.jpg, .png or .tif and masks/ID.png: %w", dir, err)
	}
	var ids []string
	for _, e := range entries {
		ext := strings.ToLower(filepath.Ext(e.Name()))
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || !slices.Contains([]string{".jpg", ".jpeg", ".png", ".tif", ".tiff"}, ext) {
			continue
		}
		id := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if other, twice := files[id]; twice {
			return nil, fmt.Errorf("%s: both %s and %s are image %q", dir, filepath.Base(other), e.Name(), id)
		}
		files[id] = filepath.Join(dir, "images", e.Name())
		ids = append(ids, id)
	}
	if listed, err := index(filepath.Join(dir, "index.tsv")); err != nil {
		return nil, err
	} else if listed != nil {
		ids = listed
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s has no images; .jpg, .jpeg, .png, .tif and .tiff are read", filepath.Join(dir, "images"))
	}
	if limit > 0 {
		ids = ids[:min(limit, len(ids))]
	}
	out := make([]Picture, len(ids))
	for i, id := range ids {
		if files[id] == "" {
			return nil, fmt.Errorf("%s names image %q, which is not in %s", filepath.Join(dir, "index.tsv"), id, filepath.Join(dir, "images"))
		}
		out[i] = Picture{dir, id, files[id]}
	}
	return out, nil
}

// Labelled is Pictures of a folder with masks/ID.png. It looks at the heads of all
// images and masks, so that one that is missing or doesn't fit is met before
// hours of work.
func Labelled(dir string, limit int) ([]Picture, error) {
	list, err := Pictures(dir, limit)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		size, err := Decode(p.File, func(r io.Reader) (image.Point, error) { return gate().Size(context.Background(), r) })
		if err != nil {
			return nil, err
		}
		mask, err := Decode(p.Mask(), ofIndices(png.DecodeConfig))
		if err != nil {
			return nil, err
		}
		_, palette := mask.ColorModel.(color.Palette)
		indices := palette || mask.ColorModel == color.GrayModel
		if err := checkMask(p.Mask(), image.Pt(mask.Width, mask.Height), size, indices); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ofIndices makes a decoder of PNG refuse grey of less than 8 bits a pixel, which it
// would stretch to 255: the values are no indices then.
func ofIndices[T any](decode func(io.Reader) (T, error)) func(io.Reader) (T, error) {
	return func(r io.Reader) (decoded T, err error) {
		in := bufio.NewReader(r)
		const depth, colour = 24, 25 // where these are in the file
		if head, _ := in.Peek(colour + 1); len(head) > colour && head[colour] == 0 && head[depth] < 8 {
			return decoded, fmt.Errorf("a grey mask needs 8 bits a pixel, this one has %d; save it so, or with a palette", head[depth])
		}
		return decode(in)
	}
}

// checkMask checks what is known from the head of a mask's file.
func checkMask(path string, size, of image.Point, indices bool) error {
	switch {
	case size == image.Pt(of.Y, of.X) && size != of:
		return fmt.Errorf("%s is %d×%d pixels, its image %d×%d, perhaps after EXIF data has turned it upright; masks have to be upright, too", path, size.X, size.Y, of.X, of.Y)
	case size != of:
		return fmt.Errorf("%s is %d×%d pixels, its image %d×%d", path, size.X, size.Y, of.X, of.Y)
	case !indices:
		return fmt.Errorf("%s is not a mask: a mask is a PNG with a palette or 8-bit grey, one class index per pixel", path)
	}
	return nil
}

// index reads the column 'id' of a table, whose ids must differ; nil without a table.
func index(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	column := -1
	for line := range strings.Lines(strings.TrimPrefix(string(b), "\ufeff")) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		switch {
		case strings.TrimSpace(line) == "":
		case column < 0:
			if column = slices.Index(cells, "id"); column < 0 {
				return nil, fmt.Errorf("%s has no column named id", path)
			}
		case column < len(cells):
			id := cells[column]
			if slices.Contains(ids, id) {
				return nil, fmt.Errorf("%s names image %q twice", path, id)
			}
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// gate reads images as the server does: upright by their EXIF data, on white, and
// with their tones exposed. It refuses none for its size.
func gate() *photo.Gate {
	return photo.NewGate(photo.Limits{Bytes: 1 << 40, Pixels: math.MaxInt32, Side: math.MaxInt32})
}

// Load decodes the picture's image.
func (p Picture) Load() (*image.NRGBA, error) {
	img, err := Decode(p.File, func(r io.Reader) (*photo.Photo, error) {
		return gate().Read(context.Background(), r, photo.Expose)
	})
	if err != nil {
		return nil, err
	}
	return img.Pixels, nil
}

// LoadLabelled decodes the image and its mask.
func (p Picture) LoadLabelled() (*image.NRGBA, []uint8, error) {
	img, err := p.Load()
	if err != nil {
		return nil, nil, err
	}
	mask, err := ReadMask(p.Mask(), img.Rect.Size())
	return img, mask, err
}

// ReadMask decodes a mask of 8-bit indices for an image of the given size.
func ReadMask(path string, size image.Point) ([]uint8, error) {
	img, err := Decode(path, ofIndices(png.Decode))
	if err != nil {
		return nil, err
	}
	var pix []uint8
	var stride int
	switch m := img.(type) {
	case *image.Paletted:
		pix, stride = m.Pix, m.Stride
	case *image.Gray:
		pix, stride = m.Pix, m.Stride
	}
	if err := checkMask(path, img.Bounds().Size(), size, pix != nil); err != nil {
		return nil, err
	}
	out := make([]uint8, 0, size.X*size.Y)
	for y := range size.Y {
		out = append(out, pix[y*stride:y*stride+size.X]...)
	}
	return out, nil
}

// Decode reads a file with a decoder; errors name the file.
func Decode[T any](path string, decode func(io.Reader) (T, error)) (decoded T, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return decoded, fmt.Errorf("%s is missing", path)
	}
	if err != nil {
		return decoded, err
	}
	defer f.Close()
	if decoded, err = decode(f); err != nil {
		return decoded, fmt.Errorf("%s can't be read: %w", path, err)
	}
	return decoded, nil
}
