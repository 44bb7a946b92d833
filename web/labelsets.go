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

// labelSetForm is a label set with the list of classes that it replaces, and those
// of them that it has under other names.
type labelSetForm struct {
	File    openapi.File `json:"file"`
	Base    string       `json:"base,omitempty" doc:"as in ProjectEdit" schema:"media=application/json"`
	Renamed string       `json:"renamed,omitempty" doc:"by id: the names that classes have in the set if they are to be renamed" schema:"media=application/json"`
}

// labelSetChange is a label set in a request.
type labelSetChange struct {
	set     io.Reader
	base    []segment.Class
	renamed map[uint8]string
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
	change, err := s.labelSetOf(r)
	if err != nil {
		return err
	}
	classes, err := labelset.Read(change.set, format)
	if err != nil {
		return err
	}
	p, err := s.workspace.ReplaceClasses(r.Context(), chi.URLParam(r, "id"), classes, change.renamed, change.base)
	if err != nil {
		return err
	}
	return s.sendProject(w, r, p)
}

// labelSetOf returns the label set in the body of r. In a form, the part file
// is the set, the part base the list that the set replaces, as in an edit of the
// project, and the part renamed what it calls classes of that list.
func (s *Server) labelSetOf(r *http.Request) (change labelSetChange, err error) {
	body, err := s.readBody(r) // slow clients hold no memory
	if err != nil {
		return change, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "multipart/form-data" {
		change.set = r.Body
		return change, nil
	}
	parts, err := formParts(r, nothingChanged)
	if err != nil {
		return change, err
	}
	for part, err := range parts {
		if err != nil {
			return change, err
		}
		content, err := io.ReadAll(io.LimitReader(part, labelset.MaxBytes+1))
		if err != nil {
			return change, brokenUpload(err, nothingChanged)
		}
		switch part.FormName() {
		case "file":
			change.set = bytes.NewReader(content)
		case "base":
			var list []baseClassJSON
			if err := wire.DecodeField("base", content, &list); err != nil {
				return change, err
			}
			if change.base, err = baseOf(list); err != nil {
				return change, err
			}
		case "renamed":
			if err := wire.DecodeField("renamed", content, &change.renamed); err != nil {
				return change, err
			}
		}
	}
	if change.set == nil {
		return change, noFile()
	}
	return change, nil
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
