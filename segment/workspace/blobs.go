package workspace

import (
	"bytes"
	"context"
	"encoding"
	"errors"
	"image"
	"io"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/photo"
	"collie/segment/reserve"
)

// newBlob is a blob to be stored.
type newBlob struct {
	key     string
	content []byte
}

func (b newBlob) write(out io.Writer) error {
	_, err := out.Write(b.content)
	return err
}

// written returns the blob that write writes.
func written(key string, write func(io.Writer) error) (newBlob, error) {
	var b bytes.Buffer
	err := write(&b)
	return newBlob{key, b.Bytes()}, err
}

// marshalTo returns a function that writes the binary form of v.
func marshalTo(v encoding.BinaryMarshaler) func(io.Writer) error {
	return func(out io.Writer) error {
		b, err := v.MarshalBinary()
		if err != nil {
			return err
		}
		_, err = out.Write(b)
		return err
	}
}

// keep stores an image with its blobs and then its record, or nothing. All of that takes
// long, so it looks again whether the principal of ctx can do this.
func (w *Workspace) keep(ctx context.Context, im segment.Image, blobs []newBlob) error {
	for _, b := range blobs {
		if err := w.blobs.Put(ctx, b.key, b.write); err != nil {
			return w.discard(ctx, im, err)
		}
	}
	if err := w.MayIn(ctx, im.ProjectID, access.Annotate); err != nil {
		return w.discard(ctx, im, err)
	}
	if err := w.store.CreateImage(ctx, im, w.images); err != nil {
		return w.discard(ctx, im, err)
	}
	return nil
}

// discard removes the blobs of an image that was not created because of err, which
// it returns. If it isn't certain whether the record was stored, it leaves them
// to a sweep.
func (w *Workspace) discard(ctx context.Context, im segment.Image, err error) error {
	if segment.Uncertain(err) {
		return err
	}
	return errors.Join(err, w.removeBlobs(context.WithoutCancel(ctx), im))
}

// removeBlobs removes all blobs of an image.
func (w *Workspace) removeBlobs(ctx context.Context, im segment.Image) error {
	var errs []error
	for _, key := range append(im.Keys(), im.FeaturesKey()) {
		errs = append(errs, w.blobs.Remove(ctx, key))
	}
	return errors.Join(errs...)
}

// overwrite replaces the content of a key, which edits may need, so it can use the reserve.
func (w *Workspace) overwrite(ctx context.Context, b newBlob) error {
	w.remaking.Lock()
	defer w.remaking.Unlock()
	if err := w.blobs.Remove(ctx, b.key); err != nil {
		return err
	}
	return w.blobs.Put(reserve.Use(ctx), b.key, b.write)
}

// holds reports whether a blob is stored with the same content.
func (w *Workspace) holds(ctx context.Context, b newBlob) bool {
	blob, err := w.blobs.Open(ctx, b.key)
	if err != nil {
		return false
	}
	defer blob.Close()
	stored, err := segment.ReadBlob(blob)
	return err == nil && bytes.Equal(stored, b.content)
}

// picture decodes the picture under a key; the caller closes it. The errors of the
// gate are not for people, see photo.Refusal.
func (w *Workspace) picture(ctx context.Context, key string, tone func(image.Image) image.Image) (*photo.Photo, error) {
	return w.pictureBy(ctx, w.gate, key, tone)
}

// pictureBy is picture with another gate.
func (w *Workspace) pictureBy(ctx context.Context, gate *photo.Gate, key string, tone func(image.Image) image.Image) (*photo.Photo, error) {
	if gate == nil {
		return nil, errors.New("this workspace reads no pictures")
	}
	blob, err := w.blobs.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	return gate.Read(ctx, blob, tone)
}
