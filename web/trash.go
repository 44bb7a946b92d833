package web

import (
	"math"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/templates"
	"collie/web/problem"
	"collie/web/query"
	"collie/web/wire"
)

var emptyQuery = query.Word{Name: "empty", Words: []string{"trash", "remove"}, Doc: "what becomes of a project without images, even in the trash; remove: it is gone at once"}

func (s *Server) trashProject(w http.ResponseWriter, r *http.Request) error {
	empty, err := emptyQuery.Of(r)
	if err != nil {
		return err
	}
	trash := s.workspace.TrashProject
	if empty == "remove" {
		trash = s.workspace.DiscardProject
	}
	if err := trash(r.Context(), chi.URLParam(r, "id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) trashImage(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.TrashImage(r.Context(), chi.URLParam(r, "id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// trashedJSON is the request to move images to the trash or out of it.
type trashedJSON struct {
	Images  []string `json:"images" doc:"identifiers of images of the project" schema:"maxItems=10000"`
	Trashed *bool    `json:"trashed,omitempty" doc:"true to move them to the trash, false to restore them" schema:"required"`
}

// trashImages moves images of a project to the trash or out of it.
func (s *Server) trashImages(w http.ResponseWriter, r *http.Request) error {
	project := chi.URLParam(r, "id")
	if err := s.workspace.MayIn(r.Context(), project, access.Manage); err != nil {
		return err // before anything is read
	}
	var body trashedJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	if body.Images == nil || body.Trashed == nil {
		return problem.Invalid("The fields \"images\" and \"trashed\" are needed: true moves the images to the trash, false restores them. Nothing was changed.")
	}
	move := s.workspace.RestoreImages
	if *body.Trashed {
		move = s.workspace.TrashImages
	}
	if err := move(r.Context(), project, body.Images); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) listTrash(w http.ResponseWriter, r *http.Request) error {
	items, err := s.workspace.Trash(r.Context())
	if err != nil {
		return err
	}
	out := make([]wire.TrashItem, len(items))
	for i, item := range items {
		out[i] = wire.TrashItemOf(item)
	}
	return s.answers.JSON(w, http.StatusOK, out)
}

func (s *Server) restore(w http.ResponseWriter, r *http.Request) error {
	item, err := s.workspace.Restore(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, wire.TrashItemOf(item))
}

func (s *Server) trashPage(w http.ResponseWriter, r *http.Request) error {
	items, err := s.workspace.Trash(r.Context())
	if err != nil {
		return err
	}
	v := templates.TrashView{Days: segment.TrashDays}
	for _, item := range items {
		v.Items = append(v.Items, templates.TrashRow{
			Kind: string(item.Kind), ID: item.ID, Name: item.Name, Project: item.ProjectName, ProjectID: item.ProjectID, Images: item.Images,
			Until: item.Until(), Days: max(0, int(math.Ceil(time.Until(item.Until()).Hours()/24))),
		})
	}
	s.answers.HTML(w, r, http.StatusOK, templates.Trash(v))
	return nil
}
