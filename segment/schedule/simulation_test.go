package schedule

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// The simulation: annotators click at times of a Poisson process, each on an
// image of their own. A click asks for a sequence, whose hypotheses are made one
// after the other, each when the one before is there. A click that comes before
// the last sequence is complete supersedes it. What else a server does (storing
// the click, sending hypotheses) is not part of it.
type simulation struct {
	annotators int
	every      time.Duration // mean time between clicks
	count      int           // hypotheses of a sequence
	workers    int
	first      time.Duration // mean time of a first hypothesis, with all that has to be made before it
	later      time.Duration // and of each that follows
	length     time.Duration // of the simulated time
	policy     bool          // the scheduler's, or first in, first out with nothing dropped
	turn       time.Duration // at later hypotheses; 0 is the scheduler's
	surge      func(time.Duration) float64
}

// outcome is what became of the clicks: how long each waited for its first
// hypothesis, by time of the click, and for the last one of a sequence made with it
// or, if none was complete before the end, until then.
type outcome struct {
	clicked, waited []time.Duration
	complete        []time.Duration
	busy            int // steps that were refused
}

// refused stands for the wait of a click that got no hypothesis.
const refused = time.Hour

// p99 of the waits for clicks in a part of the simulated time; refused when none
// was answered.
func (o *outcome) p99(from, to time.Duration) time.Duration {
	var w []time.Duration
	for i, at := range o.clicked {
		if at >= from && at < to {
			w = append(w, o.waited[i])
		}
	}
	if len(w) == 0 {
		return refused
	}
	slices.Sort(w)
	return w[len(w)*99/100]
}

// happening is a click (job nil) or the end of a job.
type happening struct {
	at        time.Duration
	annotator int
	job       *work
}

// work is a job of one annotator's sequence.
type work struct {
	job
	annotator int
	rank, run int
	asked     time.Duration
	began     time.Duration
}

type happenings []happening

func (h happenings) Len() int           { return len(h) }
func (h happenings) Less(i, j int) bool { return h[i].at < h[j].at }
func (h happenings) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(x any)        { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

func (s simulation) run() *outcome {
	rng := rand.New(rand.NewPCG(1, 2))
	exp := func(mean time.Duration) time.Duration { return time.Duration(rng.ExpFloat64() * float64(mean)) }
	rate := func(at time.Duration) float64 {
		if s.surge == nil {
			return 1
		}
		return s.surge(at)
	}
	// Half of a step always takes the same time, half varies.
	service := func(rank int) time.Duration {
		mean := s.later
		if rank == 0 {
			mean = s.first
		}
		return mean/2 + exp(mean/2)
	}
	var (
		o       outcome
		todo    happenings
		p       = newPolicy(Limits{Workers: s.workers, Turn: s.turn}.OrDefault())
		jobs    = map[*job]*work{}
		fifo    []*work
		running int
		runs    = make([]int, s.annotators)
		waiting = make([]*work, s.annotators)
		partial = make([][]time.Duration, s.annotators) // clicks without a complete sequence
	)
	start := func(w *work, now time.Duration) {
		w.began = now
		running++
		heap.Push(&todo, happening{now + service(w.rank), w.annotator, w})
	}
	begin := func(now time.Duration) {
		if s.policy {
			for j := p.next(); j != nil; j = p.next() {
				w := jobs[j]
				delete(jobs, j)
				waiting[w.annotator] = nil
				start(w, now)
			}
			return
		}
		for running < s.workers && len(fifo) > 0 {
			w := fifo[0]
			fifo = fifo[1:]
			start(w, now)
		}
	}
	ask := func(w *work) {
		if !s.policy {
			fifo = append(fifo, w)
			return
		}
		w.class, w.user = Later, strconv.Itoa(w.annotator)
		if w.rank == 0 {
			w.class = First
		}
		if !p.add(&w.job) {
			o.busy++
			if w.rank == 0 {
				o.clicked, o.waited = append(o.clicked, w.asked), append(o.waited, refused)
			}
			return
		}
		jobs[&w.job], waiting[w.annotator] = w, w
	}
	for a := range s.annotators {
		heap.Push(&todo, happening{exp(s.every), a, nil})
	}
	for todo.Len() > 0 {
		h := heap.Pop(&todo).(happening)
		if h.at > s.length {
			break
		}
		switch w := h.job; {
		case w == nil:
			runs[h.annotator]++
			partial[h.annotator] = append(partial[h.annotator], h.at)
			if old := waiting[h.annotator]; old != nil {
				p.drop(&old.job)
				delete(jobs, &old.job)
				waiting[h.annotator] = nil
			}
			ask(&work{annotator: h.annotator, run: runs[h.annotator], asked: h.at})
			heap.Push(&todo, happening{h.at + time.Duration(float64(exp(s.every))/rate(h.at)), h.annotator, nil})
		default:
			running--
			if s.policy {
				p.end(&w.job, h.at-w.began)
			}
			if w.rank == 0 {
				o.clicked, o.waited = append(o.clicked, w.asked), append(o.waited, h.at-w.asked)
			}
			switch left := partial[h.annotator]; {
			case w.rank+1 < s.count && (!s.policy || w.run == runs[h.annotator]):
				ask(&work{annotator: h.annotator, run: w.run, rank: w.rank + 1, asked: w.asked})
			case w.rank+1 == s.count:
				for len(left) > 0 && left[0] <= w.asked {
					o.complete, left = append(o.complete, h.at-left[0]), left[1:]
				}
				partial[h.annotator] = left
			}
		}
		begin(h.at)
	}
	for _, left := range partial {
		for _, at := range left {
			o.complete = append(o.complete, s.length-at)
		}
	}
	slices.Sort(o.complete)
	return &o
}
