// Package schedule shares the processors among all who wait for hypotheses,
// and keeps long work out of their way.
//
// Hypotheses are made in short steps, 0.2 to 5 ms each, which nothing
// interrupts. Before each step its sequence waits for its turn: the first
// hypothesis of any image goes before supposed ones, these before later ones, and
// these before those that come after a supposed one, of every other; users take
// turns, at later hypotheses long enough for a usual sequence; a cancelled request leaves the queue at once; and when
// the queue is so long that people would notice, the answer is ErrBusy instead of
// a place at its end. After each step the goroutine lets others run that are ready
// (a Go program would otherwise let it go on for 10 ms).
//
// Very many classes or clicks make steps of a second or more. Such heavy ones run one at a time, and
// like long work, so that they delay each other only. They take turns in the same way, but
// a turn at later hypotheses is long, because what a sequence needs for its next one takes
// much memory, and room is for few.
//
// Long work (decoding and segmenting uploads, writing exports) can't be cut
// into such steps. Little of it runs at once, on low-priority threads (see Long).
package schedule

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"time"

	"collie/segment/queue"
)

// ErrBusy says that too much is waiting already; trying again later helps.
var ErrBusy = errors.New("schedule: too much is waiting")

// Limits of a Scheduler; zero fields take their defaults.
type Limits struct {
	Workers     int           // steps at the same time; GOMAXPROCS
	Waiting     int           // steps that wait in each class
	Own         int           // heavy steps of one user that do
	Patience    time.Duration // a first hypothesis that would wait for longer is refused
	Turn        time.Duration // of a processor for a user's later hypotheses before other users have theirs
	Long        int           // pieces of long work at the same time; half of Workers, at least one
	LongWaiting int           // pieces of long work that wait
}

// OrDefault returns l with zeros replaced by the defaults.
func (l Limits) OrDefault() Limits {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = max(1, to)
		}
	}
	set(&l.Workers, runtime.GOMAXPROCS(0))
	set(&l.Waiting, 1024)
	set(&l.Long, l.Workers/2)
	set(&l.LongWaiting, 64)
	set(&l.Own, 64)
	if l.Patience == 0 {
		l.Patience = 200 * time.Millisecond
	}
	if l.Turn == 0 {
		l.Turn = 100 * time.Millisecond
	}
	return l
}

// Scheduler lets work have its turns. Safe for concurrent use.
type Scheduler struct {
	mu      sync.Mutex
	policy  *policy
	heavy   *policy // of heavy steps
	dropped int
	refused int

	long *queue.Queue
}

// New returns a scheduler with nothing to do. It has no goroutines of its own.
func New(l Limits) *Scheduler {
	l = l.OrDefault()
	light, heavy := l, l
	light.Own = 0
	heavy.Workers, heavy.Patience, heavy.Turn = 1, math.MaxInt64, heavyTurn
	return &Scheduler{policy: newPolicy(light), heavy: newPolicy(heavy), long: queue.New(l.Long, l.LongWaiting)}
}

// heavyTurn is enough for a usual sequence of heavy steps.
const heavyTurn = 20 * time.Second

// Do runs step when it is the user's turn and returns when it has run. The
// error is ErrBusy or that of ctx when it has not. A heavy step waits for other heavy
// ones, and runs as Long would run it.
func (s *Scheduler) Do(ctx context.Context, class Class, user string, step func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	policy := s.policy
	if class&Heavy != 0 {
		policy = s.heavy
	}
	j := &job{class: class &^ Heavy, user: user, start: make(chan struct{})}
	s.mu.Lock()
	if !policy.add(j) {
		s.refused++
		s.mu.Unlock()
		return ErrBusy
	}
	policy.begin()
	s.mu.Unlock()
	select {
	case <-j.start:
	case <-ctx.Done():
		s.mu.Lock()
		waited := policy.drop(j)
		if waited {
			s.dropped++
		}
		s.mu.Unlock()
		if waited {
			return ctx.Err()
		}
	}
	began := time.Now()
	defer func() {
		s.mu.Lock()
		policy.end(j, time.Since(began))
		policy.begin()
		s.mu.Unlock()
		runtime.Gosched()
	}()
	if policy == s.heavy {
		apart(step)
	} else {
		step()
	}
	return nil
}

// begin lets those run whose turn it is. The caller holds the scheduler's lock.
func (p *policy) begin() {
	for j := p.next(); j != nil; j = p.next() {
		close(j.start)
	}
}

// Load is what a scheduler has to do at a moment, and what it has turned away.
type Load struct {
	Running [classes]int // steps by class
	Waiting [classes]int
	Long    int // pieces of long work that run or wait
	Heavy   int // heavy steps that do
	Dropped int // steps that nobody waited for any more, since the start
	Refused int // steps answered with ErrBusy, since the start
}

// Load returns the current load.
func (s *Scheduler) Load() Load {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := Load{Long: s.long.Len(), Heavy: s.heavy.load(), Dropped: s.dropped, Refused: s.refused}
	for i := range s.policy.queues {
		l.Running[i], l.Waiting[i] = s.policy.queues[i].running, s.policy.queues[i].waiting
	}
	return l
}
