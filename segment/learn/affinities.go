package learn

import (
	"context"
	"errors"

	"collie/segment/affinity"
	"collie/segment/affinity/fit"
	"collie/segment/schedule"
	"collie/segment/simulate"
)

const (
	fewestRelated  = 10     // finished images before a project has affinities of its own
	maxRelated     = 80     // of the latest that they are learned from
	maxRelatedRows = 50_000 // superpixels of these
)

// related is an example to learn affinities from.
type related struct {
	*Example
	image *fit.Image
}

// own are a project's affinities.
type own struct {
	all    *affinity.Model            // nil while the usual ones are about as good
	unseen map[string]*affinity.Model // by image that they were learned from, what the others teach
}

// relate learns from the latest examples which superpixels of a project's images belong
// together. A simulated annotator works on them with the usual affinities, and with those
// that the other half of the images teaches. There are none of the project's own unless
// that saves enough actions, or any when it had some before, and while there are too few
// images.
func relate(ctx context.Context, examples []Example, usual *affinity.Model, before bool) (own, error) {
	if usual == nil || len(examples) < fewestRelated {
		return own{}, nil
	}
	images, err := relatedOf(ctx, examples)
	if err != nil || len(images) < fewestRelated {
		return own{}, err
	}
	var halves [2][]related
	for i, e := range images {
		halves[i%2] = append(halves[i%2], e)
	}
	var taught [2]*affinity.Model
	for h := range halves {
		if taught[1-h], err = fitTo(ctx, halves[h]); taught[1-h] == nil {
			return own{}, err
		}
	}
	unseen := map[string]*affinity.Model{}
	var without, with []int
	for i := range images {
		unseen[images[i].ID] = taught[i%2]
		usually, err := images[i].work(ctx, usual)
		if err != nil {
			return own{}, err
		}
		then, err := images[i].work(ctx, taught[i%2])
		if err != nil {
			return own{}, err
		}
		if err := schedule.Pause(ctx); err != nil {
			return own{}, err
		}
		without, with = append(without, usually), append(with, then)
	}
	if saved, enough := saves(without, with); !enough && !(before && saved > 0) {
		return own{}, nil
	}
	all, err := fitTo(ctx, images)
	return own{all, unseen}, err
}

// relatedOf returns the latest examples that can be learned from, the latest last.
func relatedOf(ctx context.Context, examples []Example) (out []related, err error) {
	examples = latest(examples, maxRelated, maxRelatedRows)
	for i := range examples {
		e := &examples[i]
		if err := schedule.Pause(ctx); err != nil {
			return nil, err
		}
		g, err := e.Graph()
		if err != nil {
			return nil, err
		}
		if g.Merges == nil {
			continue // stored before there were learned affinities
		}
		out = append(out, related{e, fit.NewImage(g, e.Labels, simulate.Hash(e.ID))})
	}
	return out, nil
}

// fitTo learns from images; nil when they have nothing to teach.
func fitTo(ctx context.Context, images []related) (*affinity.Model, error) {
	each := func(_ string, n int, do func(i int) error) error {
		for i := range n {
			if err := schedule.Pause(ctx); err != nil {
				return err
			}
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	from := make([]*fit.Image, len(images))
	for i := range images {
		from[i] = images[i].image
	}
	m, err := fit.Learn(each, "", from)
	if errors.Is(err, fit.ErrOneClass) {
		return nil, nil
	}
	return m, err
}

// work is what the simulated annotator does on the image.
func (r *related) work(ctx context.Context, m *affinity.Model) (int, error) {
	return toil(ctx, &simulate.Scene{Graph: r.image.Graph, Affinities: m}, truthOf(r.Features.Area, r.Labels, nil))
}
