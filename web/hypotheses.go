package web

import (
	"net/http"
	"slices"

	"collie/segment/engine"
	"collie/web/live"
	"collie/web/query"
	"collie/web/wire"
)

type hypothesesJSON struct {
	Seq        int               `json:"seq"`
	Map        string            `json:"map" doc:"name of the superpixel map that the labels are for"`
	Classes    []int             `json:"classes" doc:"ids of the classes in play: those with evidence or in the first guess, and what the project makes the rest; 255 is undecided"`
	Status     string            `json:"status" schema:"enum=complete|one-class|no-evidence"`
	Detail     string            `json:"detail,omitempty"`
	Parameters engine.Parameters `json:"parameters"`
	Hypotheses []wire.Hypothesis `json:"hypotheses"`

	Marginals  [][]float64      `json:"marginals" doc:"for each superpixel, the share of hypotheses that give it each of the classes; empty without hypotheses"`
	WrongArea  float64          `json:"expected_wrong_area" doc:"expected share of the image, 0 to 1, that the most likely classes get wrong"`
	Marked     *int             `json:"marked" doc:"rank of the hypothesis with the best expected mean IoU, if one of them is the truth; null without hypotheses. Where it isn't the first, it is better more often than worse with few clicks, and not with many"`
	Areas      []areaJSON       `json:"areas" doc:"for each class in play, the share of the image that it probably has: what the middle 80 % of the hypotheses give it, a little widened, so that about 8 of 10 ranges hold the true share"`
	Suggestion *suggestionJSON  `json:"suggestion" doc:"the superpixel whose label is expected to help most, from the evidence rather than the hypotheses; null when no label is expected to help"`
	Further    []suggestionJSON `json:"further_suggestions" doc:"the superpixels whose labels are expected to help next, the most useful first"`
}

type areaJSON struct {
	Class int     `json:"class"`
	Low   float64 `json:"low" schema:"min=0,max=1"`
	High  float64 `json:"high" schema:"min=0,max=1"`
}

// suggestionJSON is the superpixel whose label is expected to help most.
type suggestionJSON struct {
	Superpixel int     `json:"superpixel"`
	Gain       float64 `json:"gain" doc:"expected decrease of the share of the image that is wrong, by probabilities that are less sure than the model's"`
}

var countQuery = query.Int{Name: "count", Fallback: engine.DefaultHypotheses, High: engine.MaxHypotheses, Doc: "how many; 0 for only the suggestion"}

// listHypotheses computes the sequence for the current evidence, for scripts,
// and suggests the next click; with a count of 0, as the page asks, it does
// only the latter.
func (s *Server) listHypotheses(w http.ResponseWriter, r *http.Request) error {
	out, give, err := s.hypotheses(r)
	if err != nil {
		return err
	}
	defer give()
	return s.answers.JSON(w, http.StatusOK, out)
}

// Memory for each class of each superpixel.
const (
	suggestBytes  = 16 // while the suggestion is made: two tables of what is probable
	marginalBytes = 40 // in the answer: the number, its digits in JSON, and a part of its superpixel's list
)

// hypotheses is the answer of listHypotheses, whose memory is lent until give is
// called.
func (s *Server) hypotheses(r *http.Request) (out hypothesesJSON, give func(), err error) {
	count, err := countQuery.Of(r)
	if err != nil {
		return out, nil, err
	}
	a, err := s.annotation(r)
	if err != nil {
		return out, nil, err
	}
	defer a.Close()
	state, sequence := a.Present()
	defer sequence.Rest()
	out = hypothesesJSON{
		Seq: sequence.Seq(), Map: state.Map, Classes: append([]int{}, sequence.Classes()...),
		Parameters: sequence.Parameters(), Hypotheses: []wire.Hypothesis{}, Marginals: [][]float64{}, Areas: []areaJSON{}, Further: []suggestionJSON{},
	}
	out.Status, out.Detail = live.Outcome(sequence)
	for rank := range min(count, sequence.Len()) {
		h, err := sequence.At(r.Context(), rank)
		if err != nil {
			return out, nil, err
		}
		out.Hypotheses = append(out.Hypotheses, wire.Hypothesis{Rank: h.Rank, Energy: h.Energy, Digest: h.Digest.String(), Labels: h.Labels})
	}
	size := suggestBytes * len(out.Classes)
	if n := len(out.Hypotheses); n > 0 {
		size += 2*n + marginalBytes*len(out.Classes)
	}
	if give, err = s.memory.Lend(r.Context(), int64(size)*int64(len(state.Labels))); err != nil {
		return out, nil, err
	}
	complete := false
	defer func() {
		if !complete {
			give()
		}
	}()
	u, err := sequence.Uncertainty(r.Context(), count)
	if err != nil {
		return out, give, err
	}
	out.Marginals = slices.AppendSeq(out.Marginals, slices.Chunk(u.Marginals, max(1, len(out.Classes))))
	out.WrongArea = u.WrongArea
	if len(out.Hypotheses) > 0 {
		out.Marked = &u.Marked
	}
	for l, a := range u.Areas {
		out.Areas = append(out.Areas, areaJSON{out.Classes[l], a.Low, a.High})
	}
	worth, err := sequence.Suggest(r.Context())
	if err != nil {
		return out, give, err
	}
	for i, next := range worth {
		suggestion := suggestionJSON{Superpixel: next.Superpixel, Gain: next.Gain}
		if i == 0 {
			out.Suggestion = &suggestion
		} else {
			out.Further = append(out.Further, suggestion)
		}
	}
	complete = true
	return out, give, nil
}
