package workspace

import (
	"context"
	"image"
	"io"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/photo"
)

// Levels returns the range of values in an image's original. It reads the file
// each time.
func (w *Workspace) Levels(ctx context.Context, im segment.Image) (photo.Levels, error) {
	var levels photo.Levels
	p, err := w.Original(ctx, im, func(img image.Image) image.Image {
		levels = photo.LevelsOf(img)
		return image.White // nobody sees it, and it is drawn fast
	})
	if err != nil {
		return levels, err
	}
	p.Close()
	return levels, nil
}

// Develop writes a display copy of an image with 16 bits per channel, with the
// values from low to high (0..65535) stretched over the whole range.
func (w *Workspace) Develop(ctx context.Context, im segment.Image, low, high uint16, out io.Writer) error {
	p, err := w.Original(ctx, im, photo.Window(low, high))
	if err != nil {
		return err
	}
	defer p.Close()
	return p.EncodeDisplay(out)
}

// Original reads the file of an image through the gate; the caller closes it.
func (w *Workspace) Original(ctx context.Context, im segment.Image, tone func(image.Image) image.Image) (*photo.Photo, error) {
	if err := w.MayIn(ctx, im.ProjectID, access.Read); err != nil {
		return nil, err
	}
	p, err := w.picture(ctx, im.OriginalKey(), tone)
	if lost(err) {
		return nil, gone(im, "The original", err, nil)
	}
	return p, photo.Refusal(err)
}
