package engine

import (
	"context"

	"collie/crf"
	"collie/herding"
	"collie/herding/ask"
	"collie/herding/choose"
	"collie/segment/schedule"
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
	// Marked is the rank of the hypothesis with the best expected mean IoU if one
	// of them is the truth, see choose.EMBR. It is usually the first.
	Marked int
	// Areas is, per class in play, the share of the image that it probably has:
	// what the middle 80 % of the hypotheses say, widened by choose.Wider.
	Areas []choose.AreaRange
}

// Suggestion is a superpixel worth a click.
type Suggestion struct {
	Superpixel int
	Gain       float64 // expected decrease of the share of the image that is wrong
}

// leastGain is the share of the image that a click has to be worth.
const leastGain = 1e-4

// mostSuggestions is how many superpixels are suggested at most.
const mostSuggestions = 24

// Suggest returns the superpixels whose answers are expected to help most, the
// most useful first; none when there is no sequence or no click is expected to
// help. It needs no hypotheses: a superpixel's gain is the fall of the area that
// the random walker expects to be wrong, see ask.Risk. Each gain is that of its
// answer alone, so neighbours often follow each other.
func (s *Sequence) Suggest(ctx context.Context) ([]Suggestion, error) {
	if s.model == nil {
		return nil, nil
	}
	problem, err := s.problem(ctx, schedule.Later)
	if err != nil {
		return nil, err
	}
	var after ask.After
	var ranked []herding.Candidate
	if problem.Model.Labels == crf.MaxLabels { // an answer has no label of its own
		err = s.run(ctx, schedule.Later, func() (err error) {
			ranked, err = ask.Margin{}.Rank(ctx, problem, 0)
			return err
		})
	} else if after, err = s.after(ctx, schedule.Later, problem); err == nil {
		risk := ask.Risk{After: func(node int) (q []float64, err error) {
			err = s.run(ctx, schedule.Later, func() (err error) {
				q, err = after(node)
				return err
			})
			return q, err
		}}
		ranked, err = risk.Rank(ctx, problem, 0)
	}
	if err != nil {
		return nil, err
	}
	var worth []Suggestion
	for _, r := range ranked[:min(len(ranked), mostSuggestions)] {
		if r.Gain < leastGain {
			break
		}
		worth = append(worth, Suggestion{Superpixel: r.Node, Gain: r.Gain})
	}
	return worth, nil
}

// Uncertainty makes the first count hypotheses, as At does, and sums them up.
func (s *Sequence) Uncertainty(ctx context.Context, count int) (Uncertainty, error) {
	count = min(count, s.Len())
	if count == 0 {
		return Uncertainty{}, nil
	}
	if _, err := s.At(ctx, count-1); err != nil {
		return Uncertainty{}, err
	}
	votes := s.votes(count)
	k := len(s.classes)
	u := Uncertainty{Marginals: herding.Marginals(votes, k)}
	u.WrongArea = herding.ExpectedWrongArea(u.Marginals, k, s.shares)
	u.Areas = choose.AreaRanges(votes, k, s.shares, choose.Wider)
	var err error
	u.Marked, err = s.marked(ctx, votes)
	return u, err
}

// Marked is Uncertainty.Marked of the first count hypotheses. It makes them, as At
// does, and compares each two: 1 ms for 20 of 600 superpixels.
func (s *Sequence) Marked(ctx context.Context, count int) (rank int, err error) {
	count = min(count, s.Len())
	if count < 2 || s.settled {
		return 0, nil
	}
	if _, err := s.At(ctx, count-1); err != nil {
		return 0, err
	}
	return s.marked(ctx, s.votes(count))
}

func (s *Sequence) marked(ctx context.Context, votes [][]uint8) (rank int, err error) {
	if s.model == nil {
		return 0, nil
	}
	p, err := s.problem(ctx, schedule.Later)
	if err != nil {
		return 0, err
	}
	order, _, err := choose.EMBR{}.Choose(p, votes)
	if err != nil {
		return 0, err
	}
	return order[0], nil
}

// votes are the first count hypotheses in indices of classes.
func (s *Sequence) votes(count int) [][]uint8 {
	s.mu.Lock()
	made := s.made[:count]
	s.mu.Unlock()
	votes := make([][]uint8, count)
	for rank, h := range made {
		votes[rank] = s.indices(h.Labels)
	}
	return votes
}

// indices turns classes into their indices among the classes in play.
func (s *Sequence) indices(labels []uint8) []uint8 {
	index := indexOf(s.classes)
	out := make([]uint8, len(labels))
	for i, l := range labels {
		out[i] = uint8(index[l])
	}
	return out
}

// Doubt is the expected share of the image, 0..1, that the most likely classes
// get wrong, by the hypotheses that there are; false when they are fewer than a
// whole sequence or cover a single class.
func (s *Sequence) Doubt() (share float64, ok bool) {
	k := len(s.classes)
	if h, _ := s.ready(DefaultHypotheses - 1); k < 2 || h == nil {
		return 0, false
	}
	return herding.ExpectedWrongArea(herding.Marginals(s.votes(DefaultHypotheses), k), k, s.shares), true
}
