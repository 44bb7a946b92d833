package web

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/web/problem"
	"collie/web/wire"
)

// upload adds the files of a multipart body to a project, one after the other.
type upload struct {
	*Server
	project string
	skip    bool    // what the project has
	there   present // that, once a file by itself has needed it
	results []any   // wire.Image or problem.File, in the order of the files
	skipped int     // of these
	ended   bool    // the project can't be added to any more
	failed  problem.Upload
}

// uploadImages adds the file parts of a multipart body as they arrive; a zip
// archive counts as the files in it. Each good file is kept even if others
// fail.
func (s *Server) uploadImages(w http.ResponseWriter, r *http.Request) error {
	present, err := presentQuery.Of(r)
	if err != nil {
		return err
	}
	u := &upload{Server: s, project: chi.URLParam(r, "id"), skip: present == "skip"}
	if err := s.may(r, access.Annotate); err != nil {
		return err
	}
	parts, err := formParts(r, arrivedKept)
	if err != nil {
		return err
	}
	for part, err := range parts {
		if err != nil {
			u.fail("", err)
		} else if part.FormName() == "file" && !u.addPart(r.Context(), part) {
			break
		}
	}
	if kept := len(u.results) - u.skipped - len(u.failed.Files); kept > 0 {
		s.record(r, audit.ImagesUploaded, u.project, segment.Counted(kept, "image"))
	}
	switch len(u.results) {
	case 0:
		return noFile()
	case len(u.failed.Files):
		return &u.failed
	}
	for _, f := range u.failed.Files {
		s.log.Info("file not kept", "status", f.Problem.Status)
	}
	return s.answers.JSON(w, http.StatusCreated, u.results)
}

// addPart adds a part of the body and reports whether to go on.
func (u *upload) addPart(ctx context.Context, part *formPart) (more bool) {
	name := imageName(part)
	source := &watchedReader{r: part, after: arrivedKept}
	content := bufio.NewReader(source)
	start, _ := content.Peek(headBytes)
	if source.err != nil {
		u.fail(name, source.err) // it waits for no place, which net/http would end
		return false
	}
	switch zipped := isZip(start); {
	case !zipped && u.full(name):
		return false
	case zipped:
		u.hold(ctx, name, content, u.limits.Zip.Bytes, u.addZip)
	default:
		// Don't receive what isn't an image.
		if err := photo.Recognize(start); err != nil {
			u.fail(name, photo.Refusal(err))
			return true
		}
		u.hold(ctx, name, content, u.workspace.PhotoLimits().Bytes, u.addPicture)
	}
	return source.err == nil && !u.ended && ctx.Err() == nil // which net/http also cancels when the body breaks off
}

// headBytes are enough to recognize a file's type.
const headBytes = 512

// hold receives a file, up to one byte more than its limit, and calls do with
// it.
func (u *upload) hold(ctx context.Context, name string, content io.Reader, limit int64, do func(ctx context.Context, name string, file *os.File, size int64)) {
	file, err := u.scratch.Open(ctx)
	if err != nil {
		u.fail(name, err)
		return
	}
	defer file.Close()
	size, err := file.Keep(content, limit)
	if err != nil {
		u.fail(name, err)
		return
	}
	do(ctx, name, file.File, size)
}

// addPicture adds a file that came by itself, unless it is present.
func (u *upload) addPicture(ctx context.Context, name string, file *os.File, size int64) {
	if u.skip {
		if u.there == nil {
			var err error
			if u.there, err = u.imagesPresent(ctx, u.project); err != nil {
				u.fail(name, err)
				return
			}
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, size)), nil }
		if u.known(ctx, u.there, name, size, open) {
			return
		}
	}
	u.add(ctx, name, file)
}

// add adds one file.
func (u *upload) add(ctx context.Context, name string, file io.Reader) {
	var added workspace.Added
	err := u.scratch.Room() // before the image is computed
	if err == nil {
		added, err = u.workspace.AddImage(ctx, u.project, name, file)
	}
	if err != nil {
		u.fail(name, err)
		return
	}
	im := wire.ImageOf(added.Image)
	if added.Pictures > 1 {
		im.Pictures = added.Pictures
	}
	u.results = append(u.results, im)
}

// formPart is a part of a form. Browsers write a quotation mark in the name of a file as
// %22, which can be in a name, too, and package mime/multipart drops the folders; so our
// pages send such a name before the file, in a part of its own.
type formPart struct {
	*multipart.Part
	trueName string // of the file; empty if it wasn't sent
}

// mostName is how many bytes are read of a name.
const mostName = 4096

// fileName is the last element of the name that a client gives a file. Clients on
// Windows can send a whole path; package mime/multipart cuts at slashes alone.
func fileName(part *formPart) string {
	name := cmp.Or(part.trueName, part.FileName())
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// imageName is the name that an image gets, as in a zip archive: with its folders if the
// client has sent them as a path below the folder that was uploaded.
func imageName(part *formPart) string {
	return segment.FileName(cmp.Or(part.trueName, part.FileName()))
}

// isZip reports whether a file starts like a zip archive, possibly an empty
// one. It ignores the name: a picture with an archive appended is a picture.
func isZip(start []byte) bool {
	return len(start) >= 4 && (string(start[:4]) == "PK\x03\x04" || string(start[:4]) == "PK\x05\x06")
}

// full reports whether the upload has reached its limit of files, and tells the
// client.
func (u *upload) full(name string) bool {
	if len(u.results)-u.skipped < u.limits.Files {
		return false
	}
	u.fail(name, problem.Invalid("One upload can hold at most %d files, including those in zip archives; this file and the following ones were not read. Send them in another upload.", u.limits.Files))
	return true
}

// fail adds a failed file to the answer. It is the last one if the project is out of reach,
// which it wasn't when the upload began.
func (u *upload) fail(name string, err error) {
	if u.ended = segment.KindOf(err) == segment.NotFound; u.ended {
		err = segment.Errorf(segment.NotFound, "You can't add images to this project any more: your role in it was changed meanwhile, or the project was moved to the trash. This file and those after it in the upload were not stored; images that were stored before stay.").Because(err)
	}
	u.results = append(u.results, u.failed.Add(name, err))
}

// formParts opens a multipart/form-data body and returns its parts. An error comes
// last: the rest of the body can't be read. After a body that breaks off, after is
// what people are told to have happened.
func formParts(r *http.Request, after string) (iter.Seq2[*formPart, error], error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, &problem.Refusal{Status: http.StatusUnsupportedMediaType, Detail: "Send multipart/form-data with a boundary and one or more parts named \"file\". " + nothingChanged}
	}
	body := multipart.NewReader(r.Body, params["boundary"])
	return func(yield func(*formPart, error) bool) {
		trueName := "" // of the next file
		for {
			part, err := body.NextPart()
			if err == nil && part.FormName() == "filename" {
				var b []byte
				if b, err = io.ReadAll(io.LimitReader(part, mostName)); err == nil {
					trueName = string(b)
					continue
				}
			}
			switch {
			case err == io.EOF: // a body that breaks off wraps it
				return
			case err != nil:
				yield(nil, brokenUpload(err, after))
				return
			case !yield(&formPart{part, trueName}, nil):
				return
			}
			trueName = ""
		}
	}, nil
}

// noFile is the error for a multipart body without files.
func noFile() error {
	return problem.Invalid("The upload contains no file. Send one or more files in parts named \"file\".")
}

// What has happened when a body breaks off.
const (
	arrivedKept    = "Files that had arrived were kept."
	nothingChanged = "Nothing was changed."
)

// brokenUpload says why the rest of a multipart body can't be read, and what has
// happened.
func brokenUpload(err error, after string) error {
	var tooLong *http.MaxBytesError
	var encoded *segment.Error
	switch {
	case errors.As(err, &encoded) && encoded.Kind == segment.Unsupported:
		return encoded
	case errors.As(err, &tooLong):
		return segment.Errorf(segment.TooLarge, "The upload is larger than %s, which is the limit here. %s", problem.Bytes(tooLong.Limit), after)
	case errors.Is(err, errTooSlow):
		return problem.BadRequest("The upload was too slow and was stopped. %s", after)
	}
	return problem.BadRequest("The upload was interrupted or is not multipart/form-data. %s", after)
}

// watchedReader explains to people that a body broke off, and remembers the
// error, because no further part can follow.
type watchedReader struct {
	r     io.Reader
	after string // as in brokenUpload
	err   error
}

func (w *watchedReader) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = brokenUpload(err, w.after)
		return n, w.err
	}
	return n, err
}
