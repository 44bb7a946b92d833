package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment/access"
)

// failedFileJSON says why one file of an upload was not kept.
type failedFileJSON struct {
	Name    string  `json:"name"`
	Status  string  `json:"status" schema:"const=failed"`
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

// upload is a multipart body whose files are being added to a project, one
// after the other.
type upload struct {
	*Server
	project string
	results []any // imageJSON or failedFileJSON, in the order of the files
	failed  uploadError
}

// uploadImages adds the file parts of a multipart body as they arrive, and in
// the place of a zip archive the files in it. The good ones are kept whatever
// becomes of the others.
func (s *Server) uploadImages(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.May(r.Context(), access.Annotate); err != nil {
		return err // before anything is read
	}
	u := &upload{Server: s, project: chi.URLParam(r, "id")}
	if _, err := s.workspace.Project(r.Context(), u.project); err != nil {
		return err
	}
	parts, err := fileParts(r)
	if err != nil {
		return err
	}
	for part, err := range parts {
		if err != nil {
			u.fail("", err)
		} else if !u.addPart(r.Context(), part) {
			break
		}
	}
	switch len(u.results) {
	case 0:
		return noFile()
	case len(u.failed.files):
		return &u.failed
	}
	for _, f := range u.failed.files {
		s.log.Info("file not kept", "status", f.Problem.Status)
	}
	return s.sendJSON(w, http.StatusCreated, u.results)
}

// addPart adds a part of the body and reports whether another may follow.
func (u *upload) addPart(ctx context.Context, part *multipart.Part) (more bool) {
	file := &watchedReader{r: part}
	content := bufio.NewReader(file)
	add := u.add
	if start, err := content.Peek(4); err == nil && isZip(start) {
		add = u.addZip
	}
	return add(ctx, part.FileName(), content) && file.err == nil
}

// add adds one file and reports whether another can follow.
func (u *upload) add(ctx context.Context, name string, file io.Reader) (more bool) {
	if u.full(name) {
		return false
	}
	im, err := u.workspace.AddImage(ctx, u.project, name, file)
	if err != nil {
		u.fail(name, err)
		return ctx.Err() == nil // which net/http also ends when the body breaks off
	}
	u.results = append(u.results, imageOut(im))
	return true
}

// full reports, to the client too, that the upload can hold no other file.
func (u *upload) full(name string) bool {
	if len(u.results) < u.limits.Files {
		return false
	}
	u.fail(name, invalid("One upload can hold up to %d files, those in zip archives counted; this one and those after it were not read. Send them in another upload.", u.limits.Files))
	return true
}

// fail notes a file that was not kept, which is what the client is told of it.
func (u *upload) fail(name string, err error) {
	if u.failed.first == nil {
		u.failed.first = err
	}
	f := failedFileJSON{Name: name, Status: "failed", Problem: problemOf(err)}
	u.failed.files = append(u.failed.files, f)
	u.results = append(u.results, f)
}

// fileParts opens a multipart/form-data body and returns its parts with files. An
// error comes last: the rest of the body can't be read.
func fileParts(r *http.Request) (iter.Seq2[*multipart.Part, error], error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, &requestError{http.StatusUnsupportedMediaType, "Images are uploaded as multipart/form-data with one or more parts named \"file\"."}
	}
	body := multipart.NewReader(r.Body, params["boundary"])
	return func(yield func(*multipart.Part, error) bool) {
		for {
			part, err := body.NextPart()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, brokenUpload(err))
				return
			case part.FormName() == "file" && !yield(part, nil):
				return
			}
		}
	}, nil
}

// noFile says that a multipart body has no part with a file.
func noFile() error {
	return invalid("The upload holds no file. Send one or more files in parts named \"file\".")
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

// watchedReader says of a body that breaks off what people should know, and
// remembers it, because no other part can follow.
type watchedReader struct {
	r   io.Reader
	err error
}

func (w *watchedReader) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = brokenUpload(err)
		return n, w.err
	}
	return n, err
}
