package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"collie/herding"
	"collie/herding/diverse"
	"collie/segment"
	"collie/segment/schedule"
)

// MaxHypotheses is how long a sequence can get; DefaultHypotheses how long it
// is when nobody asks for a length.
const (
	MaxHypotheses     = 100
	DefaultHypotheses = 20
)

// Digest identifies a hypothesis: the first 8 bytes of the SHA-256 of its
// energy (IEEE 754, little-endian) and its labels. The engine is deterministic,
// so the same evidence gives the same digests anywhere.
type Digest [8]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

func digestOf(energy float64, labels []uint8) Digest {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(labels)), math.Float64bits(energy))
	sum := sha256.Sum256(append(b, labels...))
	return Digest(sum[:8])
}

// Hypothesis is one class per superpixel for the whole image. It is immutable.
type Hypothesis struct {
	Rank   int // position in the sequence, from 0
	Labels []uint8
	Energy float64 // higher is better
	Digest Digest
}

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
	turn    Turn                  // nil: every step runs at once
	bench   *Workbench            // nil: work is kept until Rest
	heavy   bool                  // every step is a heavy one
	making  chan struct{}         // holds a token while a step is made or waits for its turn
	model   *Model                // nil with fewer than two classes, as pull, pose and start
	pull    func() *herding.Prior // as Model.Problem takes it
	pose    func() (*herding.Problem, error)
	start   func(*herding.Problem) (*stream, error)
	holds   *Holds // labels are indices of the classes in play; nil where nothing is held
	rest    int    // index of the rest among the classes, or -1
	ladder  func() (*Ladder, error)

	working sync.Mutex                      // held while a step is made
	posed   atomic.Pointer[herding.Problem] // nil before it is needed, and after it was let go of
	stream  *stream                         // nil before the first step, and after it was let go of
	steps   int                             // that the stream took

	mu   sync.Mutex // never held while a step is made
	made []Hypothesis
}

// mostInStep is how many superpixels times classes in play are too many for steps that
// nothing interrupts: they would take more than 100 ms.
const mostInStep = 100_000

// Turn runs a step when it may run. An error is one of not having run it.
type Turn func(ctx context.Context, class schedule.Class, step func()) error

// NewSequence returns the sequence for some evidence after seq events. Nothing is
// computed before the first hypothesis is asked for.
func NewSequence(m *Model, e Evidence, seq int) *Sequence {
	s := &Sequence{seq: seq, parameters: m.Parameters, shares: m.shares, making: make(chan struct{}, 1), prepare: m.Prepare, atOnce: atOnce}
	var rest int
	s.refuted = e.forgetRefuted()
	s.classes, rest = e.inPlay(m.shares)
	switch len(s.classes) {
	case 0:
	case 1:
		labels := slices.Repeat([]uint8{uint8(s.classes[0])}, len(e.Clicks))
		s.made = []Hypothesis{{Labels: labels, Digest: digestOf(0, labels)}}
	default:
		index := indexOf(s.classes)
		fixed := e.fixed(&index)
		s.model, s.heavy = m, len(fixed)*len(s.classes) > mostInStep
		s.settled = e.Holds.settled(fixed)
		s.pull = func() *herding.Prior { return e.pull(m, s.classes, &index, rest) }
		s.pose = func() (*herding.Problem, error) {
			p, err := m.Problem(fixed, len(s.classes), s.pull())
			if err != nil {
				return nil, err
			}
			if err := e.exclude(p, &index); err != nil {
				return nil, err
			}
			preferThing(p, rest)
			return p, nil
		}
		s.holds, s.rest = e.Holds.in(&index), rest
		s.ladder = sync.OnceValues(s.climb)
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

// problem returns the problem, which is read only. There is none with fewer than two
// classes in play.
func (s *Sequence) problem() (*herding.Problem, error) {
	if p := s.posed.Load(); p != nil {
		return p, nil
	}
	s.working.Lock()
	p, err := s.present()
	steps := s.steps
	s.working.Unlock()
	if s.bench != nil {
		s.bench.keep(s, steps)
	}
	return p, err
}

// present is problem for whoever holds the lock for working.
func (s *Sequence) present() (*herding.Problem, error) {
	if p := s.posed.Load(); p != nil {
		return p, nil
	}
	p, err := s.pose()
	if err == nil {
		s.posed.Store(p)
	}
	return p, err
}

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

// Rest lets go of what only further hypotheses need, a fifth of an open image's memory,
// unless somebody is making one. If they are asked for after all, it is made again from
// the first one on.
func (s *Sequence) Rest() {
	select {
	case s.making <- struct{}{}:
		s.letGo()
		<-s.making
	default:
	}
}

// letGo is Rest even when somebody waits for a step, but not while one is made.
func (s *Sequence) letGo() {
	if !s.working.TryLock() {
		return
	}
	defer s.working.Unlock()
	s.stream, s.steps = nil, 0
	if s.workBytes() > smallWork {
		s.posed.Store(nil)
	}
	if s.bench != nil {
		s.bench.gone(s)
	}
}

// workBytes estimates the memory of the problem and the stream.
func (s *Sequence) workBytes() int { return workBytes * len(s.shares) * len(s.classes) }

const (
	workBytes = 50      // of them for each class of each superpixel
	smallWork = 1 << 20 // work whose problem is kept for the suggestion, which comes soon
)

// unprepared is that of the stream.
func (s *Sequence) unprepared() *diverse.Stripped {
	s.working.Lock()
	defer s.working.Unlock()
	if s.stream == nil {
		return nil
	}
	return s.stream.unprepared()
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

// next makes the next hypothesis when it is its turn. The caller holds the making
// token.
func (s *Sequence) next(ctx context.Context, class schedule.Class) error {
	if s.settled && s.again() {
		return nil
	}
	if s.turn == nil {
		return s.work(ctx, class, func() error { return s.step(ctx) })
	}
	// What the hypothesis needs first has steps of its own, so that nobody's click
	// waits for all of it. It makes more hypotheses than the next.
	for s.unprepared() != nil {
		if err := s.work(ctx, class, s.prepareSome); err != nil {
			return err
		}
	}
	return s.work(ctx, class, func() error {
		err := s.step(ctx)
		for err == nil && s.stream.ahead() && s.stream.given < s.Len() {
			err = s.step(ctx)
		}
		return err
	})
}

// again adds the first hypothesis once more, if it has been made.
func (s *Sequence) again() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.made) == 0 {
		return false
	}
	same := s.made[0]
	same.Rank = len(s.made)
	s.made = append(s.made, same)
	return true
}

// work runs a step of the stream when it is its turn.
func (s *Sequence) work(ctx context.Context, class schedule.Class, step func() error) error {
	return s.run(ctx, class, func() error {
		steps, err := s.locked(step)
		if s.bench != nil {
			s.bench.keep(s, steps)
		}
		return err
	})
}

// locked makes a step of the stream and returns how many it has taken.
func (s *Sequence) locked(step func() error) (steps int, err error) {
	s.working.Lock()
	defer s.working.Unlock()
	s.steps++
	return s.steps, step()
}

// run does work of the given class when it is its turn.
func (s *Sequence) run(ctx context.Context, class schedule.Class, work func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.turn == nil {
		return work()
	}
	if s.heavy {
		class |= schedule.Heavy
	}
	var failed error
	if err := s.turn(ctx, class, func() { failed = work() }); err != nil {
		return err
	}
	return failed
}

// atOnce is how long a preparation goes on in one step. Between two steps of one
// sequence others begin, so with short ones everybody's is under way for long.
const atOnce = 2 * time.Millisecond

// prepareSome prepares some of what the next hypothesis needs, if the stream was not let
// go of meanwhile. The caller holds the lock for working.
func (s *Sequence) prepareSome() error {
	if s.stream == nil {
		return nil
	}
	began := time.Now()
	for strip := s.stream.unprepared(); strip != nil; strip = s.stream.unprepared() {
		strip.Prepare()
		if time.Since(began) >= s.atOnce {
			break
		}
	}
	return nil
}

// step makes the stream's next hypothesis and keeps it, unless it was made before
// the sequence rested. The caller holds the lock for working.
func (s *Sequence) step(ctx context.Context) error {
	if s.stream == nil {
		p, err := s.present()
		if err != nil {
			return err
		}
		stream, err := s.start(p)
		if err != nil {
			return err
		}
		s.stream = stream
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	x, energy, err := s.stream.next()
	if err != nil {
		return err
	}
	rank := s.stream.given
	s.stream.given++
	if made, _ := s.ready(rank); made != nil {
		return nil
	}
	labels := make([]uint8, len(x))
	for i, l := range x {
		labels[i] = uint8(s.classes[l])
	}
	made := Hypothesis{Rank: rank, Labels: labels, Energy: energy, Digest: digestOf(energy, labels)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, made)
	return nil
}
