package web

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/mask"
	"collie/segment/mask/regions"
	"collie/segment/timeline"
)

// objectsJSON are the objects of an image that instance events have told apart.
type objectsJSON struct {
	Seq     int          `json:"seq" doc:"number of events in the log when the objects were told apart; as long as they stay the same, so does the ETag"`
	Objects []objectJSON `json:"objects" doc:"by class and number; regions without an instance event are objects of their own and are not listed"`
}

type objectJSON struct {
	Class    int      `json:"class" doc:"id of the class"`
	Number   int      `json:"number" doc:"of the object among those of its class"`
	Area     int      `json:"area" doc:"pixels"`
	Outlines [][]int  `json:"outlines" doc:"closed paths along the sides of pixels, around regions and their holes: x, y, x, y, …"`
	Marks    [][2]int `json:"marks" doc:"x, y of a pixel in each finest superpixel that an event has marked"`
}

// objectBytes is the memory per pixel while objects are told apart.
const objectBytes = 10

// getObjects sends the objects of the labelling.
func (s *Server) getObjects(w http.ResponseWriter, r *http.Request) error {
	a, err := s.annotation(r)
	if err != nil {
		return err
	}
	defer a.Close()
	state := a.State()
	tag := objectsTag(state)
	if unchanged(w, r, tag) {
		return nil
	}
	objects, err := s.objects(r.Context(), a, state)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, objectsJSON{Seq: state.Seq, Objects: objects})
}

// objects tells the objects of a state apart, in memory that it borrows and gives back
// before anybody waits for the client.
func (s *Server) objects(ctx context.Context, a *annotation.Annotation, state annotation.State) ([]objectJSON, error) {
	objects := []objectJSON{}
	if len(state.Constraints.Objects) == 0 {
		return objects, nil
	}
	im := a.Image()
	give, err := s.workspace.Pictures(ctx, objectBytes*int64(im.Width)*int64(im.Height))
	if err != nil {
		return nil, err
	}
	defer give()
	pixels := a.PixelsOf(state)
	list, of := a.Objects(state, pixels)
	areas := make([]int, len(list))
	for _, object := range of {
		if object >= 0 {
			areas[object]++
		}
	}
	outlines := regions.Outlines(mask.Mask{Width: im.Width, Height: im.Height, Pixels: pixels}, of, len(list))
	for i, o := range list {
		objects = append(objects, objectJSON{Class: int(o.Class), Number: int(o.Number), Area: areas[i], Outlines: outlines[i], Marks: [][2]int{}})
	}
	points, place := a.PointsIn(), map[timeline.Object]int{}
	for i, o := range list {
		place[o] = i
	}
	for _, m := range state.Constraints.Objects {
		if i, ok := place[timeline.Object{Class: m.Class, Number: m.Number}]; ok {
			objects[i].Marks = append(objects[i].Marks, points[m.Cell])
		}
	}
	return objects, nil
}

// objectsTag is the ETag of the objects of a state. It depends on what they are
// told apart by: their marks, the superpixels of their classes and the repairs.
// The ETag is weak because answers with the same objects differ in seq.
func objectsTag(state annotation.State) string {
	marks := state.Constraints.Objects
	var marked [256]bool // by class
	for _, m := range marks {
		marked[m.Class] = true
	}
	labels := state.Cells(state.Labels)
	for i, label := range labels {
		if !marked[label] {
			labels[i] = segment.Void
		}
	}
	sum := sha256.New()
	write := func(data any) { _ = binary.Write(sum, binary.LittleEndian, data) } // fails for other kinds of data alone
	write(marks)
	write(labels)
	for _, repair := range state.Repairs {
		write(repair.Class)
		write(int32(len(repair.Runs)))
		write(repair.Runs)
	}
	return fmt.Sprintf("W/\"%x\"", sum.Sum(nil))
}
