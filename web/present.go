package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"collie/segment"
	"collie/segment/archive"
	"collie/segment/workspace"
	"collie/web/query"
)

var presentQuery = query.Word{Name: "present", Words: []string{"add", "skip"}, Doc: "what becomes of files in zip archives that the project has by name and content: with skip they are not added again, so that an archive can be sent again after an interruption"}

// present is the images that a project had before an archive, by name.
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

// take removes and returns the image that was made of a file; it stands for one only.
func (s *Server) take(ctx context.Context, there present, f *archive.File) (im segment.Image, found bool, err error) {
	name, err := workspace.ImageName(f.Name)
	if err != nil || f.Err != nil {
		return segment.Image{}, false, nil // adding it says why
	}
	for i, im := range there[name] {
		if im.Bytes != f.Size {
			continue
		}
		same, err := s.madeOf(ctx, im, f)
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
func (s *Server) madeOf(ctx context.Context, im segment.Image, f *archive.File) (bool, error) {
	there, err := s.workspace.Picture(ctx, im, im.OriginalKey())
	if err != nil {
		return false, err
	}
	defer there.Close()
	here, err := f.Open()
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
