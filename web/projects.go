package web

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment"
)

// projectBody is what clients send to make or edit a project; what is absent
// is left to the defaults, or as it is.
type projectBody struct {
	Name    *string     `json:"name"`
	Classes []classBody `json:"classes"`
}

type classBody struct {
	Name  string `json:"name"`
	Color string `json:"color"`
}

func (b *projectBody) classes() []segment.Class {
	out := make([]segment.Class, len(b.Classes))
	for i, c := range b.Classes {
		out[i] = segment.Class{Name: c.Name, Color: c.Color}
	}
	return out
}

func (s *Server) createProject(w http.ResponseWriter, r *http.Request) error {
	var body projectBody
	if err := decodeBody(r, &body); err != nil {
		return err
	}
	if body.Name == nil {
		return invalid("The field \"name\" is missing: a project needs a name.")
	}
	p, err := s.workspace.CreateProject(r.Context(), *body.Name, body.classes())
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/projects/"+p.ID)
	return s.sendJSON(w, http.StatusCreated, projectOut(p))
}

func (s *Server) listProjects(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.workspace.Projects(r.Context())
	if err != nil {
		return err
	}
	out := make([]projectJSON, len(projects))
	for i, p := range projects {
		out[i] = projectOut(p)
	}
	return s.sendJSON(w, http.StatusOK, out)
}

func (s *Server) getProject(w http.ResponseWriter, r *http.Request) error {
	p, err := s.workspace.Project(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	return s.sendJSON(w, http.StatusOK, projectOut(p))
}

func (s *Server) editProject(w http.ResponseWriter, r *http.Request) error {
	var body projectBody
	if err := decodeBody(r, &body); err != nil {
		return err
	}
	name := ""
	if body.Name != nil {
		var err error
		if name, err = segment.CleanName("project name", *body.Name); err != nil {
			return err
		}
	}
	p, err := s.workspace.EditProject(r.Context(), chi.URLParam(r, "id"), name, body.classes())
	if err != nil {
		return err
	}
	return s.sendJSON(w, http.StatusOK, projectOut(p))
}

func projectOut(p segment.Project) projectJSON {
	out := projectJSON{ID: p.ID, Name: p.Name, Created: p.Created, Classes: make([]classJSON, len(p.Classes))}
	for i, c := range p.Classes {
		out.Classes[i] = classJSON{Index: i, Name: c.Name, Color: c.Color}
	}
	return out
}

// sendJSON answers with v.
func (s *Server) sendJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(append(b, '\n')); err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
	return nil
}
