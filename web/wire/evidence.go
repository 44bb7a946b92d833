package wire

import (
	"encoding/json"
	"math"

	"collie/segment"
)

// Evidence is an event as clients send it, over HTTP and the socket.
type Evidence struct {
	ID          string       `json:"id,omitempty" doc:"made by the client, unique within the image" schema:"required,minLength=1,maxLength=64,pattern=^[!-~]*$"`
	ExpectedSeq *int         `json:"expected_seq,omitempty" doc:"number of events that the client has seen" schema:"required,min=0"`
	Kind        string       `json:"kind,omitempty" schema:"required,enum=label|clear|exclude|box|lock|unlock|instance|pixels|accept|guess|embedding|affinities|granularity|undo|redo|restore"`
	Map         string       `json:"map,omitempty" doc:"name of the map that the superpixels belong to; if given and not the current one, the event is refused"`
	Superpixels []int32      `json:"superpixels,omitempty" doc:"of the map without the parts that fine labels divide superpixels into (superpixels.bin?of=whole); of an accept event also parts, as hypotheses number them" schema:"maxItems=200000"`
	Points      [][2]float64 `json:"points,omitempty" doc:"x, y in pixels of the upright image; each means the superpixel at that point. Of a box event: two opposite corners, or none to remove the class's box" schema:"maxItems=200000"`
	Fine        bool         `json:"fine,omitempty" doc:"of a label event: the points, up to 16, are about what is there and not about whole superpixels; superpixels around them are divided"`
	Class       *int         `json:"class,omitempty" doc:"of a label, box, exclude, lock, unlock or instance event: id of the class"`
	Number      *int         `json:"number,omitempty" doc:"of an instance event: which object of the class the finest superpixels at the points belong to, or 0 to forget it. A connected region with several objects is divided between them, to the nearest along the superpixels; objects with one number are one. Regions without any are objects of their own" schema:"min=0,max=65535"`
	Hypothesis  *Pick        `json:"hypothesis,omitempty" doc:"of an accept event; a bare number is the rank. With superpixels, only that region is accepted. Of a fine label event: the hypothesis that was shown, with its digest, which the next ones then correct" schema:"or=integer"`
	Regions     *int         `json:"regions,omitempty" doc:"of a granularity event: the number of superpixels wanted. Labels stay where they are; a superpixel that would contain two labels stays divided" schema:"min=2"`
	Repairs     []Repair     `json:"repairs,omitempty" doc:"of a pixels event: sets the class of single pixels regardless of their superpixel; up to 100,000 runs. Labelling or clearing a superpixel later removes the repairs within it; accepting a hypothesis keeps them" schema:"maxItems=256"`
	To          *int         `json:"to,omitempty" doc:"of a restore event: go back to the labelling, clicks, repairs and granularity after this event; 0 is the start" schema:"min=0"`
}

// Repair gives runs of pixels a class.
type Repair struct {
	Class *int    `json:"class" doc:"id of the class, or 255 for undecided" schema:"required,min=0,max=255"`
	Runs  []int32 `json:"runs" doc:"start, length, start, length, …: runs of pixels that don't overlap, in any order in events and ascending in states; pixel (x, y) of the upright image is number y·width + x"`
}

// Pick names a hypothesis of the current sequence. A bare number is taken
// as its rank.
type Pick struct {
	Rank   int    `json:"rank" schema:"min=-1" doc:"-1 with an offer"`
	Digest string `json:"digest,omitempty" doc:"if given, it must be the digest of the current hypothesis with this rank, or of the offer"`
	Offer  *Offer `json:"offer,omitempty" doc:"of a request: a labelling that is not in the sequence"`
}

// Offer names a labelling from GET …/guess, GET …/ladder or GET …/alternatives.
type Offer struct {
	Guess       bool    `json:"guess,omitempty" doc:"the first guess as it is"`
	Rung        *int    `json:"rung,omitempty" schema:"min=0" doc:"a rung of the ladder"`
	Superpixels []int32 `json:"superpixels,omitempty" doc:"of an alternative: those that have the class"`
	Class       *int    `json:"class,omitempty" doc:"of an alternative: id of the class"`
}

// UnmarshalJSON accepts {"rank", "digest"} and a bare rank.
func (p *Pick) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		if err := json.Unmarshal(b, &p.Rank); err != nil {
			return segment.Errorf(segment.Invalid, "The field \"hypothesis\" must be {\"rank\": 0, \"digest\": \"…\"} or a rank, a whole number. Nothing was changed.")
		}
		return nil
	}
	type plain Pick
	p.Rank = noRank // which null leaves as it is
	if err := json.Unmarshal(b, (*plain)(p)); err != nil {
		return err
	}
	if p.Rank == noRank && p.Offer == nil {
		return segment.Errorf(segment.Invalid, "The field \"hypothesis.rank\" is missing: an event names a hypothesis as {\"rank\": 0, \"digest\": \"…\"}. Nothing was changed.")
	}
	return nil
}

// noRank stands for a rank that a client left out.
const noRank = math.MinInt

// pick is what the domain calls it.
func (p *Pick) pick() (*segment.Pick, error) {
	out := &segment.Pick{Rank: p.Rank, Digest: p.Digest}
	if o := p.Offer; o != nil {
		out.Rank, out.Offer = segment.Offered, &segment.Offer{Guess: o.Guess, Superpixels: o.Superpixels}
		switch {
		case p.Rank != segment.Offered && p.Rank != noRank:
			return nil, segment.Errorf(segment.Invalid, "The field \"hypothesis\" names hypothesis %d and an offer; send an offer with rank %d, and a hypothesis without an offer. Nothing was changed.", p.Rank, segment.Offered)
		case !o.Guess && o.Rung == nil && len(o.Superpixels) == 0 && o.Class == nil:
			return nil, segment.Errorf(segment.Invalid, "The offer names no labelling: send the guess, the rung of a ladder, or the superpixels and the class of an alternative. Nothing was changed.")
		case o.Guess && (o.Rung != nil || o.Superpixels != nil || o.Class != nil), o.Rung != nil && (o.Superpixels != nil || o.Class != nil):
			return nil, segment.Errorf(segment.Invalid, "The offer names several labellings: send the guess, the rung of a ladder, or the superpixels and the class of an alternative. Nothing was changed.")
		case (o.Class == nil) != (len(o.Superpixels) == 0):
			return nil, segment.Errorf(segment.Invalid, "The offer names an alternative only in part: send its superpixels and its class. Nothing was changed.")
		case o.Class != nil:
			out.Offer.Class = *o.Class
		case o.Rung != nil:
			out.Offer.Rung = *o.Rung
		}
	}
	return out, nil
}

// Event turns what a client sent into an event of the domain and the number of
// events that the client had seen.
func (e *Evidence) Event() (segment.Event, int, error) {
	ev := segment.Event{ID: e.ID, Kind: segment.EventKind(e.Kind), Map: e.Map, Superpixels: e.Superpixels, Points: e.Points}
	if e.ID == "" {
		return ev, 0, segment.Errorf(segment.Invalid, "The field \"id\" is missing: the client has to make a new id for each event, so that repeats are stored only once. Nothing was changed.")
	}
	if e.ExpectedSeq == nil {
		return ev, 0, segment.Errorf(segment.Invalid, "The field \"expected_seq\" is missing: send the number of events that the client has seen. Nothing was changed.")
	}
	if *e.ExpectedSeq < 0 {
		return ev, 0, segment.Errorf(segment.Invalid, "The field \"expected_seq\" is %d; send the number of events that the client has seen, 0 or more. Nothing was changed.", *e.ExpectedSeq)
	}
	if ev.Kind == segment.Click {
		return ev, 0, segment.Errorf(segment.Invalid, "Event kind %q can't be sent: a click is a label event with points and \"fine\": true. Nothing was changed.", e.Kind)
	}
	if e.Fine {
		if ev.Kind != segment.Label {
			return ev, 0, segment.Errorf(segment.Invalid, "The field \"fine\" belongs to label events, not to one of kind %.40q. Nothing was changed.", e.Kind)
		}
		ev.Kind = segment.Click
	}
	switch ev.Kind {
	case segment.Click, segment.Label, segment.Outline, segment.Exclude, segment.Lock, segment.Unlock, segment.Instance:
		if e.Class == nil {
			return ev, 0, segment.Errorf(segment.Invalid, "The field \"class\" is missing: an event of kind %s needs a class. Nothing was changed.", e.Kind)
		}
		ev.Class = *e.Class
		if ev.Kind == segment.Instance {
			if e.Number == nil || *e.Number < 0 || *e.Number > segment.MaxObjects {
				return ev, 0, segment.Errorf(segment.Invalid, "The field \"number\" of an instance event must be the number of the object, 1 to %d, or 0 to forget it. Nothing was changed.", segment.MaxObjects)
			}
			ev.Instances = []int32{int32(*e.Number)}
		}
	case segment.Pixels:
		for i, r := range e.Repairs {
			if r.Class == nil || *r.Class < 0 || *r.Class > segment.Void {
				return ev, 0, segment.Errorf(segment.Invalid, "The field \"class\" of repair %d must be a class id from 0 to 254, or 255 for undecided. Nothing was changed.", i)
			}
			ev.Repairs = append(ev.Repairs, segment.Repair{Class: uint8(*r.Class), Runs: r.Runs})
		}
	case segment.Granularity:
		if e.Regions == nil {
			return ev, 0, segment.Errorf(segment.Invalid, "The field \"regions\" is missing: send the number of superpixels that you want. Nothing was changed.")
		}
		ev.Regions = *e.Regions
	case segment.Restore:
		if e.To == nil {
			return ev, 0, segment.Errorf(segment.Invalid, "The field \"to\" is missing: send the number of the event whose state you want back. Nothing was changed.")
		}
		ev.To = *e.To
	case segment.Accept:
		if e.Hypothesis == nil {
			return ev, 0, segment.Errorf(segment.Invalid, "The field \"hypothesis\" is missing: an accept event names one, as {\"rank\": 0, \"digest\": \"…\"}. Nothing was changed.")
		}
	}
	if e.Hypothesis != nil && (ev.Kind == segment.Accept || ev.Kind == segment.Click) {
		var err error
		if ev.Pick, err = e.Hypothesis.pick(); err != nil {
			return ev, 0, err
		}
	}
	return ev, *e.ExpectedSeq, nil
}
