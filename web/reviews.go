package web

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
)

// reviewJSON is the status by hand of an image.
type reviewJSON struct {
	Status  segment.ReviewStatus `json:"status" schema:"enum=todo|progress|done|approved|rejected"`
	Comment string               `json:"comment,omitempty" doc:"for whoever works on the image"`
	By      string               `json:"by,omitempty" doc:"name of the user who set it"`
	At      time.Time            `json:"at"`
	Seq     int                  `json:"seq" doc:"number of evidence events that the image had; if it has more now, it was changed since"`
}

func reviewOut(r segment.Review) *reviewJSON {
	if r.Status == segment.NoReview {
		return nil
	}
	return &reviewJSON{r.Status, r.Comment, r.By, r.At, r.Seq}
}

// newReviewJSON is the request to set the status of images.
type newReviewJSON struct {
	Images  []string             `json:"images" doc:"identifiers of images of the project" schema:"maxItems=10000"`
	Status  segment.ReviewStatus `json:"status" doc:"empty to take the status away" schema:"enum=|todo|progress|done|approved|rejected"`
	Comment string               `json:"comment,omitempty" doc:"for whoever works on the images; required when they are rejected" schema:"maxLength=1000"`
}

// setReviews gives images of a project a status by hand.
func (s *Server) setReviews(w http.ResponseWriter, r *http.Request) error {
	id := chi.URLParam(r, "id")
	if s.workspace.MayIn(r.Context(), id, access.Review) != nil {
		if err := s.workspace.MayIn(r.Context(), id, access.Annotate); err != nil {
			return err // before anything is read
		}
	}
	var body newReviewJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	images, err := s.workspace.SetReview(r.Context(), id, body.Images, segment.Review{Status: body.Status, Comment: body.Comment})
	if err != nil {
		return err
	}
	out := make([]imageJSON, len(images))
	for i, im := range images {
		out[i] = imageOut(im)
	}
	return s.sendJSON(w, http.StatusOK, out)
}
