package web

import (
	"bytes"
	"net/http"

	"collie/segment"
	"collie/segment/sample"
	"collie/web/wire"
)

// sampleJSON is the sample project with its image.
type sampleJSON struct {
	wire.Project
	Images []imageJSON `json:"images"`
}

// createSample makes a project with the sample photograph in it.
func (s *Server) createSample(w http.ResponseWriter, r *http.Request) error {
	p, err := s.workspace.CreateProject(r.Context(), "Sample", sample.Classes, &segment.Rest{}) // its classes cover all of it
	if err != nil {
		return err
	}
	im, err := s.workspace.AddImage(r.Context(), p.ID, sample.Name, bytes.NewReader(sample.Photograph))
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/projects/"+p.ID)
	return s.sendJSON(w, http.StatusCreated, sampleJSON{wire.ProjectOf(p), []imageJSON{imageOut(im)}})
}
