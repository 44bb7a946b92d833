package web

import (
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/sample"
	"collie/templates"
	"collie/web/wire"
)

func (s *Server) startPage(w http.ResponseWriter, r *http.Request) error {
	projects, err := s.workspace.Overviews(r.Context())
	if err != nil {
		return err
	}
	roles, err := s.workspace.Roles(r.Context())
	if err != nil {
		return err
	}
	var v templates.StartView
	person := s.people.Person(r)
	person.MayManage = roles.May(access.Manage) // also when all that is theirs is in the trash
	for _, p := range projects {
		card := templates.ProjectCard{ID: p.ID, Name: p.Name, Images: p.Images, Done: p.Done, Own: p.Own, MayManage: roles.In(p.ID).May(access.Manage)}
		for _, c := range p.Classes {
			card.Colors = append(card.Colors, c.Color)
		}
		if p.Cover != "" {
			card.Cover = imageURL(p.Cover, "thumbnail")
		}
		if v.Sample == "" && p.Name == sample.Project && p.Cover != "" {
			if im, err := s.workspace.Image(r.Context(), p.Cover); err == nil && im.Name == sample.Name {
				v.Sample = "/images/" + im.ID
			}
		}
		v.Projects = append(v.Projects, card)
	}
	s.answers.HTML(w, r.WithContext(templates.With(r.Context(), person)), http.StatusOK, templates.Start(v))
	return nil
}

func (s *Server) projectPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.workspace.Project(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	images, err := s.workspace.CountImages(r.Context(), p.ID)
	if err != nil {
		return err
	}
	v := templates.ProjectView{ID: p.ID, Name: p.Name, Classes: classViews(p), Rest: restView(p), Images: images, Export: exportView(p, images)}
	if v.Users, err = s.people.Names(r.Context()); err != nil {
		return err
	}
	if r, err = s.people.InProject(r, p.ID); err != nil {
		return err
	}
	s.answers.HTML(w, r, http.StatusOK, templates.Project(v))
	return nil
}

func (s *Server) annotatePage(w http.ResponseWriter, r *http.Request) error {
	im, err := s.image(r)
	if err != nil {
		return err
	}
	if _, err := s.workspace.Learner().Guess(r.Context(), im.ID); err != nil {
		s.log.Debug("no guess", "image", im.ID, "error", err) // the page works without one
	}
	p, err := s.workspace.Project(r.Context(), im.ProjectID)
	if err != nil {
		return err
	}
	place, err := s.workspace.Place(r.Context(), im.ID)
	if err != nil {
		return err
	}
	v := templates.AnnotateView{
		Image: imageCard(im), ProjectID: p.ID, ProjectName: p.Name, Classes: classViews(p), Palette: segment.Palette(), Rest: restView(p), Learning: !p.Unaided,
		Position: place.Position, Total: place.Total, Previous: place.Previous, Next: place.Next, Regions: im.Regions, Assignee: im.Assignee,
		DisplayURL: imageURL(im.ID, "display"), SuperpixelsURL: imageURL(im.ID, "superpixels.bin"), SocketPath: imageURL(im.ID, "socket"),
	}
	if im.Review.Status == segment.Rejected {
		v.Rejected = templates.Rejection{By: im.Review.By, Comment: im.Review.Comment}
	}
	v.Export = exportView(p, place.Total)
	v.Export.ImageID, v.Export.Size = im.ID, fmt.Sprintf("%d × %d", im.Width, im.Height)
	if r, err = s.people.InProject(r, p.ID); err != nil {
		return err
	}
	// The picture doesn't wait until the page's module has arrived and asks for it.
	w.Header().Set("Link", fmt.Sprintf("<%s>; rel=preload; as=fetch; crossorigin, <%s?of=whole>; rel=preload; as=fetch; crossorigin", v.DisplayURL, v.SuperpixelsURL))
	s.answers.HTML(w, r, http.StatusOK, templates.Annotate(v))
	return nil
}

func imageURL(id, part string) string { return "/api/v1/images/" + id + "/" + part }

func imageCard(im segment.Image) templates.ImageCard {
	return templates.ImageCard{
		ID: im.ID, Name: im.Name, Status: im.Status(), Width: im.Width, Height: im.Height,
		Decided: im.Decided, Thumbnail: imageURL(im.ID, "thumbnail"),
	}
}

func classViews(p segment.Project) []templates.Class {
	out := make([]templates.Class, len(p.Classes))
	for i, c := range p.Classes {
		out[i] = templates.Class{ID: int(c.ID), Index: i, Name: c.Name, Color: c.Color}
	}
	return out
}

// restView is the project's rest for the page.
func restView(p segment.Project) string {
	b, err := wire.RestOf(&p).MarshalJSON()
	if err != nil {
		panic(err) // a number or a word
	}
	return string(b)
}
