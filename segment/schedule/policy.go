package schedule

import (
	"container/list"
	"time"
)

// Class is how urgent a piece of work is.
type Class int

// The classes, the most urgent first.
const (
	First    Class = iota // the first hypothesis for new evidence: somebody looks at the canvas and waits
	Supposed              // the first one for evidence that may come in a moment
	Later                 // the alternatives after it
	classes
)

// job is one piece of work, short enough not to be interrupted.
type job struct {
	class Class
	user  string
	start chan struct{} // closed when its turn has come

	line  *line
	place *list.Element // in the line; nil unless it waits
}

// line is what one user waits for in one class.
type line struct {
	user string
	jobs list.List // of *job, the oldest first
	turn *list.Element
}

// rota is what waits in one class. Users take turns: whoever has had one goes
// to the back, however much they wait for.
type rota struct {
	turns   list.List // of *line, whose turn is next first
	users   map[string]*line
	waiting int
	running int
	usual   time.Duration // what a piece of work takes, a moving average
}

// policy decides what runs next. It knows no clock and no goroutines, so that
// it can be simulated; Scheduler adds those.
type policy struct {
	limits Limits
	queues [classes]rota
}

// smooth is the weight of the newest time in the moving average.
const smooth = 1.0 / 16

func newPolicy(l Limits) *policy {
	p := &policy{limits: l}
	for i := range p.queues {
		p.queues[i].users = map[string]*line{}
	}
	return p
}

// add queues a job; false says that it would wait for too long.
func (p *policy) add(j *job) bool {
	q := &p.queues[j.class]
	if q.waiting >= p.limits.Waiting || j.class == First && p.wait() > p.limits.Patience {
		return false
	}
	l, ok := q.users[j.user]
	if !ok {
		l = &line{user: j.user}
		l.turn = q.turns.PushBack(l)
		q.users[j.user] = l
	}
	j.line, j.place = l, l.jobs.PushBack(j)
	q.waiting++
	return true
}

// wait estimates how long a first hypothesis would wait that is asked for now.
func (p *policy) wait() time.Duration {
	q := &p.queues[First]
	return time.Duration(q.waiting) * q.usual / time.Duration(p.limits.Workers)
}

// drop takes out a job that waits; false says that its turn has come already.
func (p *policy) drop(j *job) bool {
	if j.place == nil {
		return false
	}
	p.take(j)
	return true
}

// take removes a waiting job from its line, and the line if it was the last.
func (p *policy) take(j *job) {
	q := &p.queues[j.class]
	j.line.jobs.Remove(j.place)
	j.place = nil
	q.waiting--
	if j.line.jobs.Len() == 0 {
		q.turns.Remove(j.line.turn)
		delete(q.users, j.line.user)
	}
}

// next is the job that is to start now, nil when none can; it counts as running.
func (p *policy) next() *job {
	running := 0
	for i := range p.queues {
		running += p.queues[i].running
	}
	if running >= p.limits.Workers {
		return nil
	}
	for class := range p.queues {
		q := &p.queues[class]
		if q.waiting == 0 || Class(class) == Later && q.running >= p.limits.LaterWorkers {
			continue
		}
		turn := q.turns.Front()
		j := turn.Value.(*line).jobs.Front().Value.(*job)
		q.turns.MoveToBack(turn)
		p.take(j)
		q.running++
		return j
	}
	return nil
}

// end notes that a job has run, and for how long.
func (p *policy) end(j *job, took time.Duration) {
	q := &p.queues[j.class]
	q.running--
	if q.usual == 0 {
		q.usual = took
	}
	q.usual += time.Duration(smooth * float64(took-q.usual))
}
