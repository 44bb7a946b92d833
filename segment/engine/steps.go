package engine

import (
	"context"
	"time"

	"collie/herding/diverse"
	"collie/segment/schedule"
)

// Steps that nothing interrupts would take more than 100 ms with more than so many
// superpixels times classes in play, and with more than so many times clicked ones, when
// their similarities to all others are not remembered.
const (
	mostInStep  = 100_000
	mostClicked = 1_000_000
)

// isHeavy reports whether steps are heavy ones, with fixed as Model.Problem takes it.
func isHeavy(fixed []int16, classes int) bool {
	clicked := 0
	for _, f := range fixed {
		if f >= 0 {
			clicked++
		}
	}
	return len(fixed)*classes > mostInStep || len(fixed)*clicked > mostClicked
}

// next makes the next hypothesis when it is its turn. The caller holds the making
// token.
func (s *Sequence) next(ctx context.Context, class schedule.Class) error {
	if s.settled && s.again() {
		return nil
	}
	if s.turn == nil {
		return s.compareFirst(ctx, class, func() error { return s.step(ctx) })
	}
	// What the hypothesis needs first has steps of its own, so that nobody's click
	// waits for all of it. It makes more hypotheses than the next.
	for s.unprepared() != nil {
		if err := s.work(ctx, class, s.prepareSome); err != nil {
			return err
		}
	}
	return s.compareFirst(ctx, class, func() error {
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
	s.stream, s.compared, s.steps = nil, nil, 0
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
