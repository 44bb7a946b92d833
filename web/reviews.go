package web

import (
	"math"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/web/problem"
	"collie/web/wire"
)

// newReviewJSON is the request to set the status of images.
type newReviewJSON struct {
	Images   []string              `json:"images" doc:"identifiers of images of the project" schema:"maxItems=10000"`
	Seen     map[string]uint32     `json:"seen,omitempty" doc:"by identifier of image, the number of events (seq) of what was looked at, so that the status doesn't cover later edits; all events without it"`
	Replaces map[string]string     `json:"replaces,omitempty" doc:"by identifier of image, when the status was set (at, of its review) that the new one may replace, empty for none; an image that has another gives 409; any without it"`
	Status   *segment.ReviewStatus `json:"status,omitempty" doc:"empty to take the status away" schema:"required,enum=|todo|progress|done|approved|rejected"`
	Comment  string                `json:"comment,omitempty" doc:"for whoever works on the images; required when they are rejected" schema:"maxLength=1000"`
}

// setReviews gives images of a project a status by hand.
func (s *Server) setReviews(w http.ResponseWriter, r *http.Request) error {
	project := chi.URLParam(r, "id")
	if err := s.workspace.MayReview(r.Context(), project, segment.ToDo); err != nil {
		return err // before anything is read
	}
	var body newReviewJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	if body.Images == nil || body.Status == nil { // a misspelt status must not take one away
		return problem.Invalid("The fields \"images\" and \"status\" are needed; an empty status removes the current one. Nothing was changed.")
	}
	looked, err := body.looked()
	if err != nil {
		return err
	}
	images, err := s.workspace.SetReview(r.Context(), project, body.Images, looked, segment.Review{Status: *body.Status, Comment: body.Comment})
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, imagesOf(images))
}

// looked says what each of the images was that the status is meant for. A misspelt key is
// an error, because the status must not cover later edits for that.
func (n *newReviewJSON) looked() (map[string]segment.Looked, error) {
	out := make(map[string]segment.Looked, len(n.Images))
	for _, id := range n.Images {
		out[id] = segment.Looked{Seq: segment.AllEvents}
	}
	for id, seq := range n.Seen {
		of, ok := out[id]
		if !ok {
			return nil, problem.Invalid("The field \"seen\" has %.40q, which \"images\" lacks. Nothing was changed.", id)
		}
		of.Seq = int(min(seq, math.MaxInt32)) // where int has 32 bits, too
		out[id] = of
	}
	for id, at := range n.Replaces {
		of, ok := out[id]
		if !ok {
			return nil, problem.Invalid("The field \"replaces\" has %.40q, which \"images\" lacks. Nothing was changed.", id)
		}
		of.Former = new(time.Time)
		if at != "" {
			var err error
			if *of.Former, err = time.Parse(time.RFC3339, at); err != nil {
				return nil, problem.Invalid("The field \"replaces\" has %.40q; use what the image's review has as \"at\", or an empty text for none. Nothing was changed.", at)
			}
		}
		out[id] = of
	}
	return out, nil
}

func imagesOf(images []segment.Image) []wire.Image {
	out := make([]wire.Image, len(images))
	for i, im := range images {
		out[i] = wire.ImageOf(im)
	}
	return out
}
