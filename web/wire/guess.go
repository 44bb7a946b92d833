package wire

import "collie/segment"

// Guess is the first guess that an image has.
type Guess struct {
	Model  int         `json:"model" doc:"number of the project's model that made it; 0 for imported scores and for the labelling of another image"`
	Learnt int         `json:"learnt" doc:"number of finished images that it was learned from"`
	Sure   []SureClass `json:"sure" doc:"the classes that it is sure of somewhere, those with the largest area first"`
}

// SureClass is a class that a guess is sure of.
type SureClass struct {
	Class int     `json:"class" doc:"id of the class"`
	Area  float64 `json:"area" doc:"share of the area where its probability is at least 0.8" schema:"min=0,max=1"`
}

// GuessOf puts a guess into the form in which clients read it, nil for none.
func GuessOf(g *segment.GuessView) *Guess {
	if g == nil {
		return nil
	}
	out := &Guess{Model: g.Model, Learnt: g.Learnt, Sure: make([]SureClass, len(g.Sure))}
	for i, s := range g.Sure {
		out.Sure[i] = SureClass{int(s.ID), s.Area}
	}
	return out
}
