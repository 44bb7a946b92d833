package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"collie/herding"
	"collie/segment"
	"collie/segment/schedule"
)

// MaxHypotheses is how long a sequence can get; DefaultHypotheses how long it
// is when nobody asks for a length.
const (
	MaxHypotheses     = 100
	DefaultHypotheses = 20
)

// Sequence is the deterministic stream of hypotheses for one state of the
// evidence. It is made on demand, one hypothesis at a time, remembers what it
// made, and is shared by all who ask: the page, scripts, an accept. Safe for
// concurrent use.
type Sequence struct {
	seq     int
	classes []int     // ids of the classes in play, ascending, Void for undecided the last
	shares  []float64 // part of the image's area that each superpixel has

	parameters Parameters
	settled    bool // everything is picked, and nothing clicked since
	refuted    bool // clicks contradict the guess so much that it counts for nothing

	prepare func()
	atOnce  time.Duration
	part    time.Duration
	turn    Turn                  // nil: every step runs at once
	bench   *Workbench            // nil: work is kept until Rest
	heavy   bool                  // every step is a heavy one
	making  chan struct{}         // holds a token while a step is made or waits for its turn
	model   *Model                // nil with fewer than two classes, as pull, compare, pose and start
	pull    func() *herding.Prior // as Model.Problem takes it
	compare func() *comparison    // begins to compare with all clicks
	pose    func(*alike) (*herding.Problem, error)
	start   func(*herding.Problem) (*stream, error)
	holds   *Holds                      // labels are indices of the classes in play; nil where nothing is held
	rest    int                         // index of the rest among the classes, or -1
	guessed func(first []uint8) []uint8 // see Evidence.guessed; nil without a guess

	working  sync.Mutex                      // held while a step is made
	compared *comparison                     // nil before it is begun, and once there is a problem
	posed    atomic.Pointer[herding.Problem] // nil before it is needed, and after it was let go of
	ladder   atomic.Pointer[Ladder]          // nil until it is asked for
	stream   *stream                         // nil before the first step, and after it was let go of
	steps    int                             // that the stream took

	mu   sync.Mutex // never held while a step is made
	made []Hypothesis
}

// Turn runs a step when it may run. An error is one of not having run it.
type Turn func(ctx context.Context, class schedule.Class, step func()) error

// NewSequence returns the sequence for some evidence after seq events. Nothing is
// computed before the first hypothesis is asked for.
func NewSequence(m *Model, e Evidence, seq int) *Sequence {
	s := &Sequence{seq: seq, parameters: m.Parameters, shares: m.shares, making: make(chan struct{}, 1), prepare: m.Prepare, atOnce: atOnce, part: part}
	var rest int
	s.refuted = e.forgetRefuted()
	s.classes, rest = e.inPlay(m.shares)
	if e.Guess != nil && len(s.classes) > 0 {
		s.guessed = func(first []uint8) []uint8 { return e.guessed(s.classes, rest, first) }
	}
	switch len(s.classes) {
	case 0:
	case 1:
		labels := slices.Repeat([]uint8{uint8(s.classes[0])}, len(e.Clicks))
		s.made = []Hypothesis{{Labels: labels, Digest: digestOf(0, labels)}}
	default:
		index := indexOf(s.classes)
		fixed := e.fixed(&index)
		s.model, s.heavy = m, isHeavy(fixed, len(s.classes))
		s.settled = e.Holds.settled(fixed)
		s.pull = func() *herding.Prior { return e.pull(m, s.classes, &index, rest) }
		s.compare = func() *comparison { return m.affinities().clicks(fixed, len(s.classes)) }
		s.pose = func(a *alike) (*herding.Problem, error) {
			pull := s.pull()
			p, err := m.problem(a, fixed, len(s.classes), pull, e.clicksAndPicks(pull))
			if err != nil {
				return nil, err
			}
			if err := e.exclude(p, &index, rest); err != nil {
				return nil, err
			}
			preferThing(p, rest)
			return p, nil
		}
		s.holds, s.rest = e.Holds.in(&index), rest
		s.start = func(p *herding.Problem) (*stream, error) {
			return newStream(m, p, &e, s.holds, &index, rest)
		}
	}
	return s
}

// indexOf returns the index of each class among those in play, or -1.
func indexOf(classes []int) (index [256]int16) {
	for class := range index {
		index[class] = -1
	}
	for i, class := range classes {
		index[class] = int16(i)
	}
	return index
}

// TakeTurns makes steps run when turn lets them. It must be called before the
// first hypothesis is asked for.
func (s *Sequence) TakeTurns(turn Turn) { s.turn = turn }

// WorkOn makes a workbench keep the sequence's work. It must be called before the first
// hypothesis is asked for.
func (s *Sequence) WorkOn(b *Workbench) { s.bench = b }

// Seq is the number of events of the evidence that the sequence is for.
func (s *Sequence) Seq() int { return s.seq }

// Parameters are those of the model.
func (s *Sequence) Parameters() Parameters { return s.parameters }

// Classes returns the classes in play, ascending; the slice is shared.
func (s *Sequence) Classes() []int { return s.classes }

// Len is how many hypotheses there are: none without a class in play, one with a
// single class, because no other class has evidence.
func (s *Sequence) Len() int {
	switch len(s.classes) {
	case 0, 1:
		return len(s.classes)
	}
	return MaxHypotheses
}

// Refuted reports whether clicks contradict the first guess so much that it counts
// for nothing.
func (s *Sequence) Refuted() bool { return s.refuted }

// Settled reports whether a whole labelling was accepted and nothing has been
// clicked since: picks last, so all hypotheses are that one.
func (s *Sequence) Settled() bool { return s.settled }

// Different returns how many of the first so many hypotheses are worth showing: when
// it is settled the others would be the same as the first.
func (s *Sequence) Different(count int) int {
	if s.settled {
		count = min(count, 1)
	}
	return min(count, s.Len())
}

// At returns the hypothesis of the given rank, making those before it when
// they are not there yet. Between two of them it stops when ctx is done. When
// the server has too much to do the error is of kind Busy.
func (s *Sequence) At(ctx context.Context, rank int) (Hypothesis, error) {
	return s.at(ctx, rank, schedule.First, schedule.Later)
}

// Made returns the hypothesis of the given rank when it has been made.
func (s *Sequence) Made(rank int) (h Hypothesis, ok bool) {
	if rank < 0 {
		return h, false
	}
	made, _ := s.ready(rank)
	if made == nil {
		return h, false
	}
	return *made, true
}

// Supposed is At of the first hypothesis when the evidence is only supposed: all
// who wait for a first hypothesis of what there is go before.
func (s *Sequence) Supposed(ctx context.Context) (Hypothesis, error) {
	return s.at(ctx, 0, schedule.Supposed, schedule.Foreseen)
}

// Foresee makes the first so many hypotheses of supposed evidence while nobody waits
// for any others.
func (s *Sequence) Foresee(ctx context.Context, count int) error {
	count = s.Different(count)
	if count == 0 {
		return nil
	}
	_, err := s.at(ctx, count-1, schedule.Supposed, schedule.Foreseen)
	return err
}

// Prepare computes what the hypotheses of whatever evidence comes next share, so
// that it needn't wait. It runs when nobody waits for a first hypothesis.
func (s *Sequence) Prepare(ctx context.Context) error {
	if s.turn == nil {
		s.prepare()
		return nil
	}
	return s.turn(ctx, schedule.Supposed, s.prepare)
}

// at is At where the first hypothesis and those after it are of the given classes.
func (s *Sequence) at(ctx context.Context, rank int, first, later schedule.Class) (Hypothesis, error) {
	if rank < 0 || rank >= s.Len() {
		if s.Len() == 0 {
			return Hypothesis{}, segment.Errorf(segment.Invalid, "There is no hypothesis %d: nothing has been clicked yet.", rank)
		}
		return Hypothesis{}, segment.Errorf(segment.Invalid, "There is no hypothesis %d: the current evidence has hypotheses 0 to %d.", rank, s.Len()-1)
	}
	if h, _ := s.ready(rank); h != nil {
		return *h, nil
	}
	select {
	case s.making <- struct{}{}:
		defer func() { <-s.making }()
	case <-ctx.Done():
		return Hypothesis{}, ctx.Err()
	}
	for {
		h, count := s.ready(rank)
		if h != nil {
			return *h, nil
		}
		if err := ctx.Err(); err != nil {
			return Hypothesis{}, err
		}
		class := later
		if count == 0 {
			class = first
		}
		if err := s.next(ctx, class); err != nil {
			return Hypothesis{}, err
		}
	}
}

// ready returns the hypothesis of the given rank if it has been made, and how
// many have been.
func (s *Sequence) ready(rank int) (*Hypothesis, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rank < len(s.made) {
		return &s.made[rank], len(s.made)
	}
	return nil, len(s.made)
}
