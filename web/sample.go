package web

import (
	"bytes"
	"image/png"
	"net/http"

	"collie/segment"
	"collie/segment/sample"
)

// sampleName is the file name of the sample photograph.
const sampleName = "fruit and bowl.png"

// createSample makes a project with the sample photograph in it.
func (s *Server) createSample(w http.ResponseWriter, r *http.Request) error {
	var file bytes.Buffer
	if err := png.Encode(&file, sample.Render()); err != nil {
		return err
	}
	classes := make([]segment.Class, len(sample.Classes))
	for i, name := range sample.Classes {
		classes[i] = segment.Class{Name: name}
	}
	p, err := s.workspace.CreateProject(r.Context(), "Sample", classes)
	if err != nil {
		return err
	}
	im, err := s.workspace.AddImage(r.Context(), p.ID, sampleName, &file)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/projects/"+p.ID)
	return s.sendJSON(w, http.StatusCreated, struct {
		projectJSON
		Images []imageJSON `json:"images"`
	}{projectOut(p), []imageJSON{imageOut(im)}})
}
