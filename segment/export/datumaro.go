package export

import (
	"context"
	"encoding/json"

	"collie/segment/export/zipfile"
)

// datumaro is Datumaro's native format, with masks as compressed run lengths.
type datumaro struct {
	single
	job *job
}

func newDatumaro(j *job) (encoder, error) { return &datumaro{job: j}, nil }

type datumaroLabel struct {
	Name       string   `json:"name"`
	Parent     string   `json:"parent"`
	Attributes []string `json:"attributes"`
}

type datumaroItem struct {
	ID          string         `json:"id"`
	Annotations []datumaroMask `json:"annotations"`
	Attr        struct{}       `json:"attr"`
	Image       datumaroImage  `json:"image"`
}

type datumaroImage struct {
	Path string `json:"path"`
	Size [2]int `json:"size"` // height, width
}

type datumaroMask struct {
	ID         int      `json:"id"`
	Type       string   `json:"type"`
	Attributes struct{} `json:"attributes"`
	Group      int      `json:"group"`
	LabelID    int      `json:"label_id"`
	ZOrder     int      `json:"z_order"`
	RLE        cocoRLE  `json:"rle"`
}

func (d *datumaro) document(set string) zipfile.Document {
	labels := make([]datumaroLabel, len(d.job.project.Classes))
	for i, c := range d.job.project.Classes {
		labels[i] = datumaroLabel{Name: c.Name, Attributes: []string{}}
	}
	return zipfile.Document{
		Name: "annotations/" + set + ".json",
		Head: `{"info":{},"categories":{"label":{"labels":` + asJSON(labels) + `,"attributes":[]}},"items":[` + "\n",
		Foot: zipfile.Static("\n]}\n"), Separator: ",\n",
	}
}

func (d *datumaro) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = s.inImages()
	parts := s.partition()
	list, of, p := s.list()
	size := [2]int{s.mask.Height, s.mask.Width}
	item := datumaroItem{ID: s.stem, Annotations: []datumaroMask{}, Image: datumaroImage{s.fileName(), size}}
	for i, columns := range parts.Columns(len(list), of) {
		p.out += len(list[i].Parts)
		item.Annotations = append(item.Annotations, datumaroMask{
			ID: i + 1, Type: "mask", Group: i + 1, LabelID: int(list[i].Class), RLE: cocoRLE{size, columns.COCO()},
		})
	}
	b, err := json.Marshal(item)
	p.entries = [][]byte{b}
	return p, err
}
