package export

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"io"

	"collie/segment/export/zipfile"
	"collie/segment/mask"
	"collie/segment/mask/regions"
	"collie/segment/rle"
)

// labelme writes a JSON file per image. Masks are exact. Polygons go through
// the centres of the pixels along the border, because labelme's reader draws
// them that way, including the border; a region with holes stays a mask.
type labelme struct{ single }

func newLabelme(*job) (encoder, error) { return labelme{}, nil }

// labelmeVersion is the first version of labelme that has masks in its files.
const labelmeVersion = "5.2.0"

type labelmeFile struct {
	Version     string         `json:"version"`
	Flags       struct{}       `json:"flags"`
	Shapes      []labelmeShape `json:"shapes"`
	ImagePath   string         `json:"imagePath"`
	ImageData   *string        `json:"imageData"`
	ImageHeight int            `json:"imageHeight"`
	ImageWidth  int            `json:"imageWidth"`
}

type labelmeShape struct {
	Label       string   `json:"label"`
	Points      [][2]int `json:"points"`
	GroupID     *int     `json:"group_id"`
	Description string   `json:"description"`
	ShapeType   string   `json:"shape_type"`
	Flags       struct{} `json:"flags"`
	Mask        []byte   `json:"mask,omitempty"` // PNG of the box
}

func (labelme) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = s.stem + s.extension()
	parts := s.partition()
	list, of, p := s.list()
	rows := parts.Rows(list, of)
	var outlines []regions.Outline
	if s.options.Shapes == "polygon" {
		outlines = parts.Outlines()
	}
	file := labelmeFile{
		Version: labelmeVersion, Shapes: []labelmeShape{}, ImagePath: s.fileName(),
		ImageHeight: s.mask.Height, ImageWidth: s.mask.Width,
	}
	for i, o := range list {
		p.out += len(o.Parts)
		shape := labelmeShape{Label: s.project.Classes[o.Class].Name}
		if points := centres(o, outlines); points != nil {
			shape.ShapeType, shape.Points = "polygon", points
		} else {
			mask, err := cropPNG(rows[i], o.Box)
			if err != nil {
				return nil, err
			}
			shape.ShapeType, shape.Mask = "mask", mask
			shape.Points = [][2]int{{o.Box.Min.X, o.Box.Min.Y}, {o.Box.Max.X - 1, o.Box.Max.Y - 1}}
		}
		file.Shapes = append(file.Shapes, shape)
	}
	b, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return nil, err
	}
	m, err := zipfile.Deflated(s.stem+".json", append(b, '\n'))
	p.files = []zipfile.Member{m}
	return p, err
}

// centres returns the polygon through the centres of the pixels along a
// region's border, or nil for an object of several regions, with holes, or too
// thin for the three points that a polygon needs.
func centres(o regions.Object, outlines []regions.Outline) [][2]int {
	if outlines == nil || len(o.Parts) > 1 || len(outlines[o.Parts[0]]) > 1 {
		return nil
	}
	walk := outlines[o.Parts[0]][0].Inner()
	if len(walk) < 3 {
		return nil
	}
	points := make([][2]int, len(walk))
	for i, at := range walk {
		points[i] = [2]int{at.X, at.Y}
	}
	return points
}

// cropPNG is an object's box as a grey PNG: 255 where the object is, else 0.
func cropPNG(rows rle.Counts, box image.Rectangle) ([]byte, error) {
	size := box.Size()
	pixels := make([]uint8, size.X*size.Y)
	rows.PaintRows(pixels, size.X, image.Rectangle{Max: size}, 255)
	var b bytes.Buffer
	err := mask.WritePNG(io.Writer(&b), mask.Grey8, size.X, size.Y, func(y int, dst []byte) {
		copy(dst, pixels[y*size.X:(y+1)*size.X])
	})
	return b.Bytes(), err
}
