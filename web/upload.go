package web

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// maxFiles is how many files one upload can hold.
const maxFiles = 2000

// failedFileJSON says why one file of an upload was not kept.
type failedFileJSON struct {
	Name    string  `json:"name"`
	Status  string  `json:"status"` // "failed"
	Problem problem `json:"problem"`
}

// uploadError is an upload of which no file could be kept.
type uploadError struct {
	first error
	files []failedFileJSON
}

func (e *uploadError) Error() string {
	return fmt.Sprintf("no file of the upload was kept: %v", e.first)
}

func (e *uploadError) Unwrap() error { return e.first }

// uploadImages adds the file parts of a multipart body one after the other, as
// they arrive. The good ones are kept whatever becomes of the others.
func (s *Server) uploadImages(w http.ResponseWriter, r *http.Request) error {
	project := chi.URLParam(r, "id")
	if _, err := s.workspace.Project(r.Context(), project); err != nil {
		return err
	}
	parts, err := fileParts(r)
	if err != nil {
		return err
	}
	results := []any{} // imageJSON or failedFileJSON, in the order of the files
	var failed uploadError
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			err = brokenUpload(err)
			if len(results) == 0 {
				return err
			}
			results = append(results, failed.add("", err))
			break
		}
		if part.FormName() != "file" {
			continue
		}
		if len(results) == maxFiles {
			results = append(results, failed.add(part.FileName(), invalid("One upload can hold up to %d files; this one and those after it were not read. Send them in another upload.", maxFiles)))
			break
		}
		file := &watchedReader{r: part}
		im, err := s.workspace.AddImage(r.Context(), project, part.FileName(), file)
		if r.Context().Err() != nil {
			return r.Context().Err()
		}
		if file.err != nil { // not the file's fault
			results = append(results, failed.add(part.FileName(), brokenUpload(file.err)))
			break
		}
		if err != nil {
			results = append(results, failed.add(part.FileName(), err))
			continue
		}
		results = append(results, imageOut(im))
	}
	switch len(results) {
	case 0:
		return invalid("The upload holds no file. Send one or more files in parts named \"file\".")
	case len(failed.files):
		return &failed
	}
	for _, f := range failed.files {
		s.log.Info("file not kept", "status", f.Problem.Status)
	}
	return s.sendJSON(w, http.StatusCreated, results)
}

// add notes a file that was not kept and returns what the client is told.
func (e *uploadError) add(name string, err error) failedFileJSON {
	if e.first == nil {
		e.first = err
	}
	f := failedFileJSON{Name: name, Status: "failed", Problem: problemOf(err)}
	e.files = append(e.files, f)
	return f
}

// fileParts opens a multipart/form-data body.
func fileParts(r *http.Request) (*multipart.Reader, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, &requestError{http.StatusUnsupportedMediaType, "Images are uploaded as multipart/form-data with one or more parts named \"file\"."}
	}
	return multipart.NewReader(r.Body, params["boundary"]), nil
}

// brokenUpload says why the rest of a multipart body can't be read.
func brokenUpload(err error) error {
	var tooLong *http.MaxBytesError
	var request *requestError
	if errors.As(err, &tooLong) || errors.As(err, &request) {
		return err
	}
	return badRequest("The upload broke off or is not multipart/form-data. Files before the break were kept.")
}

// watchedReader remembers why a reader ended before its end.
type watchedReader struct {
	r   io.Reader
	err error
}

func (w *watchedReader) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
