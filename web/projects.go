package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment"
)

// projectBody is what clients send to make or edit a project; what is absent
// is left to the defaults, or as it is.
type projectBody struct {
	Name    *string         `json:"name"`
	Classes []classBody     `json:"classes"`
	Remap   map[uint8]uint8 `json:"remap"` // of an edit only, as is the next
	Base    []classBody     `json:"base"`  // the list of which Classes was made
}

// classBody is an entry of a list of classes. In an edit one with an id is a
// class that the project has, or had and gets back; it keeps what is absent.
type classBody struct {
	ID    *uint8 `json:"id"`
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

func (b *projectBody) edit() (segment.ProjectEdit, error) {
	base, err := baseOf(b.Base)
	e := segment.ProjectEdit{Base: base, Remap: b.Remap, ByPosition: true}
	for _, c := range b.Classes {
		entry := segment.ClassEdit{Class: segment.Class{Name: c.Name, Color: c.Color}, New: c.ID == nil}
		if c.ID != nil {
			entry.ID, e.ByPosition = *c.ID, false
		}
		e.Classes = append(e.Classes, entry)
	}
	return e, err
}

// baseOf is the list of classes that an edit was made from.
func baseOf(list []classBody) ([]segment.Class, error) {
	var base []segment.Class
	for _, c := range list {
		if c.ID == nil {
			return nil, invalid("An entry of \"base\" has no id: it is the list of classes as the project had it. Nothing was changed.")
		}
		base = append(base, segment.Class{ID: *c.ID, Name: c.Name, Color: c.Color})
	}
	return base, nil
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
	edit, err := body.edit()
	if err != nil {
		return err
	}
	if body.Name != nil {
		if edit.Name, err = segment.CleanName("project name", *body.Name); err != nil {
			return err
		}
	}
	p, err := s.workspace.EditProject(r.Context(), chi.URLParam(r, "id"), edit)
	if err != nil {
		return err
	}
	return s.sendJSON(w, http.StatusOK, projectOut(p))
}

// restoreClass brings a deleted class back.
func (s *Server) restoreClass(w http.ResponseWriter, r *http.Request) error {
	id, err := strconv.ParseUint(chi.URLParam(r, "class"), 10, 8)
	if err != nil {
		return segment.Errorf(segment.NotFound, "There is no such class.")
	}
	p, err := s.workspace.RestoreClass(r.Context(), chi.URLParam(r, "id"), uint8(id))
	if err != nil {
		return err
	}
	return s.sendJSON(w, http.StatusOK, projectOut(p))
}

func projectOut(p segment.Project) projectJSON {
	out := projectJSON{ID: p.ID, Name: p.Name, Created: p.Created, Classes: make([]classJSON, len(p.Classes))}
	for i, c := range p.Classes {
		out.Classes[i] = classJSON{ID: int(c.ID), Index: i, Name: c.Name, Color: c.Color}
	}
	for _, c := range p.Deleted {
		if c.Restorable(time.Now()) {
			out.Deleted = append(out.Deleted, deletedClassJSON{int(c.ID), c.Name, c.Color, int(c.Target), c.Deleted})
		}
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
