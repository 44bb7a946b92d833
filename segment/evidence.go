package segment

import (
	"slices"
	"time"

	"collie/superpixels"
)

// EventKind names what an event of the evidence log says.
type EventKind string

const (
	Label  EventKind = "label"  // superpixels have a class, says the person
	Clear  EventKind = "clear"  // superpixels are undecided again
	Accept EventKind = "accept" // a hypothesis, or a region of it, becomes the labelling
	Undo   EventKind = "undo"   // takes back the last event of another kind that stands
	Redo   EventKind = "redo"   // brings back what the last undo took

	Pixels     EventKind = "pixels"  // single pixels have a class, whatever their superpixel has
	Import     EventKind = "import"  // a mask made elsewhere becomes the labelling; see Annotation.ImportMask
	FirstGuess EventKind = "guess"   // scores made elsewhere become the first guess; see Annotation.SetGuess
	Restore    EventKind = "restore" // labelling, clicks, repairs and granularity become what they were

	Granularity EventKind = "granularity" // superpixels become coarser or finer
)

// FewestRegions is the coarsest granularity that can be asked for.
const FewestRegions = 2

// Limits of one event.
const (
	maxEventID    = 64      // bytes of a client-made identifier
	maxEventItems = 200_000 // superpixels and points in one event
)

// Event is one entry of an image's evidence: an append-only log from which the
// labelling and every hypothesis can be recomputed.
type Event struct {
	ID          string // made by the client; a repeat is stored once
	Seq         int    // position in the log, from 1; set when stored
	Kind        EventKind
	Superpixels []int32      // of the map in force; label, clear: at least one; accept: the region, or all when empty
	Map         string       // name of the map that Superpixels are of, when the client says; not stored
	Points      [][2]float64 // where the person clicked, in pixels of the image; may be empty
	Class       int          // label only: id of the class
	Regions     int          // granularity only: how many superpixels are wanted
	Pick        *Pick        // accept only
	Repairs     []Repair     // pixels, import; each pixel is in one run at most
	Cells       []uint8      // import only: class id or Void per cell
	Scores      *Scores      // guess only
	To          int          // restore only: number of the event to go back to
	By          string       // name of who made it, when known; set when appended
	Created     time.Time
}

// Pick names the hypothesis that an accept event takes over. Labels is filled
// in by the server and stored, so that a labelling never depends on running an
// old engine again.
type Pick struct {
	Rank   int
	Digest string
	Labels []uint8 // class id per superpixel of the map in force
}

// same reports whether a request asks for what the stored event e did; used to
// tell a repeated request from a reused identifier. Points count for more than
// superpixels, whose numbers change with the granularity.
func (e *Event) same(request *Event) bool {
	if e.Kind != request.Kind || e.Class != request.Class || e.Regions != request.Regions || e.To != request.To || !slices.Equal(e.Cells, request.Cells) || !e.Scores.same(request.Scores) || !slices.Equal(e.Points, request.Points) {
		return false
	}
	if !slices.EqualFunc(e.Repairs, request.Repairs, func(a, b Repair) bool { return a.Class == b.Class && slices.Equal(a.Runs, b.Runs) }) {
		return false
	}
	if len(e.Points) == 0 && !slices.Equal(e.Superpixels, request.Superpixels) {
		return false
	}
	if e.Pick == nil || request.Pick == nil {
		return e.Pick == request.Pick
	}
	return e.Pick.Rank == request.Pick.Rank
}

// check validates what can be said of an event without looking at the labels:
// its identifier, kind, and the ranges of superpixels, pixels, classes and
// granularity.
func (e *Event) check(p *Project, seq, superpixels int, cells *superpixels.Runs) error {
	if len(e.ID) == 0 || len(e.ID) > maxEventID || !printable(e.ID) {
		return Errorf(Invalid, "An event needs an id of 1 to %d printable ASCII characters, made by the client.", maxEventID)
	}
	if len(e.Superpixels) > maxEventItems {
		return Errorf(Invalid, "One event can name up to %d superpixels; this one has %d.", maxEventItems, len(e.Superpixels))
	}
	for _, s := range e.Superpixels {
		if s < 0 || int(s) >= superpixels {
			return Errorf(Invalid, "Superpixel %d does not exist: this image has superpixels 0 to %d. Nothing was changed.", s, superpixels-1)
		}
	}
	switch e.Kind {
	case Label:
		if err := p.known(e.Class); err != nil {
			return err
		}
		fallthrough
	case Clear:
		if len(e.Superpixels) == 0 {
			return Errorf(Invalid, "A %s event needs at least one superpixel or point.", e.Kind)
		}
	case Accept:
		if e.Pick == nil {
			return Errorf(Invalid, "An accept event names its hypothesis: {\"rank\": 0, \"digest\": \"…\"}.")
		}
	case Restore:
		if e.To < 0 || e.To > seq {
			return Errorf(Invalid, "There is no event %d to go back to: this image has events 1 to %d, and 0 stands for the beginning. Nothing was changed.", e.To, seq)
		}
	case Pixels:
		return checkStroke(e.Repairs, p, cells.Area())
	case Import:
		if len(e.Cells) != cells.N {
			return Errorf(Invalid, "An import can't be sent as an event; upload the mask. Nothing was changed.")
		}
		for _, l := range e.Cells {
			if l != Void {
				if err := p.known(int(l)); err != nil {
					return err
				}
			}
		}
		return checkRepairs(e.Repairs, p, cells.Area())
	case FirstGuess:
		if !e.Scores.fits(cells.N) {
			return Errorf(Invalid, "A first guess can't be sent as an event; upload the scores. Nothing was changed.")
		}
		for _, id := range e.Scores.Classes {
			if err := p.known(int(id)); err != nil {
				return err
			}
		}
	case Granularity:
		if fewest := min(FewestRegions, cells.N); e.Regions < fewest || e.Regions > cells.N {
			return Errorf(Invalid, "This image can have %d to %d superpixels, not %d. Nothing was changed.", fewest, cells.N, e.Regions)
		}
	case Undo, Redo:
	default:
		return Errorf(Invalid, "Event kind %q is not known; known are label, clear, pixels, accept, granularity, undo, redo and restore.", e.Kind)
	}
	return nil
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
