package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"sync"

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
	classes []int     // class indices in play, ascending
	shares  []float64 // part of the image's area that each superpixel has

	turn    Turn                             // nil: every step runs at once
	making  chan struct{}                    // holds a token while a step is made or waits for its turn
	problem func() (*herding.Problem, error) // nil with fewer than two classes, as model and guess
	model   *Model
	guess   func() []float64  // of the classes in play, nil without a guess
	herding *herding.Sequence // with making; nil before the first step

	mu   sync.Mutex // never held while a step is made
	made []Hypothesis
}

// Turn runs a step when it may run. An error is one of not having run it.
type Turn func(ctx context.Context, class schedule.Class, step func()) error

// NewSequence returns the sequence for the clicked class per superpixel (Void
// where there is none) and a first guess, or nil, after seq events. The classes
// in play are those that have been clicked and those that the guess has as the
// most probable somewhere. Nothing is computed before the first hypothesis is
// asked for.
func NewSequence(m *Model, clicks []uint8, guess *Guess, seq int) *Sequence {
	s := &Sequence{seq: seq, shares: m.shares, making: make(chan struct{}, 1)}
	var guessed [segment.MaxClasses]bool
	if guess != nil {
		guessed = guess.probable()
	}
	place := [segment.MaxClasses]int16{}
	for class := range segment.MaxClasses {
		if guessed[class] || slices.Contains(clicks, uint8(class)) {
			place[class] = int16(len(s.classes))
			s.classes = append(s.classes, class)
		}
	}
	switch len(s.classes) {
	case 0:
	case 1:
		labels := slices.Repeat([]uint8{uint8(s.classes[0])}, len(clicks))
		s.made = []Hypothesis{{Labels: labels, Digest: digestOf(0, labels)}}
	default:
		fixed := make([]int16, len(clicks))
		for i, c := range clicks {
			fixed[i] = -1
			if c != segment.Void {
				fixed[i] = place[c]
			}
		}
		s.model = m
		s.guess = func() []float64 {
			if guess == nil {
				return nil
			}
			return guess.restrict(s.classes)
		}
		s.problem = func() (*herding.Problem, error) {
			return m.Problem(fixed, len(s.classes), s.guess())
		}
	}
	return s
}

// TakeTurns makes steps run when turn lets them. It must be called before the
// first hypothesis is asked for.
func (s *Sequence) TakeTurns(turn Turn) { s.turn = turn }

// Seq is the number of events of the evidence that the sequence is for.
func (s *Sequence) Seq() int { return s.seq }

// Classes returns the classes in play, ascending; the slice is shared.
func (s *Sequence) Classes() []int { return s.classes }

// Len is how many hypotheses there are: none without a class in play, one with a
// single class, since nothing speaks for another then.
func (s *Sequence) Len() int {
	switch len(s.classes) {
	case 0, 1:
		return len(s.classes)
	}
	return MaxHypotheses
}

// At returns the hypothesis of the given rank, making those before it when
// they are not there yet. Between two of them it stops when ctx is done. When
// the server has too much to do the error is of kind Busy.
func (s *Sequence) At(ctx context.Context, rank int) (Hypothesis, error) {
	return s.at(ctx, rank, schedule.First)
}

// Supposed is At of the first hypothesis when the evidence is only supposed: all
// who wait for a first hypothesis of what there is go before.
func (s *Sequence) Supposed(ctx context.Context) (Hypothesis, error) {
	return s.at(ctx, 0, schedule.Supposed)
}

// at is At where the first hypothesis is of the given class.
func (s *Sequence) at(ctx context.Context, rank int, first schedule.Class) (Hypothesis, error) {
	if rank < 0 || rank >= s.Len() {
		if s.Len() == 0 {
			return Hypothesis{}, segment.Errorf(segment.Invalid, "There is no hypothesis %d: nothing has been clicked yet.", rank)
		}
		return Hypothesis{}, segment.Errorf(segment.Invalid, "There is no hypothesis %d: the present evidence has hypotheses 0 to %d.", rank, s.Len()-1)
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
		if err := s.next(ctx, count, first); err != nil {
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

// next makes the next hypothesis, of the given rank, when it is its turn. The
// caller holds the making token.
func (s *Sequence) next(ctx context.Context, rank int, first schedule.Class) error {
	if s.turn == nil {
		return s.step(ctx, rank)
	}
	class := schedule.Later
	if rank == 0 {
		class = first
	}
	var failed error
	if err := s.turn(ctx, class, func() { failed = s.step(ctx, rank) }); err != nil {
		return err
	}
	return failed
}

func (s *Sequence) step(ctx context.Context, rank int) error {
	if s.herding == nil {
		problem, err := s.problem()
		if err != nil {
			return err
		}
		if s.herding, err = herding.NewSequence(problem); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	h := s.herding.Next()
	labels := make([]uint8, len(h.Labels))
	for i, l := range h.Labels {
		labels[i] = uint8(s.classes[l])
	}
	made := Hypothesis{Rank: rank, Labels: labels, Energy: h.Energy, Digest: digestOf(h.Energy, labels)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, made)
	return nil
}
