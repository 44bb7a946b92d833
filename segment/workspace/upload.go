package workspace

import (
	"context"
	"errors"
	"image"
	"io"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/learn"
	"collie/segment/photo"
	"collie/superpixels"
)

// The largest images that can be uploaded, whatever the gate's limits: their superpixels
// have to be stored, too.
const (
	MaxSide   = superpixels.MaxSide
	MaxPixels = superpixels.MaxPixels
)

// finestFactor is the finest granularity, as a multiple of the default number
// of superpixels.
const finestFactor = 4

// Added is an image that has been added.
type Added struct {
	segment.Image
	Pictures int // in the file, of which the image is the first
}

// PhotoSize returns the size in pixels, as displayed, of the image that AddImage would make
// of a file in the project, without decoding it. An error about the file is for people.
func (w *Workspace) PhotoSize(ctx context.Context, projectID string, file io.Reader) (image.Point, error) {
	if err := w.MayIn(ctx, projectID, access.Annotate); err != nil {
		return image.Point{}, err
	}
	size, err := w.gate.Size(ctx, file)
	return size, photo.Refusal(err)
}

// AddImage reads an uploaded file, segments it into superpixels and stores it.
// Nothing of a file that can't be used is kept.
func (w *Workspace) AddImage(ctx context.Context, projectID, name string, file io.Reader) (Added, error) {
	if err := w.MayIn(ctx, projectID, access.Annotate); err != nil {
		return Added{}, err
	}
	if err := w.hasRoom(ctx, projectID); err != nil {
		return Added{}, err
	}
	name, err := ImageName(name)
	if err != nil {
		return Added{}, err
	}
	p, err := w.gate.Read(ctx, file, photo.Expose)
	if err != nil {
		return Added{}, photo.Refusal(err)
	}
	defer p.Close()
	size := p.Pixels.Bounds().Size()
	im := segment.Image{
		ID: segment.NewID(), ProjectID: projectID, Name: name, Format: p.Format, Bytes: int64(len(p.Original)),
		Width: size.X, Height: size.Y, Regions: superpixels.DefaultRegions(size.X, size.Y), Created: segment.Now(),
	}
	blobs, err := w.prepare(ctx, &im, p)
	if err != nil {
		return Added{}, err
	}
	return Added{im, p.Pictures}, w.keep(ctx, im, blobs)
}

// ImageName is the name that AddImage gives the image in a file. It leads to no other
// folder, nor does what is left of it.
func ImageName(file string) (string, error) {
	name, err := segment.CleanName("file name", lastRunes(file, segment.MaxName))
	if err != nil {
		return "", err
	}
	return segment.CleanName("file name", segment.FileName(name))
}

// hasRoom returns an error if a project has no room for another image.
func (w *Workspace) hasRoom(ctx context.Context, projectID string) error {
	images, err := w.store.CountImages(ctx, projectID)
	if err == nil && images >= w.images {
		err = segment.NoRoom(w.images)
	}
	return err
}

// prepare computes everything that is stored of a photo. It is long work and
// holds its turn only while it computes.
func (w *Workspace) prepare(ctx context.Context, im *segment.Image, p *photo.Photo) (blobs []newBlob, err error) {
	add := func(key string, write func(io.Writer) error) {
		b, e := written(key, write)
		blobs, err = append(blobs, b), errors.Join(err, e)
	}
	late := w.long(ctx, func() {
		hierarchy, graph := superpixels.Divide(p.Pixels, finestFactor*im.Regions)
		add(im.HierarchyKey(), marshalTo(hierarchy))
		add(im.GraphKey(), marshalTo(graph))
		add(im.DisplayKey(), p.EncodeDisplay)
		add(im.ThumbnailKey(), p.EncodeThumbnail)
		if im.Regions <= learn.MaxSuperpixels {
			add(im.FeaturesKey(), marshalTo(learn.Describe(p.Pixels, hierarchy, graph, im.Regions)))
		}
	})
	if late != nil {
		return nil, late
	}
	return append(blobs, newBlob{im.OriginalKey(), p.Original}), err
}

// lastRunes keeps the end of a long name, which usually distinguishes the files
// of a series.
func lastRunes(s string, n int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-n):])
}
