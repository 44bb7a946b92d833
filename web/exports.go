package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
	"collie/segment/export"
	"collie/templates"
	"collie/web/answers"
	"collie/web/openapi"
	"collie/web/problem"
	"collie/web/wire"
)

// exportBody is the request to start an export.
type exportBody struct {
	Format  string         `json:"format" schema:"enum=index-png|colour-png|voc|coco|coco-panoptic|yolo|labelme|cvat|datumaro|cityscapes|label-images|numpy|hypotheses|backup"`
	Options export.Options `json:"options" doc:"absent options have their defaults; unknown ones are refused" schema:"optional"`
}

// startedJSON answers the start of an export.
type startedJSON struct {
	ID string `json:"id"`
}

// startExport begins an export in the background.
func (s *Server) startExport(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.workspace.Project(r.Context(), chi.URLParam(r, "id")); err != nil {
		return err // before anything is read
	}
	b, err := s.readBody(r)
	if err != nil {
		return err
	}
	var body exportBody
	if err := wire.Decode(b, &body); err != nil {
		return err
	}
	var given struct{ Options json.RawMessage }
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	if err := onlyKnown("options", given.Options, openapi.NewSchemas(nil).Of(body.Options)); err != nil {
		return err
	}
	if body.Format == "" {
		return problem.Invalid("The field \"format\" is missing, for example \"coco\".")
	}
	if err := s.scratch.Room(); err != nil {
		return err
	}
	id, err := s.exports.Start(r.Context(), chi.URLParam(r, "id"), body.Format, body.Options)
	if err != nil {
		return err
	}
	s.record(r, audit.ExportStarted, chi.URLParam(r, "id"), body.Format+" "+id)
	w.Header().Set("Location", "/api/v1/exports/"+id)
	return s.answers.JSON(w, http.StatusAccepted, startedJSON{id})
}

// onlyKnown refuses fields that a schema doesn't have, at any depth. Unlike elsewhere they
// are not ignored: a misspelt option would export something else than was asked for.
func onlyKnown(name string, given json.RawMessage, schema openapi.Schema) error {
	known, _ := schema["properties"].(map[string]openapi.Schema)
	var fields map[string]json.RawMessage
	if known == nil || json.Unmarshal(given, &fields) != nil {
		return nil
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if _, ok := known[field]; !ok {
			return problem.Invalid("The field %q has no %.40q; it can have %s. Nothing was started.", name, field, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if err := onlyKnown(name+"."+field, fields[field], known[field]); err != nil {
			return err
		}
	}
	return nil
}

// getExport reports the status of an export.
func (s *Server) getExport(w http.ResponseWriter, r *http.Request) error {
	status, err := s.exports.Status(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	return s.answers.JSON(w, http.StatusOK, status)
}

// cancelExport ends an export and removes its file.
func (s *Server) cancelExport(w http.ResponseWriter, r *http.Request) error {
	id := chi.URLParam(r, "id")
	status, err := s.exports.Status(r.Context(), id)
	if err != nil {
		return err
	}
	if err := s.exports.Cancel(r.Context(), id); err != nil {
		return err
	}
	s.record(r, audit.ExportCancelled, status.Project, status.Format+" "+id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// getExportFile sends the archive of a finished export and supports ranges.
func (s *Server) getExportFile(w http.ResponseWriter, r *http.Request) error {
	status, file, err := s.exports.Open(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", answers.Attachment(status.Report.Project.Name+"-"+status.Format+".zip"))
	w.Header().Set("ETag", `"`+status.ID+`"`)
	out := &noted{w, func() {
		if r.Method == http.MethodGet && s.beginsFetching(r, status.ID) {
			s.record(r, audit.ExportFetched, status.Project, status.Format+" "+status.ID)
		}
	}}
	return s.answers.Content(out, r, status.Created, file)
}

// noted calls note before a file or a part of it is sent, and not for answers such as 304.
type noted struct {
	http.ResponseWriter
	note func()
}

func (w *noted) WriteHeader(status int) {
	if status == http.StatusOK || status == http.StatusPartialContent {
		w.note()
	}
	w.ResponseWriter.WriteHeader(status)
}

// beginsFetching reports whether a request for an export's file is the first of a
// download, which can be of any part, and not one of the parts that follow.
func (s *Server) beginsFetching(r *http.Request, id string) bool {
	who, _ := access.From(r.Context())
	latest, _ := s.fetched.Swap(who.User+" "+who.Token, id)
	part := r.Header.Get("Range")
	return latest != id || part == "" || strings.HasPrefix(part, "bytes=0-")
}

// exportView is what the export dialog offers.
func exportView(p segment.Project, images int) templates.ExportView {
	v := templates.ExportView{ProjectID: p.ID, Images: images}
	for _, f := range export.Formats() {
		defaults, err := f.Resolve(export.Options{}, p.Classes)
		if err != nil {
			panic(err) // the defaults are valid
		}
		v.Formats = append(v.Formats, templates.ExportFormat{
			Name: f.Name, Title: f.Title, Summary: f.Summary, Uses: strings.Join(f.Uses, " "),
			Shapes: defaults.Shapes, Pictures: *defaults.Pictures, Background: *defaults.Background,
		})
	}
	return v
}
