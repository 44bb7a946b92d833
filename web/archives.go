package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"slices"

	"collie/segment"
	"collie/segment/archive"
	"collie/segment/backup"
	"collie/segment/beside"
	"collie/segment/workspace"
	"collie/web/problem"
	"collie/web/query"
	"collie/web/wire"
)

// addZip adds the photographs in a zip archive under their paths in it. An unreadable
// archive counts as a failed file, and so does each file in it that isn't an image, except
// for what data sets have beside photographs.
func (u *upload) addZip(ctx context.Context, name string, file *os.File, size int64) {
	a, err := archive.Open(file, size, u.limits.Zip)
	if err != nil {
		u.fail(name, err)
		return
	}
	var names []string
	for f := range a.Files() {
		names = append(names, f.Name)
	}
	var there present
	if u.skip || slices.ContainsFunc(names, beside.LikeMask) { // which may be of images there
		if there, err = u.imagesPresent(ctx, u.project); err != nil {
			u.fail(name, err)
			return
		}
	}
	others := beside.Others(names, slices.Collect(maps.Keys(there)))
	if err := noPhotographs(names, others); err != nil {
		u.fail(name, err)
		return
	}
	if !u.skip {
		there = nil
	}
	first := len(u.results)
	for f := range a.Files() {
		if !others[f.Name] && !u.addEntry(ctx, f, there) {
			return
		}
	}
	for i, result := range u.results[first:] {
		if im, kept := result.(wire.Image); kept {
			im.LeftOut = len(others)
			u.results[first+i] = im
			return
		}
	}
}

// noPhotographs refuses an archive whose files are surely none, and says where it belongs.
// Others are those that the upload leaves out.
func noPhotographs(names []string, others map[string]bool) error {
	photograph := func(name string) bool { return !others[name] && !beside.LikeMask(name) }
	switch {
	case len(names) == 0:
		return problem.Invalid("The zip archive contains no files.")
	case slices.Contains(names, backup.File):
		return problem.Invalid("This is the backup of a project. \"Import a backup\" on the start page makes a project of it.")
	case len(others) == len(names):
		return problem.Invalid("The zip archive has masks of images that are in this project. Choose \"Import masks\" on the page of the project to import it.")
	case slices.ContainsFunc(names, withMasks) && !slices.ContainsFunc(names, photograph):
		return problem.Invalid("The zip archive has only masks, as Collie and CVAT export them. Upload their photographs, then choose \"Import masks\" on the page of the project to import it.")
	}
	return nil
}

// withMasks reports whether a file is one that Collie, or CVAT and others, write beside masks.
func withMasks(name string) bool { return name == "manifest.json" || path.Base(name) == "labelmap.txt" }

// addEntry adds a file of a zip archive, unless it is present, and reports whether to go
// on.
func (u *upload) addEntry(ctx context.Context, f *archive.File, there present) (more bool) {
	if f.Err == nil && u.known(ctx, there, f.Name, f.Size, f.Open) {
		return ctx.Err() == nil
	}
	if u.full(f.Name) {
		return false
	}
	content, err := f.Open()
	if err != nil {
		u.fail(f.Name, err)
		return true
	}
	defer content.Close()
	u.add(ctx, f.Name, content)
	return !u.ended && ctx.Err() == nil
}

var presentQuery = query.Word{Name: "present", Words: []string{"add", "skip"}, Doc: "what becomes of files that the project has by name and content: with skip they are not added again, so that a file or a zip archive can be sent again after an interruption"}

// present is the images that a project had before an archive or an upload, by name.
type present map[string][]segment.Image

// imagesPresent lists them. O(images).
func (s *Server) imagesPresent(ctx context.Context, project string) (present, error) {
	there := present{}
	for im, err := range segment.EachImage(ctx, project, s.workspace.ImagesAfter) {
		if err != nil {
			return nil, err
		}
		there[im.Name] = append(there[im.Name], im)
	}
	return there, nil
}

// known answers with the image that was made of a file, if there is one, and reports
// whether the file is done with.
func (u *upload) known(ctx context.Context, there present, name string, size int64, open func() (io.ReadCloser, error)) (done bool) {
	im, found, err := u.take(ctx, there, name, size, open)
	switch {
	case err != nil:
		u.fail(name, err)
	case found:
		known := wire.ImageOf(im)
		known.Present = true
		u.results = append(u.results, known)
		u.skipped++
	}
	return found || err != nil
}

// take removes and returns the image that was made of a file; it stands for one only.
func (s *Server) take(ctx context.Context, there present, name string, size int64, open func() (io.ReadCloser, error)) (im segment.Image, found bool, err error) {
	if name, err = workspace.ImageName(name); err != nil {
		return segment.Image{}, false, nil // adding it says why
	}
	for i, im := range there[name] {
		if im.Bytes != size {
			continue
		}
		same, err := s.madeOf(ctx, im, open)
		if same {
			there[name] = slices.Delete(there[name], i, i+1)
		}
		if same || err != nil {
			return im, same, err
		}
	}
	return segment.Image{}, false, nil
}

// madeOf reports whether a file is what an image was made of.
func (s *Server) madeOf(ctx context.Context, im segment.Image, open func() (io.ReadCloser, error)) (bool, error) {
	there, err := s.workspace.Picture(ctx, im, im.OriginalKey())
	if err != nil {
		return false, err
	}
	defer there.Close()
	here, err := open()
	if err != nil {
		return false, err
	}
	defer here.Close()
	const part = 64 << 10
	a, b := make([]byte, part), make([]byte, part)
	for {
		n, ended := io.ReadFull(there, a)
		m, broken := io.ReadFull(here, b)
		switch {
		case !bytes.Equal(a[:n], b[:m]):
			return false, nil
		case errors.Is(ended, io.EOF) || errors.Is(ended, io.ErrUnexpectedEOF):
			return true, nil
		case ended != nil || broken != nil:
			return false, errors.Join(ended, broken)
		}
	}
}
