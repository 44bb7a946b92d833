package annotation

import (
	"context"
	"fmt"
	"slices"

	"collie/segment"
	"collie/segment/engine"
	"collie/segment/gauge"
)

// picked is the hypothesis of an accept, and its sequence. A hypothesis that is gone has
// no labels.
type picked struct {
	sequence   *engine.Sequence
	hypothesis engine.Hypothesis
}

// corrected completes a click with the labels of the hypothesis that it corrects.
// One that is no longer known, and one that the clicks before corrected, is left
// out; a click is never refused for it. Where the hypothesis has to be made first,
// prepare does so. The caller holds the lock.
func (a *Annotation) corrected(ctx context.Context, e *segment.Event, pick *picked) (prepare func() error) {
	named := e.Pick
	shown, _ := a.timeline.Shown()
	if e.Pick = nil; named.Digest == "" || shown.Is(named.Rank, named.Digest) {
		return nil
	}
	sequence := a.present()
	h, made := sequence.Made(named.Rank)
	if pick.sequence == sequence {
		h = pick.hypothesis
	} else if !made {
		return func() error {
			h, _ := sequence.Named(ctx, named)
			*pick = picked{sequence, h}
			return nil
		}
	}
	if h.Digest.String() == named.Digest {
		e.Pick = &segment.Pick{Rank: h.Rank, Digest: named.Digest, Labels: h.Labels}
	}
	return nil
}

// accepted completes an accept event, see fillPick. Where the hypothesis has to be made
// first, prepare does so. The caller holds the lock.
func (a *Annotation) accepted(ctx context.Context, e *segment.Event, before *attempts) (prepare func() error, err error) {
	sequence, pick := a.present(), e.Pick
	if before.pick.sequence == sequence {
		return nil, a.fillPick(e, before)
	}
	return func() error {
		h, err := sequence.Named(ctx, pick)
		before.pick = picked{sequence, h}
		switch {
		case segment.KindOf(err) != segment.Invalid:
			return err
		case pick.Digest != "":
			return nil // it was shown and is gone, which fillPick says
		}
		return segment.NothingChanged(err)
	}, nil
}

// fillPick completes an accept event with the labels of the hypothesis that it
// names, after checking that this is the hypothesis the person saw.
// The caller holds the lock.
func (a *Annotation) fillPick(e *segment.Event, before *attempts) error {
	h := before.pick.hypothesis
	gone := h.Labels == nil
	if gone || e.Pick.Digest != "" && e.Pick.Digest != h.Digest.String() {
		if !gone && before.made == a.timeline.Seq() && before.made != a.meant { // else it may be one that was seen before
			a.observer.Happened(gauge.Diverged)
		}
		what := "hypothesis"
		if e.Pick.Offer != nil {
			what = "labelling"
		}
		return a.conflict("The %s has changed since it was shown, as happens when somebody else edits the image or its classes. Nothing was changed; choose again from the current hypotheses.", what).
			Because(fmt.Errorf("digest %s, now %s", e.Pick.Digest, h.Digest))
	}
	// A click on a deleted class counts as its replacement. The pick keeps the
	// class of the click, so that the two agree without the table.
	labels := slices.Clone(h.Labels)
	for s, c := range a.timeline.Clicks() {
		if a.table[c] != segment.Void {
			labels[s] = c
		}
	}
	if constraints := a.constraints(); len(constraints.Locked) > 0 {
		for s, l := range a.timeline.Labelling() {
			if constraints.IsLocked(a.table[l]) {
				labels[s] = l
			}
		}
	}
	e.Pick = &segment.Pick{Rank: h.Rank, Digest: h.Digest.String(), Labels: labels}
	return nil
}
