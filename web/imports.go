package web

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
	"collie/segment/importer"
	"collie/web/scratch"
)

// importJSON is the result of an import.
type importJSON struct {
	ClassesAdded []string            `json:"classes_added"`
	Images       []importedImageJSON `json:"images"`
}

// importedImageJSON is the result for one mask.
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

// importMasks imports the file parts of a multipart body into a project. Each
// part is a separate data set: a zip archive, a palette PNG, a COCO or labelme
// JSON, or a .npz with scores.
func (s *Server) importMasks(w http.ResponseWriter, r *http.Request) error {
	project := chi.URLParam(r, "id")
	if err := s.workspace.MayIn(r.Context(), project, access.Annotate); err != nil {
		return err // before anything is read
	}
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
	s.record(r, audit.MasksImported, project, fmt.Sprintf("%d masks", len(out.Images)))
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

// importBackup creates a project from each backup.
func (s *Server) importBackup(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.May(r.Context(), access.Administer); err != nil {
		return err // before anything is read
	}
	var results []any // projectJSON or failedFileJSON, in the order of the files
	var failed uploadError
	err := s.eachKept(r, func(ctx context.Context, name string, file io.ReaderAt, size int64) error {
		p, err := importer.Backup(ctx, s.workspace, file, size, s.limits.Zip)
		if err == nil {
			results = append(results, projectOut(p, access.Admin))
			return nil
		}
		results = append(results, failed.add(name, err))
		return ctx.Err()
	})
	switch {
	case err != nil && len(results) == 0:
		return err
	case err != nil:
		results = append(results, failed.add("", err))
	case len(failed.files) == len(results):
		return &failed
	}
	return s.sendJSON(w, http.StatusCreated, results)
}

// eachKept receives all file parts of a multipart body and then calls do with
// each. The first error ends it. It reads the whole body first because net/http
// cancels the request's context for a client that leaves only after that.
func (s *Server) eachKept(r *http.Request, do func(ctx context.Context, name string, file io.ReaderAt, size int64) error) error {
	kept, err := s.scratch.Open(r.Context())
	if err != nil {
		return err
	}
	defer kept.Close()
	files, err := s.receiveAll(r, kept)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := do(r.Context(), f.name, io.NewSectionReader(kept, f.at, f.size), f.size); err != nil {
			return err
		}
	}
	return nil
}

// keptFile is one of the files within a scratch file.
type keptFile struct {
	name     string
	at, size int64
}

// receiveAll copies the file parts of a multipart body into one file, one after
// the other.
func (s *Server) receiveAll(r *http.Request, into *scratch.File) ([]keptFile, error) {
	parts, err := fileParts(r)
	if err != nil {
		return nil, err
	}
	var files []keptFile
	var at int64
	for part, err := range parts {
		if err != nil {
			return nil, err
		}
		if len(files) == s.limits.Files {
			return nil, invalid("One upload can hold at most %d files. Nothing was imported; send them in several uploads.", s.limits.Files)
		}
		limit := s.limits.Zip.Bytes
		size, err := into.Keep(&watchedReader{r: part}, limit)
		if err != nil {
			return nil, err
		}
		if size > limit {
			return nil, segment.Errorf(segment.TooLarge, "The file is larger than %s, which is the limit. Split it.", bytesText(limit))
		}
		files = append(files, keptFile{part.FileName(), at, size})
		at += size
	}
	if len(files) == 0 {
		return nil, noFile()
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, brokenUpload(err)
	}
	return files, nil
}
