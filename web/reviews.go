package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/web/problem"
	"collie/web/wire"
)

// newReviewJSON is the request to set the status of images.
type newReviewJSON struct {
	Images  []string              `json:"images" doc:"identifiers of images of the project" schema:"maxItems=10000"`
	Seen    map[string]uint32     `json:"seen,omitempty" doc:"by identifier of image, the number of events (seq) of what was looked at, so that the status doesn't cover later edits; all events without it"`
	Status  *segment.ReviewStatus `json:"status,omitempty" doc:"empty to take the status away" schema:"required,enum=|todo|progress|done|approved|rejected"`
	Comment string                `json:"comment,omitempty" doc:"for whoever works on the images; required when they are rejected" schema:"maxLength=1000"`
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
	if id, ok := stray(body.Seen, body.Images); ok {
		return problem.Invalid("The field \"seen\" has %.40q, which \"images\" lacks. Nothing was changed.", id)
	}
	images, err := s.workspace.SetReview(r.Context(), project, body.Images, body.Seen, segment.Review{Status: *body.Status, Comment: body.Comment})
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, imagesOf(images))
}

// stray returns a key that is not among ids: a status that is meant for what was looked at
// must not cover later edits because the key is misspelt.
func stray(seen map[string]uint32, ids []string) (id string, ok bool) {
	if len(seen) == 0 {
		return "", false
	}
	listed := make(map[string]bool, len(ids))
	for _, id := range ids {
		listed[id] = true
	}
	for id := range seen {
		if !listed[id] {
			return id, true
		}
	}
	return "", false
}

func imagesOf(images []segment.Image) []wire.Image {
	out := make([]wire.Image, len(images))
	for i, im := range images {
		out[i] = wire.ImageOf(im)
	}
	return out
}
