package importer

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"path"
	"slices"
	"strings"

	"collie/segment"
	"collie/segment/labelset"
	"collie/segment/mask"
)

// openVOC reads one PNG per image. Pixels of palette and 8-bit grey PNGs are
// class indices, 255 void; those of RGB PNGs are looked up in the labelmap, or in
// the colour map of PASCAL VOC without one.
func openVOC(files Files, names []string, labelmap string, photos []string, o Options) (*Dataset, error) {
	d := &Dataset{Format: VOC, Photos: photos}
	if labelmap != "" {
		b, err := files.read(labelmap, labelset.MaxBytes)
		if err != nil {
			return nil, err
		}
		if d.Classes, err = labelset.Read(bytes.NewReader(b), labelset.VOC); err != nil {
			return nil, err
		}
	}
	colors := colorTable(d.Classes)
	if d.Classes == nil && o.PASCAL {
		for _, name := range labelset.PASCAL {
			d.Classes = append(d.Classes, segment.Class{Name: name})
		}
	}
	slices.Sort(names)
	d.Masks = func(yield func(*Mask, error) bool) {
		for _, name := range names {
			m := &Mask{Image: strings.TrimSuffix(path.Base(name), path.Ext(name)), File: path.Base(name)}
			m.Draw = func() (func(), error) { return m.drawVOC(files, name, colors, o) }
			if !yield(m, nil) {
				return
			}
		}
	}
	return d, nil
}

// colorTable gives the class of each colour.
func colorTable(classes []segment.Class) map[color.RGBA]uint8 {
	table := map[color.RGBA]uint8{mask.VOCColor(segment.Void): segment.Void}
	if classes == nil {
		for id := range segment.MaxClasses {
			table[mask.VOCColor(uint8(id))] = uint8(id)
		}
	}
	for i, c := range classes {
		var rgb color.RGBA
		if _, err := fmt.Sscanf(c.Color, "#%02x%02x%02x", &rgb.R, &rgb.G, &rgb.B); err == nil {
			rgb.A = 255
			table[rgb] = uint8(i)
		}
	}
	return table
}

// drawVOC decodes a PNG.
func (m *Mask) drawVOC(files Files, name string, colors map[color.RGBA]uint8, o Options) (give func(), err error) {
	open := func() (io.ReadCloser, error) { return files.Open(name) }
	size, pixel, err := measurePNG(open)
	if err != nil {
		return func() {}, err
	}
	give, err = m.start(size.X, size.Y, 0, pixel, o)
	if err != nil {
		return give, err
	}
	img, err := decodePNG(open)
	if err != nil {
		return give, err
	}
	return give, m.take(img, colors)
}

// take sets the pixels to the classes of an image of the same size.
func (m *Mask) take(img image.Image, colors map[color.RGBA]uint8) error {
	for y := range m.Height {
		row := m.Pixels[y*m.Width : (y+1)*m.Width]
		switch img := img.(type) {
		case *image.Paletted:
			copy(row, img.Pix[y*img.Stride:])
		case *image.Gray:
			copy(row, img.Pix[y*img.Stride:])
		default:
			for x := range row {
				c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
				class, ok := colors[c]
				if !ok {
					return segment.Errorf(segment.Unreadable, "The pixel at (%d, %d) has the colour %d,%d,%d, which belongs to no class. Use a palette PNG, or an RGB PNG together with a labelmap.txt.", x, y, c.R, c.G, c.B)
				}
				row[x] = class
			}
		}
	}
	return nil
}
