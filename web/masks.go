package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strings"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/segment/mask"
	"collie/segment/photo"
	"collie/web/answers"
	"collie/web/problem"
	"collie/web/query"
)

// The query of a mask.
var (
	ofQuery        = query.Word{Name: "of", Words: []string{"labelling", "hypothesis"}, Doc: "what the mask shows"}
	rankQuery      = query.Int{Name: "rank", High: engine.MaxHypotheses - 1, Doc: "rank of the hypothesis, with of=hypothesis"}
	afterMaskQuery = query.Int{Name: "after", Fallback: -1, High: math.MaxInt32, Doc: "the labelling after this event; 0 is the start. Not with of=hypothesis"}
	styleQuery     = query.Word{Name: "style", Words: []string{"index", "colour", "overlay"}, Doc: "index: 8-bit palette PNG, pixel = class index, 255 undecided, colours of PASCAL VOC; colour: RGB in the project's colours, undecided (224, 224, 192); overlay: the labelling, or the first guess of an image that has nothing else, half transparent, at the size of the thumbnail"}
)

// maskBytes is the memory per pixel while a mask is made.
const maskBytes = 4

// mask makes the labelling, as it is or as it was after an event, or a hypothesis, at
// the image's size.
func (s *Server) mask(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	of, err := ofQuery.Of(r)
	if err != nil {
		return nil, err
	}
	style, err := styleQuery.Of(r)
	if err != nil {
		return nil, err
	}
	if style == "overlay" {
		if of != "labelling" || r.URL.Query().Has("after") {
			return nil, problem.Invalid("The style overlay shows the current labelling: leave out \"of\" and \"after\".")
		}
		return s.overlay(w, r)
	}
	shown := shown{of: of}
	if shown.rank, err = rankQuery.Of(r); err != nil {
		return nil, err
	}
	if shown.after, err = afterMaskQuery.Of(r); err != nil {
		return nil, err
	}
	if of == "hypothesis" && shown.after >= 0 {
		return nil, problem.Invalid("The mask of a hypothesis is for the current evidence: leave out \"after\".")
	}
	a, err := s.annotation(r)
	if err != nil {
		return nil, err
	}
	defer a.Close()

	im := a.Image()
	give, err := s.workspace.Pictures(r.Context(), maskBytes*int64(im.Width)*int64(im.Height))
	if err != nil {
		return nil, err
	}
	defer give()
	labels, suffix, err := shown.labels(r.Context(), a)
	if err != nil {
		return nil, err
	}
	project := a.Project() // after all waiting, in which the classes may change
	project.Positions().Through(labels.Pixels)
	var out bytes.Buffer
	if style == "colour" {
		suffix += "-colour"
		err = mask.WriteColour(&out, labels, project.Classes)
	} else {
		err = mask.WriteIndex(&out, labels)
	}
	if err != nil {
		return nil, err
	}
	w.Header().Set("Content-Disposition", answers.Attachment(stem(im.Name)+suffix+".png"))
	return out.Bytes(), nil
}

// shown is what a mask shows.
type shown struct {
	of    string // labelling or hypothesis
	rank  int    // of the hypothesis
	after int    // event that the labelling follows; -1 for the current one
}

// labels returns the pixels, as ids of classes, and what a file's name says of them.
func (s shown) labels(ctx context.Context, a *annotation.Annotation) (m mask.Mask, suffix string, err error) {
	im := a.Image()
	m = mask.Mask{Width: im.Width, Height: im.Height}
	switch {
	case s.of == "hypothesis":
		state, sequence := a.Present()
		h, err := sequence.At(ctx, s.rank)
		if err != nil {
			return m, "", err
		}
		return mask.Of(a.Cells(), state.Cells(h.Labels)), fmt.Sprintf("-hypothesis-%d", s.rank), nil
	case s.after >= 0:
		m.Pixels, err = a.PixelsAfter(ctx, s.after)
		return m, fmt.Sprintf("-after-%d", s.after), err
	}
	m.Pixels = a.Pixels()
	return m, "", nil
}

// overlay makes the labelling, or a guess that is all there is, to lay over the thumbnail.
// The ETag follows from the records, so that an overlay that the browser has needs no
// evidence.
func (s *Server) overlay(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	im, err := s.image(r)
	if err != nil {
		return nil, err
	}
	p, err := s.workspace.Project(r.Context(), im.ProjectID)
	if err != nil {
		return nil, err
	}
	tag, err := overlayTag(im, p)
	if err != nil {
		return nil, err
	}
	if unchanged(w, r, tag) {
		return nil, nil
	}
	a, err := s.workspace.Visit(r.Context(), im.ID)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	give, err := s.workspace.Pictures(r.Context(), maskBytes*int64(im.Width)*int64(im.Height))
	if err != nil {
		return nil, err
	}
	defer give()
	labels := mask.Mask{Width: im.Width, Height: im.Height, Pixels: a.GuessedPixels()}
	if labels.Pixels == nil {
		labels.Pixels = a.Pixels()
	}
	p = a.Project() // the classes may have changed while it waited
	if tag, err = overlayTag(im, p); err != nil {
		return nil, err
	}
	w.Header().Set("ETag", tag)
	positions, rest := p.Positions(), -1
	if now := p.PresentRest(); now.Mode == segment.RestClass {
		rest = int(positions[now.Class])
	}
	positions.Through(labels.Pixels)
	var out bytes.Buffer
	err = mask.WriteOverlay(&out, labels, p.Classes, rest, photo.ThumbnailSide)
	return out.Bytes(), err
}

// unchanged names the answer with an ETag, and answers 304 itself and returns true if
// the browser has what is named so.
func unchanged(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("ETag", tag)
	if !has(r, tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// has reports whether the client of a request has what an ETag names, as proxies write
// it, too: in a list, or weak because they have compressed it (RFC 9110, 13.1.2).
func has(r *http.Request, tag string) bool {
	for one := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// overlayTag identifies the overlay of an image: it changes with the evidence and
// the classes.
func overlayTag(im segment.Image, p segment.Project) (string, error) {
	b, err := json.Marshal([]any{p.Classes, p.Deleted, p.Rest.String(), im.OnlyHinted()})
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	_, _ = h.Write(b) // never fails
	return fmt.Sprintf(`"%s-%d-%x"`, im.ID, im.Seq, h.Sum64()), nil
}
