package web

import (
	"fmt"
	"io"
	"math"
	"net/http"

	"collie/segment/engine"
	"collie/segment/export"
)

// What can be asked for as a mask.
var (
	ofQuery        = wordQuery{"of", []string{"labelling", "hypothesis"}, "what to draw"}
	rankQuery      = intQuery{"rank", 0, 0, engine.MaxHypotheses - 1, "which hypothesis, with of=hypothesis"}
	afterMaskQuery = intQuery{"after", -1, 0, math.MaxInt32, "the labelling as it was after this event, 0 for the beginning"}
	styleQuery     = wordQuery{"style", []string{"index", "colour"}, "index: 8-bit palette PNG, pixel = class index, 255 undecided, colours of PASCAL VOC; colour: RGB in the project's colours, undecided (224, 224, 192)"}
)

// getMask sends the labelling, as it is or as it was after an event, or a
// hypothesis, at the image's size.
func (s *Server) getMask(w http.ResponseWriter, r *http.Request) error {
	of, err := ofQuery.of(r)
	if err != nil {
		return err
	}
	style, err := styleQuery.of(r)
	if err != nil {
		return err
	}
	rank, err := rankQuery.of(r)
	if err != nil {
		return err
	}
	after, err := afterMaskQuery.of(r)
	if err != nil {
		return err
	}
	a, err := s.annotation(r)
	if err != nil {
		return err
	}
	defer a.Close()

	im, project := a.Image(), a.Project()
	name, positions := stem(im.Name), project.Positions()
	mask := export.Mask{Width: im.Width, Height: im.Height}
	if of == "hypothesis" {
		state, sequence := a.Present()
		h, err := sequence.At(r.Context(), rank)
		if err != nil {
			return err
		}
		mask = export.MaskOf(a.Cells(), positions.Through(state.Cells(h.Labels)))
		name += fmt.Sprintf("-hypothesis-%d", rank)
	} else if after >= 0 {
		pixels, err := a.PixelsAfter(r.Context(), after)
		if err != nil {
			return err
		}
		mask.Pixels = positions.Through(pixels)
		name += fmt.Sprintf("-after-%d", after)
	} else {
		mask.Pixels = positions.Through(a.Pixels())
	}
	if style == "colour" {
		name += "-colour"
	}
	w.Header().Set("Content-Disposition", attachment(name+".png"))
	return s.stream(w, "image/png", func(out io.Writer) error {
		if style == "colour" {
			return export.ColourMask(out, mask, project.Classes)
		}
		return export.IndexMask(out, mask)
	})
}
