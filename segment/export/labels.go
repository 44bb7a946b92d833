package export

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"collie/segment/export/zipfile"
	"collie/segment/mask"
)

// labels writes label images, as cellpose, StarDist and scikit-image read them: objects
// are numbered from 1 in the order of their first pixels, and whatever no object covers
// is 0. Names are those that cellpose expects, with the picture in the same folder. A
// file of zeros means that nothing is there, so an image in which nothing is decided has
// none.
type labels struct{ single }

func newLabels(*job) (encoder, error) { return labels{}, nil }

func (labels) image(_ context.Context, s *subject) (*piece, error) {
	parts := s.partition()
	if len(parts.Regions) == 0 {
		return &piece{note: "Nothing is labelled, so there is no label image; an empty one would claim that the image contains nothing."}, nil
	}
	base := s.set() + "/" + s.stem
	s.pictureName = base + s.extension()
	list, of, p := s.list()
	classes := map[uint8]bool{}
	for i, o := range list {
		classes[o.Class] = true
		if i < math.MaxUint16 {
			p.out += len(o.Parts)
		}
	}
	if over := len(list) - math.MaxUint16; over > 0 {
		p.lossy = append(p.lossy, fmt.Sprintf("A label image of 16 bits can number only %d objects; the other %d have the value 0 there.", math.MaxUint16, over))
	}
	if n := len(classes); n > 1 {
		p.lossy = append(p.lossy, fmt.Sprintf("Label images say nothing of classes, and the objects have %d of them.", n))
	}
	row := make([]int32, parts.Width)
	file, err := zipfile.Written(base+"_masks.png", func(w io.Writer) error {
		return mask.WritePNG(w, mask.Grey16, parts.Width, parts.Height, func(y int, dst []byte) {
			for x, region := range parts.IDs(y, row) {
				number := uint16(0)
				if region >= 0 && of[region] >= 0 && of[region] < math.MaxUint16 {
					number = uint16(of[region] + 1)
				}
				binary.BigEndian.PutUint16(dst[2*x:], number)
			}
		})
	})
	p.files = []zipfile.Member{file}
	return p, err
}
