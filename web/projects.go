package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/sample"
	"collie/web/problem"
	"collie/web/wire"
)

// newProjectJSON is the request to create a project.
type newProjectJSON struct {
	Name    *string        `json:"name" schema:"required,minLength=1,maxLength=100"`
	Classes []newClassJSON `json:"classes,omitempty" schema:"maxItems=255"`
	Rest    wire.Rest      `json:"rest,omitzero"`
}

// newClassJSON is a class of a new project.
type newClassJSON struct {
	Name  string `json:"name" schema:"minLength=1,maxLength=100"`
	Color string `json:"color,omitempty" schema:"pattern=^#[0-9a-fA-F]{6}$"`
}

// projectEditJSON is the request to edit a project.
type projectEditJSON struct {
	Name     *string         `json:"name,omitempty" schema:"minLength=1,maxLength=100"`
	Classes  []classEditJSON `json:"classes,omitempty" doc:"the complete list in its new order. An entry with an id is that class, an entry without one is a new class, and classes not listed are deleted; the id of a deleted class restores it. If no entry has an id, entries are matched by position, and classes can only be renamed, recoloured and added" schema:"minItems=1,maxItems=255"`
	Base     []baseClassJSON `json:"base,omitempty" doc:"the list of classes, in order, that the edit is based on. If the project's list has changed since, the edit is refused with 409, with the current project in the answer. Absent names and colours are not compared; without a base nothing is" schema:"maxItems=255"`
	Learning *bool           `json:"learning,omitempty" doc:"whether the project makes first guesses with its model"`
	Remap    map[uint8]uint8 `json:"remap,omitempty" doc:"for deleted classes, by id: the id of the class that their labels become, or 255 for undecided. Required when labels use the class. Only with classes"`
	Rest     wire.Rest       `json:"rest,omitzero"`
}

// classEditJSON is an entry of a new list of classes. An entry with an id is an
// existing or a deleted class; it keeps its absent fields.
type classEditJSON struct {
	ID    *uint8 `json:"id,omitempty" schema:"max=254"`
	Name  string `json:"name,omitempty" doc:"required without an id" schema:"maxLength=100"`
	Color string `json:"color,omitempty" schema:"pattern=^#[0-9a-fA-F]{6}$"`
}

// baseClassJSON is an entry of the list that an edit is based on.
type baseClassJSON struct {
	ID    *uint8 `json:"id" schema:"required,max=254"`
	Name  string `json:"name,omitempty"`
	Color string `json:"color,omitempty"`
}

func (b *projectEditJSON) edit() (segment.ProjectEdit, error) {
	if b.Classes != nil && len(b.Classes) == 0 {
		return segment.ProjectEdit{}, problem.Invalid("The list \"classes\" is empty, and a project needs at least one class. Leave the field out to keep the classes. Nothing was changed.")
	}
	base, err := baseOf(b.Base)
	e := segment.ProjectEdit{Base: base, Remap: b.Remap, ByPosition: true, Rest: b.Rest.Value}
	if b.Learning != nil {
		off := !*b.Learning
		e.Unaided = &off
	}
	for _, c := range b.Classes {
		entry := segment.ClassEdit{Class: segment.Class{Name: c.Name, Color: c.Color}, New: c.ID == nil}
		if c.ID != nil {
			entry.ID, e.ByPosition = *c.ID, false
		}
		e.Classes = append(e.Classes, entry)
	}
	return e, err
}

// baseOf returns the list of classes that an edit is based on.
func baseOf(list []baseClassJSON) ([]segment.Class, error) {
	var base []segment.Class
	for _, c := range list {
		if c.ID == nil {
			return nil, problem.Invalid("An entry of \"base\" has no id; send the list of classes as you read it from the project. Nothing was changed.")
		}
		base = append(base, segment.Class{ID: *c.ID, Name: c.Name, Color: c.Color})
	}
	return base, nil
}

// may checks, before the request's body is read, that the project in the URL exists
// and the user can do a in it.
func (s *Server) may(r *http.Request, a access.Action) error {
	id := chi.URLParam(r, "id")
	if err := s.workspace.MayIn(r.Context(), id, a); err != nil {
		return err
	}
	_, err := s.workspace.Project(r.Context(), id)
	return err
}

func (s *Server) createProject(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.May(r.Context(), access.Administer); err != nil {
		return err // before anything is read
	}
	var body newProjectJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	if body.Name == nil {
		return problem.Invalid("The field \"name\" is missing: a project needs a name. Nothing was changed.")
	}
	classes := make([]segment.Class, len(body.Classes))
	for i, c := range body.Classes {
		classes[i] = segment.Class{Name: c.Name, Color: c.Color}
	}
	p, err := s.workspace.CreateProject(r.Context(), *body.Name, classes, body.Rest.Value)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/projects/"+p.ID)
	return s.answers.JSON(w, http.StatusCreated, projectOut(p, access.Admin))
}

func (s *Server) listProjects(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.workspace.Projects(r.Context())
	if err != nil {
		return err
	}
	roles, err := s.workspace.Roles(r.Context())
	if err != nil {
		return err
	}
	out := make([]wire.Project, len(projects))
	for i, p := range projects {
		out[i] = projectOut(p, roles.In(p.ID))
	}
	return s.answers.JSON(w, http.StatusOK, out)
}

func (s *Server) getProject(w http.ResponseWriter, r *http.Request) error {
	p, err := s.workspace.Project(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	return s.sendProject(w, r, p)
}

func (s *Server) editProject(w http.ResponseWriter, r *http.Request) error {
	if err := s.may(r, access.Manage); err != nil {
		return err
	}
	var body projectEditJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	edit, err := body.edit()
	if err != nil {
		return err
	}
	if body.Name != nil {
		if edit.Name, err = segment.CleanName("project name", *body.Name); err != nil {
			return segment.NothingChanged(err)
		}
	}
	p, err := s.workspace.EditProject(r.Context(), chi.URLParam(r, "id"), edit)
	if err != nil {
		return err
	}
	return s.sendProject(w, r, p)
}

// restoreClass restores a deleted class.
func (s *Server) restoreClass(w http.ResponseWriter, r *http.Request) error {
	id, err := strconv.ParseUint(chi.URLParam(r, "class"), 10, 8)
	if err != nil {
		return segment.Errorf(segment.NotFound, "This class doesn't exist.")
	}
	p, err := s.workspace.RestoreClass(r.Context(), chi.URLParam(r, "id"), uint8(id))
	if err != nil {
		return err
	}
	return s.sendProject(w, r, p)
}

// projectOut is a project as a user with a role in it sees it.
func projectOut(p segment.Project, role access.Role) wire.Project {
	out := wire.ProjectOf(p)
	out.Role = role.String()
	return out
}

// sendProject answers with a project.
func (s *Server) sendProject(w http.ResponseWriter, r *http.Request, p segment.Project) error {
	role, err := s.workspace.RoleIn(r.Context(), p.ID)
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, projectOut(p, role))
}

// sampleJSON is the sample project with its image.
type sampleJSON struct {
	wire.Project
	Images []wire.Image `json:"images"`
}

// createSample makes a project with the sample photograph in it, or none.
func (s *Server) createSample(w http.ResponseWriter, r *http.Request) error {
	p, err := s.workspace.CreateProject(r.Context(), sample.Project, sample.Classes, &segment.Rest{}) // its classes cover all of it
	if err != nil {
		return err
	}
	im, err := s.workspace.AddImage(r.Context(), p.ID, sample.Name, bytes.NewReader(sample.Photograph))
	if err != nil {
		return errors.Join(err, s.workspace.DiscardProject(context.WithoutCancel(r.Context()), p.ID))
	}
	w.Header().Set("Location", "/api/v1/projects/"+p.ID)
	return s.answers.JSON(w, http.StatusCreated, sampleJSON{projectOut(p, access.Admin), []wire.Image{wire.ImageOf(im.Image)}})
}
