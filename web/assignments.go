package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/web/problem"
)

// newAssignmentJSON is the request to assign images.
type newAssignmentJSON struct {
	Images   []string `json:"images" doc:"identifiers of images of the project" schema:"maxItems=10000"`
	Assignee *string  `json:"assignee,omitempty" doc:"name of the member who is to work on the images; empty for nobody" schema:"required"`
	Replaces *string  `json:"replaces,omitempty" doc:"name of the assignee whose place the new one may take, empty for nobody; an image that is assigned to another gives 409; anybody's without it"`
}

// assignImages says who is to work on images of a project.
func (s *Server) assignImages(w http.ResponseWriter, r *http.Request) error {
	project := chi.URLParam(r, "id")
	if err := s.workspace.MayReview(r.Context(), project, segment.ToDo); err != nil {
		return err // before anything is read
	}
	var body newAssignmentJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	if body.Images == nil || body.Assignee == nil {
		return problem.Invalid("The fields \"images\" and \"assignee\" are needed; an empty assignee is nobody. Nothing was changed.")
	}
	images, err := s.workspace.Assign(r.Context(), project, body.Images, *body.Assignee, body.Replaces)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, imagesOf(images))
}
