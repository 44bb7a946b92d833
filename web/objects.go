package web

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/mask"
	"collie/segment/mask/regions"
	"collie/segment/timeline"
)

// objectsJSON are the objects of an image that instance events have told apart.
type objectsJSON struct {
	Seq     int          `json:"seq" doc:"number of events in the log when the objects were told apart; as long as they stay the same, so does the ETag"`
	Objects []objectJSON `json:"objects" doc:"by class and number; regions without an instance event are objects of their own and are not listed, nor are objects whose pixels all have other classes"`
}

type objectJSON struct {
	Class    int       `json:"class" doc:"id of the class"`
	Number   int       `json:"number" doc:"of the object among those of its class"`
	Area     int       `json:"area" doc:"pixels"`
	Outlines [][]int32 `json:"outlines" doc:"closed paths along the sides of pixels, around regions and their holes: x, y, x, y, …"`
	Marks    [][2]int  `json:"marks" doc:"x, y of a pixel in each finest superpixel that an event has marked"`
}

// Memory while objects are told apart. A run has at most four corners of outlines.
const (
	objectPixels = 1 + 5.0/16 // bytes for each pixel: the labelling, which pixels lack an object, and which sides are traced
	objectFilled = 8          // bytes for each pixel that gets an object from others: the object, and its place in the queue
	objectRun    = 350        // bytes for each run: in the lists of runs, for its regions, outlines and their JSON
	objectAnswer = 48         // bytes for each run in the answer
)

// getObjects sends the objects of the labelling.
func (s *Server) getObjects(w http.ResponseWriter, r *http.Request) error {
	a, err := s.annotation(r)
	if err != nil {
		return err
	}
	shut := sync.OnceFunc(a.Close)
	defer shut()
	state := a.State()
	if unchanged(w, r, objectsTag(state)) {
		return nil
	}
	extent := a.ObjectsExtent(state)
	give, err := s.memory.Lend(r.Context(), objectAnswer*int64(extent.Runs))
	if err != nil {
		return err
	}
	defer give()
	answer, err := s.objects(r.Context(), a, state, extent)
	if err != nil {
		return err
	}
	shut() // a slow client keeps no image open
	return s.answers.Stream(w, "application/json", func(to io.Writer) error { _, err := to.Write(answer); return err })
}

// objects is the answer with the objects of a state. It is made in memory that is
// borrowed and given back before anybody waits for the client.
func (s *Server) objects(ctx context.Context, a *annotation.Annotation, state annotation.State, extent timeline.Extent) ([]byte, error) {
	out := objectsJSON{Seq: state.Seq, Objects: []objectJSON{}}
	if extent.Runs > 0 {
		im := a.Image()
		size := int64(objectPixels*float64(im.Width)*float64(im.Height)) + objectFilled*int64(extent.Filled) + objectRun*int64(extent.Runs)
		give, err := s.workspace.Pictures(ctx, size)
		if err != nil {
			return nil, err
		}
		defer give()
		out.Objects = outlined(a, state)
	}
	b, err := json.Marshal(out)
	return append(b, '\n'), err
}

// outlined tells the objects of a state apart.
func outlined(a *annotation.Annotation, state annotation.State) []objectJSON {
	im, pixels := a.Image(), a.PixelsOf(state)
	list, of := a.Objects(state, pixels)
	objects, place := make([]objectJSON, len(list)), map[timeline.Object]int{}
	outlines := regions.Outlines(mask.Mask{Width: im.Width, Height: im.Height, Pixels: pixels}, of, len(list))
	for i, o := range list {
		objects[i] = objectJSON{Class: int(o.Class), Number: int(o.Number), Outlines: outlines[i], Marks: [][2]int{}}
		place[o] = i
	}
	for run := range of.All() {
		if run.Region >= 0 {
			objects[run.Region].Area += run.End - run.Start
		}
	}
	points := a.PointsIn()
	for _, m := range state.Constraints.Objects {
		if i, ok := place[timeline.Object{Class: m.Class, Number: m.Number}]; ok {
			objects[i].Marks = append(objects[i].Marks, points[m.Cell])
		}
	}
	return slices.DeleteFunc(objects, func(o objectJSON) bool { return o.Area == 0 }) // pixels of other classes cover it
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
	if d := state.Constraints.Drawn; d != nil {
		for _, o := range d.Objects {
			marked[o.Class] = true
		}
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
	if d := state.Constraints.Drawn; d != nil {
		_, _ = io.WriteString(sum, d.Import)
		for _, o := range d.Objects {
			write(o.Class) // deleting a class changes it
		}
	}
	for _, repair := range state.Repairs {
		write(repair.Class)
		write(int32(len(repair.Runs)))
		write(repair.Runs)
	}
	return fmt.Sprintf("W/\"%x\"", sum.Sum(nil))
}
