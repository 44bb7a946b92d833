package export

import (
	"context"
	"encoding/json"
	"io"

	"collie/segment/export/zipfile"
	"collie/segment/mask"
	"collie/segment/mask/regions"
)

// panoptic is COCO's panoptic format: a PNG per image whose pixels number the
// segments from 1, id = R + 256·G + 65536·B with 0 for undecided, and a
// document with their categories. Class 0 is stuff: one segment per image,
// however many regions it has.
type panoptic struct {
	single
	job        *job
	categories []cocoCategory
}

func newPanoptic(j *job) (encoder, error) {
	e := &panoptic{job: j}
	for i, class := range j.project.Classes {
		thing := min(i, 1)
		rgb, err := mask.ParseColor(class.Color)
		if err != nil {
			return nil, err
		}
		e.categories = append(e.categories, cocoCategory{
			ID: j.category(i), Name: class.Name, IsThing: &thing, Color: []int{int(rgb.R), int(rgb.G), int(rgb.B)},
		})
	}
	return e, nil
}

type panopticImage struct {
	ImageID  int               `json:"image_id"`
	FileName string            `json:"file_name"` // of the PNG
	Segments []panopticSegment `json:"segments_info"`
}

type panopticSegment struct {
	ID         int    `json:"id"`
	CategoryID int    `json:"category_id"`
	Area       int    `json:"area"`
	BBox       [4]int `json:"bbox"`
	IsCrowd    int    `json:"iscrowd"`
}

func (e *panoptic) document(set string) zipfile.Document {
	return e.job.cocoDocument(set, "annotations/panoptic_"+set+".json", e.categories, nil)
}

func (e *panoptic) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = s.inImages()
	parts := s.partition()
	list, of := segments(parts, s.options.Objects == "class")
	entry := panopticImage{ImageID: s.number + 1, FileName: s.stem + ".png", Segments: []panopticSegment{}}
	for i, o := range list {
		size := o.Box.Size()
		entry.Segments = append(entry.Segments, panopticSegment{
			ID: i + 1, CategoryID: s.category(int(o.Class)), Area: o.Area, BBox: [4]int{o.Box.Min.X, o.Box.Min.Y, size.X, size.Y},
		})
	}
	ids := make([]int32, parts.Width)
	mask, err := zipfile.Written("annotations/panoptic_"+s.set()+"/"+s.stem+".png", func(w io.Writer) error {
		return mask.WritePNG(w, mask.RGB, parts.Width, parts.Height, func(y int, dst []byte) {
			for x, region := range parts.IDs(y, ids) {
				id := int32(0)
				if region >= 0 {
					id = of[region] + 1
				}
				dst[3*x], dst[3*x+1], dst[3*x+2] = byte(id), byte(id>>8), byte(id>>16)
			}
		})
	})
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(entry)
	return &piece{files: []zipfile.Member{mask}, entries: [][]byte{b}, out: len(parts.Regions)}, err
}

// segments returns the objects of a picture, with class 0 as one of them.
func segments(p *regions.Partition, perClass bool) (list []regions.Object, of []int32) {
	list, of = p.Objects(regions.Which{PerClass: perClass})
	stuff, stuffOf := p.Objects(regions.Which{PerClass: true, Background: true})
	if len(stuff) == 0 || stuff[0].Class != 0 {
		return list, of
	}
	for i := range of {
		switch {
		case p.Regions[i].Class == 0:
			of[i] = stuffOf[i]
		default:
			of[i]++
		}
	}
	return append(stuff[:1:1], list...), of
}
