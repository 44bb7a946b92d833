package learner

import (
	"context"
	"errors"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/learn"
	"collie/segment/photo"
)

// errNoFeatures is the error for images that can't be learnt from.
var errNoFeatures = errors.New("the image can't be learnt from")

// features reads the features, or recomputes them from the original if they are
// missing or damaged. It waits for Long, so nothing within Long can call it.
func (l *Learner) features(ctx context.Context, a *annotation.Annotation) (*learn.Features, error) {
	im, first := a.Image(), a.FirstCut()
	var f learn.Features
	if err := segment.Unmarshal(ctx, l.blobs, im.FeaturesKey(), &f); err == nil && f.N == first.N {
		return &f, nil
	}
	if first.N > learn.MaxSuperpixels {
		return nil, errNoFeatures
	}
	p, err := l.host.Original(ctx, im, photo.Expose)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if p.Pixels.Rect.Dx() != a.Cells().Width || p.Pixels.Rect.Dy() != a.Cells().Height {
		return nil, errNoFeatures
	}
	var made *learn.Features
	if err := l.host.Long(ctx, func() { made = learn.Describe(p.Pixels, a.Hierarchy(), a.Graph(), im.Regions) }); err != nil {
		return nil, err
	}
	if made.N != first.N {
		return nil, errNoFeatures
	}
	l.cache(ctx, im.FeaturesKey(), made)
	return made, nil
}
