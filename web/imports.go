package web

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment/access"
	"collie/segment/importer"
	"collie/web/wire"
)

// importJSON says what became of imported files.
type importJSON struct {
	ClassesAdded []string            `json:"classes_added"`
	Images       []importedImageJSON `json:"images"`
}

// importedImageJSON says what became of one mask.
type importedImageJSON struct {
	Mask    string   `json:"mask" doc:"name in the data set"`
	Image   string   `json:"image,omitempty" doc:"id of the image; absent if no image was found"`
	Added   bool     `json:"added,omitempty" doc:"the image came with the data set"`
	Seq     int      `json:"seq,omitempty" doc:"number of evidence events after the import"`
	Regions int      `json:"regions,omitempty" doc:"shapes or annotations that the file has for the image"`
	Decided int      `json:"decided,omitempty" doc:"pixels with a class"`
	Lossy   []string `json:"lossy,omitempty" doc:"what the labelling can't hold"`
	Problem string   `json:"problem,omitempty" doc:"why nothing was imported for the image"`
}

var uncoveredQuery = wordQuery{"uncovered", []string{"background", "undecided"}, "what pixels outside every shape become"}

// importMasks puts the masks in the file parts of a multipart body into a
// project, each part a data set of its own: a zip archive, a palette PNG, a COCO
// or labelme JSON, or a .npz of scores.
func (s *Server) importMasks(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.May(r.Context(), access.Annotate); err != nil {
		return err // before anything is read
	}
	project := chi.URLParam(r, "id")
	if _, err := s.workspace.Project(r.Context(), project); err != nil {
		return err
	}
	uncovered, err := uncoveredQuery.of(r)
	if err != nil {
		return err
	}
	options := importer.Options{Undecided: uncovered == "undecided"}
	out := importJSON{ClassesAdded: []string{}, Images: []importedImageJSON{}}
	err = s.eachKept(r, func(ctx context.Context, name string, file io.ReaderAt, size int64) error {
		files, err := importer.FromFile(name, file, size, s.limits.Zip)
		if err != nil {
			return err
		}
		report, err := importer.Import(ctx, s.workspace, project, files, options, nil)
		out.add(report)
		return err
	})
	if err != nil && len(out.Images) == 0 {
		return err
	}
	if err != nil {
		out.Images = append(out.Images, importedImageJSON{Problem: problemOf(err).Detail})
	}
	return s.sendJSON(w, http.StatusOK, out)
}

func (out *importJSON) add(report importer.Report) {
	out.ClassesAdded = append(out.ClassesAdded, report.Classes...)
	for _, im := range report.Images {
		out.Images = append(out.Images, importedImageJSON(im))
	}
}

// importBackup makes a new project of a backup.
func (s *Server) importBackup(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.May(r.Context(), access.Manage); err != nil {
		return err // before anything is read
	}
	var made []wire.Project
	err := s.eachKept(r, func(ctx context.Context, name string, file io.ReaderAt, size int64) error {
		p, err := importer.Backup(ctx, s.workspace, file, size, s.limits.Zip)
		if err == nil {
			made = append(made, wire.ProjectOf(p))
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.sendJSON(w, http.StatusCreated, made)
}

// eachKept copies each file part of a multipart body into a scratch file and
// calls do with it. The first error ends it.
func (s *Server) eachKept(r *http.Request, do func(ctx context.Context, name string, file io.ReaderAt, size int64) error) error {
	parts, err := fileParts(r)
	if err != nil {
		return err
	}
	count := 0
	for part, err := range parts {
		if err != nil {
			return err
		}
		if count++; count > s.limits.Files {
			return invalid("One upload can hold up to %d files; this one and those after it were not read.", s.limits.Files)
		}
		if err := s.kept(r.Context(), part, do); err != nil {
			return err
		}
	}
	if count == 0 {
		return noFile()
	}
	return nil
}

// kept calls do with one part in a scratch file, of which there are few at once.
func (s *Server) kept(ctx context.Context, part *multipart.Part, do func(ctx context.Context, name string, file io.ReaderAt, size int64) error) error {
	leave, err := s.enterZip()
	if err != nil {
		return err
	}
	defer leave()
	file, size, err := s.keep(&watchedReader{r: part})
	if err != nil {
		return err
	}
	defer s.discard(file)
	return do(ctx, part.FileName(), file, size)
}
