package workspace

import (
	"context"
	"errors"
	"fmt"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/photo"
)

// Damage is a defect in the stored files or the evidence of an image.
type Damage struct {
	What   string // for people
	Err    error
	Repair func(ctx context.Context) error // nil if only a backup can restore it
}

// Examine reads everything stored of an image, decodes it, plays its evidence,
// and returns the damage. It leaves out the evidence of an image in the trash.
// Display copies, and superpixels if they are certain to be the same, can be
// recreated from the original.
func (w *Workspace) Examine(ctx context.Context, im segment.Image) ([]Damage, error) {
	if err := w.May(ctx, access.Administer); err != nil {
		return nil, err
	}
	var found []Damage
	original := w.usable(ctx, im)
	if original != nil {
		found = append(found, Damage{"the original can't be used", original, nil})
	}
	for _, c := range []struct{ what, key string }{{"the picture for display", im.DisplayKey()}, {"the thumbnail", im.ThumbnailKey()}} {
		p, err := w.picture(ctx, c.key, photo.Expose)
		if err == nil {
			p.Close()
			continue
		}
		d := Damage{c.what + " can't be used", err, nil}
		if original == nil {
			d.Repair = func(ctx context.Context) error { return w.remakeCopy(ctx, im, c.key) }
		}
		found = append(found, d)
	}
	if _, _, err := w.superpixels(ctx, im); err != nil {
		d := Damage{"the superpixels can't be used", err, nil}
		if original == nil {
			d.Repair = func(ctx context.Context) error { return w.remakeSuperpixels(ctx, im) }
		}
		found = append(found, d)
	} else if err := w.playable(ctx, im); err != nil {
		found = append(found, Damage{"the image can't be opened", err, nil})
	}
	for _, d := range found {
		if segment.OutOfReach(d.Err) { // it says nothing about the image
			return nil, d.Err
		}
	}
	return found, ctx.Err()
}

// usable decodes the original of an image and checks its size.
func (w *Workspace) usable(ctx context.Context, im segment.Image) error {
	p, err := w.picture(ctx, im.OriginalKey(), photo.Expose)
	if err != nil {
		return err
	}
	defer p.Close()
	if size := p.Pixels.Bounds().Size(); size.X != im.Width || size.Y != im.Height {
		return fmt.Errorf("it has %d×%d pixels, its record says %d×%d", size.X, size.Y, im.Width, im.Height)
	}
	return nil
}

// playable loads the image as Open does, but keeps nothing.
func (w *Workspace) playable(ctx context.Context, im segment.Image) error {
	_, trashed := w.store.Image(ctx, im.ID)
	k, err := w.load(ctx, im, nil)
	switch {
	case segment.KindOf(trashed) == segment.NotFound && segment.KindOf(err) == segment.NotFound:
		return nil
	case err != nil:
		return err
	}
	if err := k.Refresh(ctx); err != nil {
		return err
	}
	if k.Annotation().State().Seq < im.Seq { // more can have arrived meanwhile
		return errors.New("the evidence is shorter than the record says")
	}
	return nil
}
