package web

import (
	"bytes"
	"io"
	"mime"
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/labelset"
	"collie/web/answers"
	"collie/web/openapi"
	"collie/web/query"
	"collie/web/wire"
)

// labelSetTypes are the media types of label sets.
var labelSetTypes = map[labelset.Format]string{
	labelset.Text: "text/plain; charset=utf-8", labelset.VOC: "text/plain; charset=utf-8", labelset.JSON: "application/json",
}

// labelJSON is a class in a label set.
type labelJSON struct {
	Name  string `json:"name"`
	Color string `json:"color,omitempty"`
}

// labelSetForm is a label set with the list of classes that it replaces.
type labelSetForm struct {
	File openapi.File `json:"file"`
	Base string       `json:"base,omitempty" doc:"as in ProjectEdit" schema:"media=application/json"`
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
	w.Header().Set("Content-Disposition", answers.Attachment(name))
	s.answers.Bytes(w, http.StatusOK, labelSetTypes[format], b.Bytes())
	return nil
}

// putClasses replaces the project's classes with a label set. Classes are
// matched by name; those missing from the set are deleted. Labels that use a
// deleted class, or a base that is not the current list, prevent the change.
func (s *Server) putClasses(w http.ResponseWriter, r *http.Request) error {
	format, err := labelSetFormat(r)
	if err != nil {
		return err
	}
	if err := s.may(r, access.Manage); err != nil {
		return err
	}
	set, base, err := s.labelSetOf(r)
	if err != nil {
		return err
	}
	classes, err := labelset.Read(set, format)
	if err != nil {
		return err
	}
	p, err := s.workspace.ReplaceClasses(r.Context(), chi.URLParam(r, "id"), classes, base)
	if err != nil {
		return err
	}
	return s.sendProject(w, r, p)
}

// labelSetOf returns the label set in the body of r. In a form, the part file
// is the set and the part base is the list that the set replaces, as in an edit
// of the project.
func (s *Server) labelSetOf(r *http.Request) (set io.Reader, base []segment.Class, err error) {
	body, err := s.readBody(r) // slow clients hold no memory
	if err != nil {
		return nil, nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "multipart/form-data" {
		return r.Body, nil, nil
	}
	parts, err := formParts(r, nothingChanged)
	if err != nil {
		return nil, nil, err
	}
	for part, err := range parts {
		if err != nil {
			return nil, nil, err
		}
		content, err := io.ReadAll(io.LimitReader(part, labelset.MaxBytes+1))
		if err != nil {
			return nil, nil, brokenUpload(err, nothingChanged)
		}
		switch part.FormName() {
		case "file":
			set = bytes.NewReader(content)
		case "base":
			var list []baseClassJSON
			if err := wire.DecodeField("base", content, &list); err != nil {
				return nil, nil, err
			}
			if base, err = baseOf(list); err != nil {
				return nil, nil, err
			}
		}
	}
	if set == nil {
		return nil, nil, noFile()
	}
	return set, base, nil
}

var labelSetQuery = query.Word{
	Name:  "format",
	Words: []string{string(labelset.JSON), string(labelset.Text), string(labelset.VOC)},
	Doc:   "json: a list of names or of {name, color}; txt: a name per line, a colour #rrggbb may follow; voc: lines name:R,G,B:parts:actions, as in labelmap.txt",
}

func labelSetFormat(r *http.Request) (labelset.Format, error) {
	format, err := labelSetQuery.Of(r)
	return labelset.Format(format), err
}
