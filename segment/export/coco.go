package export

import (
	"context"
	"encoding/json"
	"io"
	"strconv"

	"collie/segment/export/zipfile"
	"collie/segment/mask/regions"
)

// coco is COCO's instances. Categories are all classes, in project order; images
// are numbered by their position in the project, from 1. Polygons are exact: their
// corners are corners of pixels, as COCO's own mask code reads them.
type coco struct {
	single
	job *job
}

func newCOCO(j *job) (encoder, error) { return &coco{job: j}, nil }

type cocoImage struct {
	ID       int    `json:"id"`
	FileName string `json:"file_name"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
}

type cocoCategory struct {
	ID            int    `json:"id"`
	Name          string `json:"name"`
	Supercategory string `json:"supercategory"`
	IsThing       *int   `json:"isthing,omitempty"`
	Color         []int  `json:"color,omitempty"`
}

type cocoRLE struct {
	Size   [2]int `json:"size"` // height, width
	Counts string `json:"counts"`
}

// cocoAnnotation follows the id, which is only known when it is written.
type cocoAnnotation struct {
	ImageID      int    `json:"image_id"`
	CategoryID   int    `json:"category_id"`
	Segmentation any    `json:"segmentation"` // polygons or cocoRLE
	Area         int    `json:"area"`
	BBox         [4]int `json:"bbox"` // x, y, width, height
	IsCrowd      int    `json:"iscrowd"`
}

func (c *coco) document(set string) zipfile.Document {
	categories := make([]cocoCategory, len(c.job.project.Classes))
	for i, class := range c.job.project.Classes {
		categories[i] = cocoCategory{ID: c.job.category(i), Name: class.Name}
	}
	return c.job.cocoDocument(set, "annotations/instances_"+set+".json", categories, func(n int) string {
		return `{"id":` + strconv.Itoa(n) + ","
	})
}

// category is the number of a class, from 1. It comes from the class's id, so it stays the
// same in all exports, whichever classes are moved or deleted.
func (j *job) category(index int) int { return int(j.project.Classes[index].ID) + 1 }

// cocoDocument is a COCO document about the images of a set; its annotations are
// the entries. The images come last, when it is known which were left out.
func (j *job) cocoDocument(set, name string, categories []cocoCategory, begin func(n int) string) zipfile.Document {
	head := `{"info":` + asJSON(map[string]string{"description": j.project.Name}) + `,"licenses":[],` + "\n" +
		`"categories":` + asJSON(categories) + ",\n" + `"annotations":[` + "\n"
	foot := func(w io.Writer) error {
		if _, err := io.WriteString(w, "\n],\n"+`"images":[`); err != nil {
			return err
		}
		separator := ""
		for _, number := range j.members(set) {
			s := j.subject(number)
			s.pictureName = s.inImages()
			if _, err := io.WriteString(w, separator+asJSON(cocoImage{number + 1, s.fileName(), s.image.Width, s.image.Height})); err != nil {
				return err
			}
			separator = ","
		}
		_, err := io.WriteString(w, "]}\n")
		return err
	}
	return zipfile.Document{Name: name, Head: head, Separator: ",\n", Foot: foot, Begin: begin}
}

func (c *coco) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = s.inImages()
	parts := s.partition()
	list, of, p := s.list()
	columns := parts.Columns(len(list), of)
	var outlines []regions.Outline
	if s.options.Shapes == "polygon" {
		outlines = parts.Outlines()
	}
	for i, o := range list {
		p.out += len(o.Parts)
		size := o.Box.Size()
		a := cocoAnnotation{
			ImageID: s.number + 1, CategoryID: s.category(int(o.Class)), Area: o.Area,
			BBox:         [4]int{o.Box.Min.X, o.Box.Min.Y, size.X, size.Y},
			Segmentation: cocoRLE{[2]int{s.mask.Height, s.mask.Width}, columns[i].COCO()},
		}
		if polygons, ok := polygonsOf(o, outlines); ok {
			a.Segmentation = polygons
		}
		b, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		p.entries = append(p.entries, b[1:]) // after the id
	}
	return p, nil
}

// polygonsOf returns the corners of an object's regions, x and y in turn, if
// none of them has a hole.
func polygonsOf(o regions.Object, outlines []regions.Outline) (polygons [][]int, ok bool) {
	if outlines == nil {
		return nil, false
	}
	for _, part := range o.Parts {
		if len(outlines[part]) > 1 {
			return nil, false
		}
		var flat []int
		for _, at := range outlines[part][0] {
			flat = append(flat, at.X, at.Y)
		}
		polygons = append(polygons, flat)
	}
	return polygons, true
}
