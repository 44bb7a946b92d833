package export

import (
	"bytes"
	"context"
	"io"

	"collie/segment/mask"
)

// indexPNG is a palette PNG per image.
type indexPNG struct{ single }

func newIndexPNG(*job) (encoder, error) { return indexPNG{}, nil }

func (indexPNG) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = "images/" + s.stem + s.extension()
	mask, err := picture("masks/"+s.stem+".png", func(w io.Writer) error { return mask.WriteIndex(w, s.mask) })
	return &piece{files: []member{mask}, out: len(s.partition().Regions)}, err
}

// colourPNG is an RGB PNG per image.
type colourPNG struct{ single }

func newColourPNG(*job) (encoder, error) { return colourPNG{}, nil }

func (colourPNG) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = "images/" + s.stem + s.extension()
	mask, err := picture("masks/"+s.stem+".png", func(w io.Writer) error {
		return mask.WriteColour(w, s.mask, s.project.Classes)
	})
	return &piece{files: []member{mask}, out: len(s.partition().Regions)}, err
}

// picture makes a member from what write writes.
func picture(name string, write func(io.Writer) error) (member, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return member{}, err
	}
	return stored(name, b.Bytes()), nil
}
