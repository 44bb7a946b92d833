package web

import (
	"bytes"
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment/labelset"
)

// labelSetTypes are the media types of label sets.
var labelSetTypes = map[labelset.Format]string{
	labelset.Text: "text/plain; charset=utf-8", labelset.VOC: "text/plain; charset=utf-8", labelset.JSON: "application/json",
}

// getClasses sends a project's classes as a label set.
func (s *Server) getClasses(w http.ResponseWriter, r *http.Request) error {
	format, err := labelSetFormat(r)
	if err != nil {
		return err
	}
	p, err := s.workspace.Project(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := labelset.Write(&b, format, p.Classes); err != nil {
		return err
	}
	name := map[labelset.Format]string{labelset.Text: "classes.txt", labelset.VOC: "labelmap.txt", labelset.JSON: "classes.json"}[format]
	w.Header().Set("Content-Disposition", attachment(name))
	w.Header().Set("Content-Type", labelSetTypes[format])
	_, err = w.Write(b.Bytes())
	if err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
	return nil
}

// putClasses makes a label set the project's list of classes. Classes are
// matched by name; those that the set has not are deleted, which labels that
// use them prevent.
func (s *Server) putClasses(w http.ResponseWriter, r *http.Request) error {
	format, err := labelSetFormat(r)
	if err != nil {
		return err
	}
	classes, err := labelset.Read(r.Body, format)
	if err != nil {
		return err
	}
	p, err := s.workspace.ReplaceClasses(r.Context(), chi.URLParam(r, "id"), classes)
	if err != nil {
		return err
	}
	return s.sendJSON(w, http.StatusOK, projectOut(p))
}

func labelSetFormat(r *http.Request) (labelset.Format, error) {
	format, err := queryWord(r, "format", string(labelset.JSON), string(labelset.Text), string(labelset.VOC))
	return labelset.Format(format), err
}
