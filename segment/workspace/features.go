package workspace

import (
	"context"
	"errors"

	"collie/segment/annotation"
	"collie/segment/learn"
	"collie/segment/photo"
)

// errNoFeatures is the error for images that can't be learnt from.
var errNoFeatures = errors.New("the image can't be learnt from")

// features reads the features, or recomputes them from the original if they are
// missing or damaged.
func (w *Workspace) features(ctx context.Context, a *annotation.Annotation) (*learn.Features, error) {
	im, first := a.Image(), a.FirstCut()
	var f learn.Features
	if err := w.unmarshal(ctx, im.FeaturesKey(), &f); err == nil && f.N == first.N {
		return &f, nil
	}
	if first.N > learn.MaxSuperpixels || w.gate == nil {
		return nil, errNoFeatures
	}
	p, err := w.original(ctx, im, photo.Expose)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if p.Pixels.Rect.Dx() != a.Cells().Width || p.Pixels.Rect.Dy() != a.Cells().Height {
		return nil, errNoFeatures
	}
	made := learn.Describe(p.Pixels, a.Hierarchy(), a.Graph(), im.Regions)
	if made.N != first.N {
		return nil, errNoFeatures
	}
	w.cache(ctx, im.FeaturesKey(), marshalTo(made))
	return made, nil
}
