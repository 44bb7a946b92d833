package export

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"collie/segment"
	"collie/segment/export/zipfile"
	"collie/segment/mask/regions"
)

// yolo is the layout of Ultralytics' segmentation data: a text file of polygons
// per image, coordinates in parts of the width and height. Holes are joined
// with the border by zero-width bridges. An empty file means that nothing is
// there, so an image in which nothing is decided has no text file.
type yolo struct {
	single
	job *job
}

func newYOLO(j *job) (encoder, error) { return &yolo{job: j}, nil }

func (*yolo) image(_ context.Context, s *subject) (*piece, error) {
	parts := s.partition()
	if len(parts.Regions) == 0 {
		return &piece{note: "Nothing is labelled, so there is no text file; an empty one would claim that the image contains nothing."}, nil
	}
	s.pictureName = s.inImages()
	_, of, p := s.list()
	var lines bytes.Buffer
	bridged, filled := 0, 0
	for i, o := range parts.Outlines() {
		if of[i] < 0 {
			continue
		}
		p.out++
		path, ok := o.Bridged()
		switch {
		case !ok:
			filled++
		case len(o) > 1:
			bridged++
		}
		lines.WriteString(strconv.Itoa(int(parts.Regions[i].Class)))
		for _, at := range path {
			lines.WriteByte(' ')
			lines.Write(share(lines.AvailableBuffer(), at.X, parts.Width))
			lines.WriteByte(' ')
			lines.Write(share(lines.AvailableBuffer(), at.Y, parts.Height))
		}
		lines.WriteByte('\n')
	}
	if bridged > 0 {
		p.lossy = append(p.lossy, fmt.Sprintf("The holes of %s are joined to the border by bridges of zero width.", segment.Counted(bridged, "region")))
	}
	if filled > 0 {
		p.lossy = append(p.lossy, fmt.Sprintf("The holes of %s were filled because there are too many.", segment.Counted(filled, "region")))
	}
	if grown := grown(parts, of); grown > 0 {
		p.lossy = append(p.lossy, fmt.Sprintf("The polygons follow the edges of pixels. Readers that draw them through pixel centres, as OpenCV does, mark about %s more.", segment.Counted(grown, "pixel")))
	}
	file, err := zipfile.Deflated("labels/"+s.set()+"/"+s.stem+".txt", lines.Bytes())
	p.files = []zipfile.Member{file}
	return p, err
}

// share writes part/whole with seven digits, more than enough to distinguish
// the pixels of any image. It rounds up, so that readers that multiply and
// truncate get part back.
func share(dst []byte, part, whole int) []byte {
	const digits = 7
	n := (part*10_000_000 + whole - 1) / whole
	dst = strconv.AppendInt(dst, int64(n/10_000_000), 10)
	dst = append(dst, '.')
	tail := strconv.Itoa(n % 10_000_000)
	for range digits - len(tail) {
		dst = append(dst, '0')
	}
	return append(dst, tail...)
}

// grown counts the pixels outside an object that have a corner of it at their
// upper left: polygons along the sides of pixels include them for readers that
// interpret coordinates as pixel centres.
func grown(p *regions.Partition, of []int32) int {
	n := 0
	row, over := make([]int32, p.Width), slices.Repeat([]int32{-1}, p.Width) // this and the one above
	for y := range p.Height {
		for x, id := range p.IDs(y, row) {
			if id >= 0 && of[id] < 0 {
				row[x] = -1
			}
		}
		left, both := int32(-1), int32(-1)
		for x, here := range row {
			above := over[x]
			if left >= 0 && left != here {
				n++
			}
			if above >= 0 && above != here && above != left {
				n++
			}
			if both >= 0 && both != here && both != left && both != above {
				n++
			}
			left, both = here, above
		}
		row, over = over, row
	}
	return n
}

// finish writes data.yaml. Class numbers are indices in the project, so names
// begins with class 0 even if that is never written. Without a path trainers
// look beside data.yaml; a relative one is taken from where they are started.
func (y *yolo) finish() ([]zipfile.Member, error) {
	var b bytes.Buffer
	sets := y.job.setsIn()
	folder := func(set string) string { // trainers need train and val
		if !slices.Contains(sets, set) && len(sets) > 0 {
			set = sets[0]
		}
		return "images/" + set
	}
	fmt.Fprintf(&b, "train: %s\nval: %s\n", folder("train"), folder("val"))
	if slices.Contains(sets, "test") {
		b.WriteString("test: images/test\n")
	}
	b.WriteString("names:\n")
	for i, c := range y.job.project.Classes {
		fmt.Fprintf(&b, "  %d: %s\n", i, asJSON(c.Name)) // JSON strings are YAML strings
	}
	return []zipfile.Member{zipfile.Stored("data.yaml", b.Bytes())}, nil
}
