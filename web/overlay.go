package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"

	"collie/segment"
	"collie/segment/mask"
)

// overlayLongest is the long side of an overlay in pixels, that of a thumbnail.
const overlayLongest = 320

// sendOverlay sends the labelling to lay over the thumbnail. The ETag follows from
// the records, so that an overlay that the browser has needs no evidence.
func (s *Server) sendOverlay(w http.ResponseWriter, r *http.Request) error {
	im, err := s.image(r)
	if err != nil {
		return err
	}
	p, err := s.workspace.Project(r.Context(), im.ProjectID)
	if err != nil {
		return err
	}
	tag, err := overlayTag(im, p)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	a, err := s.workspace.Visit(r.Context(), im.ID)
	if err != nil {
		return err
	}
	defer a.Close()
	give, err := s.workspace.Pictures(r.Context(), maskBytes*int64(im.Width)*int64(im.Height))
	if err != nil {
		return err
	}
	defer give()
	positions, rest := p.Positions(), -1
	if now := p.PresentRest(); now.Mode == segment.RestClass {
		rest = int(positions[now.Class])
	}
	labels := mask.Mask{Width: im.Width, Height: im.Height, Pixels: positions.Through(a.Pixels())}
	var out bytes.Buffer
	if err := mask.WriteOverlay(&out, labels, p.Classes, rest, overlayLongest); err != nil {
		return err
	}
	return s.stream(w, "image/png", func(w io.Writer) error { _, err := w.Write(out.Bytes()); return err })
}

// overlayTag identifies the overlay of an image: it changes with the evidence and
// the classes.
func overlayTag(im segment.Image, p segment.Project) (string, error) {
	b, err := json.Marshal([]any{p.Classes, p.Deleted, p.Rest.String()})
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	_, _ = h.Write(b) // never fails
	return fmt.Sprintf(`"%s-%d-%x"`, im.ID, im.Seq, h.Sum64()), nil
}
