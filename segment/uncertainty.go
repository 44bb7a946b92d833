package segment

import (
	"context"

	"collie/herding"
)

// Uncertainty is what the first hypotheses of a sequence say when each of them
// counts the same, as the samples of Herding do.
type Uncertainty struct {
	// Marginals is the share of the hypotheses that give a superpixel a class:
	// superpixels × classes in play, row-major, in the order of
	// Sequence.Classes.
	Marginals []float64
	// WrongArea is the expected share of the image, 0..1, that the most likely
	// classes get wrong.
	WrongArea float64
	// Next is the superpixel whose answer is expected to help most, nil when
	// the hypotheses agree everywhere.
	Next *Suggestion
}

// Suggestion is a superpixel worth a click.
type Suggestion struct {
	Superpixel int
	Gain       float64 // expected fall of WrongArea
}

// Uncertainty makes the first count hypotheses, as At does, and sums them up.
// Choosing the suggestion takes 200·superpixels·count steps.
func (s *Sequence) Uncertainty(ctx context.Context, count int) (Uncertainty, error) {
	count = min(count, s.Len())
	if count == 0 {
		return Uncertainty{}, nil
	}
	if _, err := s.At(ctx, count-1); err != nil {
		return Uncertainty{}, err
	}
	s.mu.Lock()
	votes := make([][]uint8, count)
	for rank, h := range s.made[:count] {
		votes[rank] = s.places(h.Labels)
	}
	s.mu.Unlock()

	k := len(s.classes)
	u := Uncertainty{Marginals: herding.Marginals(votes, k)}
	u.WrongArea = herding.ExpectedWrongArea(u.Marginals, k, s.shares)
	if ranked := herding.NextClicks(votes, k, s.shares, 0); len(ranked) > 0 {
		u.Next = &Suggestion{Superpixel: ranked[0].Node, Gain: ranked[0].Gain}
	}
	return u, nil
}

// places turns classes into their places among the classes in play.
func (s *Sequence) places(labels []uint8) []uint8 {
	var place [MaxClasses]uint8
	for i, class := range s.classes {
		place[class] = uint8(i)
	}
	out := make([]uint8, len(labels))
	for i, l := range labels {
		out[i] = place[l]
	}
	return out
}
