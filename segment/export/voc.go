package export

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"collie/segment"
	"collie/segment/export/zipfile"
	"collie/segment/mask"
	"collie/segment/mask/regions"
)

// voc is the layout of PASCAL VOC's segmentation data. In SegmentationObject
// the regions of all classes but background are numbered from 1; 0 is
// background, 255 undecided. The lists have the names of the sets; without a
// split every fifth image of the project is in val.txt and the others are in
// train.txt. All are in default.txt.
type voc struct {
	single
	job *job
}

// vocObjects is the largest object number: a byte without the value for
// undecided pixels.
const vocObjects = 254

func newVOC(j *job) (encoder, error) { return &voc{job: j}, nil }

func (v *voc) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = "JPEGImages/" + s.stem + ".jpg" // the name that readers of VOC expect
	classes, err := zipfile.Written("SegmentationClass/"+s.stem+".png", func(w io.Writer) error { return mask.WriteIndex(w, s.mask) })
	if err != nil {
		return nil, err
	}
	parts := s.partition()
	list, of := parts.Objects(regions.Which{})
	numbers := mask.Mask{Width: s.mask.Width, Height: s.mask.Height, Pixels: make([]uint8, len(s.mask.Pixels))}
	for run := range parts.Runs.All() {
		number := uint8(0)
		switch {
		case run.Region < 0 || of[run.Region] >= vocObjects:
			number = segment.Void
		case of[run.Region] >= 0:
			number = uint8(of[run.Region] + 1)
		}
		for i := run.Start; i < run.End; i++ {
			numbers.Pixels[i] = number
		}
	}
	objects, err := zipfile.Written("SegmentationObject/"+s.stem+".png", func(w io.Writer) error { return mask.WriteIndex(w, numbers) })
	if err != nil {
		return nil, err
	}
	p := &piece{files: []zipfile.Member{classes, objects}, out: len(parts.Regions), lossy: v.job.misread(s.mask.Pixels)}
	if over := len(list) - vocObjects; over > 0 {
		p.out -= over
		p.lossy = append(p.lossy, fmt.Sprintf("SegmentationObject can number only %d objects; the other %d have the value 255 there. SegmentationClass is complete.", vocObjects, over))
	}
	if n := firstClass(parts); n > 0 {
		p.lossy = append(p.lossy, fmt.Sprintf("Class 0 is the background of VOC, so SegmentationObject has no numbers for %s of it.", segment.Counted(n, "object")))
	}
	return p, nil
}

// firstClass counts the objects of class 0 that somebody has told apart.
func firstClass(p *regions.Partition) int {
	told := map[int32]bool{}
	for _, r := range p.Regions {
		if r.Class == 0 && r.Object >= 0 {
			told[r.Object] = true
		}
	}
	return len(told)
}

func (v *voc) finish() ([]zipfile.Member, error) {
	var train, val, all bytes.Buffer
	for _, number := range v.job.chosen {
		set := &train
		if number%5 == 4 {
			set = &val
		}
		fmt.Fprintln(set, v.job.images[number].stem)
		fmt.Fprintln(&all, v.job.images[number].stem)
	}
	const sets = "ImageSets/Segmentation/"
	lists := v.job.lists(sets)
	if v.job.options.Split == nil {
		lists = []zipfile.Member{zipfile.Stored(sets+"train.txt", train.Bytes()), zipfile.Stored(sets+"val.txt", val.Bytes())}
	}
	labels, err := v.job.labelmap(inPalette)
	return append(append(lists, zipfile.Stored(sets+"default.txt", all.Bytes())), labels...), err
}
