package web

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/web/answers"
	"collie/web/query"
	"collie/web/wire"
)

// Which part of a list of images is sent.
var (
	imageLimit = query.Int{Name: "limit", Fallback: math.MaxInt, Low: 1, High: 1_000_000, Doc: "how many images at most; all if it is absent"}
	imageAfter = query.ID{Name: "after", Doc: "id of the image that the list begins after, such as the last one of an earlier answer"}
)

// imagesAtOnce is how many images are read and sent at a time: a list takes no more
// memory, however long it is.
const imagesAtOnce = 1000

func (s *Server) listImages(w http.ResponseWriter, r *http.Request) error {
	left, err := imageLimit.Of(r)
	if err != nil {
		return err
	}
	after, err := imageAfter.Of(r)
	if err != nil {
		return err
	}
	project := chi.URLParam(r, "id")
	return s.answers.Stream(w, "application/json", func(to io.Writer) error {
		for before := byte('['); ; {
			n := min(left, imagesAtOnce)
			images, err := s.workspace.ImagesAfter(r.Context(), project, after, n)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			for _, im := range images {
				text, err := json.Marshal(wire.ImageOf(im))
				if err != nil {
					return err
				}
				out.WriteByte(before)
				out.Write(text)
				before, after = ',', im.ID
			}
			left -= len(images)
			last := len(images) < n || left == 0
			if last {
				if before == '[' {
					out.WriteByte(before)
				}
				out.WriteString("]\n")
			}
			if _, err := to.Write(out.Bytes()); err != nil || last {
				return err
			}
		}
	})
}

// image is the record of the image in the URL.
func (s *Server) image(r *http.Request) (segment.Image, error) {
	return s.workspace.Image(r.Context(), chi.URLParam(r, "id"))
}

// annotatable is the record of the image in the URL, if the user can annotate it. It
// is for checks before the request's body is read.
func (s *Server) annotatable(r *http.Request) (segment.Image, error) {
	im, err := s.image(r)
	if err != nil {
		return im, err
	}
	return im, s.workspace.MayIn(r.Context(), im.ProjectID, access.Annotate)
}

// annotation opens the image in the URL; the caller closes it.
func (s *Server) annotation(r *http.Request) (*annotation.Annotation, error) {
	return s.workspace.Open(r.Context(), chi.URLParam(r, "id"))
}

// The window of values of a 16-bit image that the display copy shows.
var (
	lowQuery  = query.Int{Name: "low", High: math.MaxUint16, Doc: "the value that becomes black"}
	highQuery = query.Int{Name: "high", Fallback: math.MaxUint16, High: math.MaxUint16, Doc: "the value that becomes white, at least low"}
)

// getDisplay sends the display copy; with low or high, one that shows these
// values of a 16-bit image as black and white.
func (s *Server) getDisplay(w http.ResponseWriter, r *http.Request) error {
	if q := r.URL.Query(); !q.Has("low") && !q.Has("high") {
		return s.sendPicture(w, r, (*segment.Image).DisplayKey)
	}
	return s.answers.Complete(s.memory, "image/jpeg", s.developed)(w, r)
}

// developed makes a display copy that shows a window of values.
func (s *Server) developed(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	low, err := lowQuery.Of(r)
	if err != nil {
		return nil, err
	}
	from := highQuery
	from.Low = low
	high, err := from.Of(r)
	if err != nil {
		return nil, err
	}
	im, err := s.image(r)
	if err != nil {
		return nil, err
	}
	w.Header().Set("Cache-Control", "private, max-age=3600")
	var out bytes.Buffer
	err = s.workspace.Develop(r.Context(), im, uint16(low), uint16(high), &out)
	return out.Bytes(), err
}

// levelsJSON is the range of values in an image, from 0 to 65535 whatever its
// bit depth.
type levelsJSON struct {
	Bits    int    `json:"bits" doc:"per channel" schema:"enum=8|16"`
	Lowest  uint16 `json:"lowest" doc:"value that occurs"`
	Highest uint16 `json:"highest" doc:"value that occurs"`
	Low     uint16 `json:"low" doc:"half a per cent of the values lie below"`
	High    uint16 `json:"high" doc:"half a per cent of the values lie above"`
}

func (s *Server) getLevels(w http.ResponseWriter, r *http.Request) error {
	im, err := s.image(r)
	if err != nil {
		return err
	}
	levels, err := s.workspace.Levels(r.Context(), im)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, levelsJSON(levels))
}

func (s *Server) getThumbnail(w http.ResponseWriter, r *http.Request) error {
	return s.sendPicture(w, r, (*segment.Image).ThumbnailKey)
}

// sendPicture sends a picture that we encoded ourselves and that never changes.
func (s *Server) sendPicture(w http.ResponseWriter, r *http.Request, key func(*segment.Image) string) error {
	im, err := s.image(r)
	if err != nil {
		return err
	}
	return s.sendBlob(w, r, im, key(&im), nil)
}

// getOriginal sends the file as it was uploaded. It is untrusted, so its
// headers make browsers save it, not guess its type, and give it no rights.
func (s *Server) getOriginal(w http.ResponseWriter, r *http.Request) error {
	im, err := s.image(r)
	if err != nil {
		return err
	}
	return s.sendBlob(w, r, im, im.OriginalKey(), func(h http.Header) {
		h.Set("Content-Type", "image/"+im.Format)
		h.Set("Content-Disposition", answers.Attachment(im.Name))
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	})
}

// sendBlob sends an immutable blob, with ranges and the headers that more sets;
// answers.Content finds the type of our own pictures by their first bytes.
func (s *Server) sendBlob(w http.ResponseWriter, r *http.Request, im segment.Image, key string, more func(http.Header)) error {
	blob, err := s.workspace.Picture(r.Context(), im, key)
	if err != nil {
		return err
	}
	defer blob.Close()
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Header().Set("ETag", `"`+im.ID+`"`)
	if more != nil {
		more(w.Header())
	}
	return s.answers.Content(w, r, im.Created, blob)
}

// stem is a file name without its extension.
func stem(name string) string {
	if s := strings.TrimSuffix(name, path.Ext(name)); s != "" {
		return s
	}
	return name
}
