package export

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"collie/segment"
	"collie/segment/export/zipfile"
	"collie/segment/mask"
	"collie/segment/mask/regions"
)

// cityscapes is the layout of Cityscapes' fine annotations. An instance id is
// class·1000 + n, with n counting the objects of a class from 0; class 0 has no
// instances and undecided pixels are 255 in both pictures. If an id doesn't fit
// 16 bits or n exceeds 999, the pixel has only the class.
type cityscapes struct {
	single
	*job
}

func newCityscapes(j *job) (encoder, error) { return cityscapes{job: j}, nil }

// finish names the classes of indices and colours in label_colors.txt, where CVAT and
// Datumaro look for them. They read a line word by word, so spaces in names become _.
func (c cityscapes) finish() ([]zipfile.Member, error) {
	var b bytes.Buffer
	for _, class := range c.project.Classes {
		rgb, err := mask.ParseColor(class.Color)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%d %d %d %s\n", rgb.R, rgb.G, rgb.B, segment.OneWord(class.Name))
	}
	return []zipfile.Member{zipfile.Stored("label_colors.txt", b.Bytes())}, nil
}

// instances is how many objects of a class can have instance ids.
const instances = 1000

func (cityscapes) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = "leftImg8bit/" + s.set() + "/" + s.stem + "_leftImg8bit.png"
	parts := s.partition()
	list, of := parts.Objects(regions.Which{})
	ids := make([]uint16, len(list))
	var next [segment.MaxClasses]int
	plain, lost := 0, 0
	for i, o := range list {
		id := int(o.Class)*instances + next[o.Class]
		if next[o.Class] >= instances || id > math.MaxUint16 {
			ids[i] = uint16(o.Class)
			plain++
			lost += len(o.Parts)
		} else {
			ids[i] = uint16(id)
		}
		next[o.Class]++
	}
	p := &piece{out: len(parts.Regions) - lost}
	if plain > 0 {
		p.lossy = []string{fmt.Sprintf("%s %s no id of their own in instanceIds, only that of the class; ids end at %d and at %d instances of a class.",
			segment.Counted(plain, "object"), haveHas(plain), math.MaxUint16, instances)}
	}
	row := make([]int32, parts.Width)
	prefix := "gtFine/" + s.set() + "/" + s.stem + "_gtFine_"
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"labelIds.png", func(w io.Writer) error {
			return mask.WritePNG(w, mask.Grey8, parts.Width, parts.Height, func(y int, dst []byte) { copy(dst, parts.Row(y)) })
		}},
		{"instanceIds.png", func(w io.Writer) error {
			return mask.WritePNG(w, mask.Grey16, parts.Width, parts.Height, func(y int, dst []byte) {
				for x, region := range parts.IDs(y, row) {
					id := uint16(segment.Void)
					switch {
					case region < 0:
					case of[region] < 0:
						id = 0
					default:
						id = ids[of[region]]
					}
					binary.BigEndian.PutUint16(dst[2*x:], id)
				}
			})
		}},
		{"color.png", func(w io.Writer) error { return mask.WriteColour(w, s.mask, s.project.Classes) }},
	} {
		m, err := zipfile.Written(prefix+f.name, f.write)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, m)
	}
	return p, nil
}

func haveHas(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
