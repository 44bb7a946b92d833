package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/photo"
	"collie/superpixels"
)

// lost reports whether err says that a stored file is missing or damaged.
func lost(err error) bool {
	kind := segment.KindOf(err)
	return kind == segment.NotFound || kind == segment.Damaged
}

// gone is the error for a file of an image that can't be used, because of err, nor
// be restored, because of again, if that was tried. While the files are out of reach
// nothing is known about them.
func gone(im segment.Image, what string, err, again error) error {
	for _, e := range []error{err, again} {
		if segment.OutOfReach(e) {
			return e
		}
	}
	return segment.Errorf(segment.Damaged, "%s of the image %q can't be used: the file in the server's data folder is missing or damaged. Other images are not affected. Restore it from a backup; `server doctor` lists what is damaged.", what, im.Name).Because(errors.Join(err, again))
}

// Picture opens the display copy, the thumbnail or the original of an image, by
// its key; the caller closes it. Missing or damaged copies are recreated from
// the original.
func (w *Workspace) Picture(ctx context.Context, im segment.Image, key string) (io.ReadSeekCloser, error) {
	if err := w.MayIn(ctx, im.ProjectID, access.Read); err != nil {
		return nil, err
	}
	blob, err := w.blobs.Open(ctx, key)
	switch {
	case !lost(err):
		return blob, err
	case key == im.OriginalKey():
		return nil, gone(im, "The original", err, nil)
	}
	if again := w.remakeCopy(ctx, im, key); again != nil {
		return nil, gone(im, "A copy", err, again)
	}
	return w.blobs.Open(ctx, key)
}

// remakeCopy recreates the display copy or the thumbnail from the original.
func (w *Workspace) remakeCopy(ctx context.Context, im segment.Image, key string) error {
	encode := (*photo.Photo).EncodeDisplay
	if key == im.ThumbnailKey() {
		encode = (*photo.Photo).EncodeThumbnail
	}
	p, err := w.picture(ctx, im.OriginalKey(), photo.Expose)
	if err != nil {
		return err
	}
	defer p.Close()
	content, err := written(key, func(out io.Writer) error { return encode(p, out) })
	if err != nil {
		return err
	}
	return w.overwrite(ctx, content)
}

// remakeSuperpixels recomputes the superpixels of an image from its original.
// Evidence refers to them by number, so it accepts them only if they are
// certainly the same as before: the checksum of the stored file matches, the
// other of the two files is intact and agrees, or there is no evidence.
//
// It waits neither for the memory of uploads nor for Long: whoever opens the image can
// hold both, as exports do.
func (w *Workspace) remakeSuperpixels(ctx context.Context, im segment.Image) error {
	p, err := w.pictureBy(ctx, w.spare, im.OriginalKey(), photo.Expose)
	if err != nil {
		return err
	}
	defer p.Close()
	if size := p.Pixels.Bounds().Size(); size.X != im.Width || size.Y != im.Height {
		return errors.New("the original's size differs from the record")
	}
	var made [2]newBlob
	hierarchy, graph := superpixels.Divide(p.Pixels, finestFactor*im.Regions)
	var e error
	made[0], err = written(im.HierarchyKey(), marshalTo(hierarchy))
	made[1], e = written(im.GraphKey(), marshalTo(graph))
	if err := errors.Join(err, e); err != nil {
		return err
	}
	same, good := im.Seq == 0, [2]bool{}
	for i, b := range made {
		good[i] = w.holds(ctx, b)
		sum, err := w.blobs.Sum(b.key)
		if err != nil {
			return err
		}
		own := sha256.Sum256(b.content)
		same = same || good[i] || sum == hex.EncodeToString(own[:])
	}
	if !same {
		return errors.New("recomputed superpixels might differ from those that the evidence refers to")
	}
	for i, b := range made {
		if good[i] {
			continue
		}
		if err := w.overwrite(ctx, b); err != nil {
			return err
		}
	}
	return nil
}
