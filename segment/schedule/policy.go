package schedule

import (
	"container/list"
	"slices"
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
// to the back, however much they wait for. At later hypotheses a turn lasts longer
// than one job.
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
	turns  []turn // at later hypotheses that have begun, the oldest first
}

// turn is one at later hypotheses. It lasts for several of them: with more to do
// than the processors can, users who had a turn for each would all be busy with a
// sequence and nobody's would be complete before the next click.
type turn struct {
	user string
	left time.Duration // of a processor
}

// turnsPerWorker is how many users are on turn at later hypotheses, at most.
const turnsPerWorker = 16

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
		l := q.turns.Front().Value.(*line)
		if Class(class) == Later {
			l = p.onTurn(l)
		}
		j := l.jobs.Front().Value.(*job)
		q.turns.MoveToBack(l.turn)
		p.take(j)
		q.running++
		return j
	}
	return nil
}

// onTurn is the line whose later hypotheses come now: of a user whose turn has
// begun, or else the given one, whose turn begins.
func (p *policy) onTurn(front *line) *line {
	for _, t := range p.turns {
		if l, ok := p.queues[Later].users[t.user]; ok {
			return l
		}
	}
	// Between two jobs a user on turn waits for nothing, so more of them are on turn
	// than there are workers. Who has all they wanted is forgotten with time.
	if len(p.turns) == turnsPerWorker*p.limits.Workers {
		p.turns = slices.Delete(p.turns, 0, 1)
	}
	p.turns = append(p.turns, turn{front.user, p.limits.Turn})
	return front
}

// end notes that a job has run, and for how long.
func (p *policy) end(j *job, took time.Duration) {
	q := &p.queues[j.class]
	q.running--
	if i := slices.IndexFunc(p.turns, func(t turn) bool { return t.user == j.user }); j.class == Later && i >= 0 {
		if p.turns[i].left -= took; p.turns[i].left <= 0 {
			p.turns = slices.Delete(p.turns, i, i+1)
		}
	}
	if q.usual == 0 {
		q.usual = took
	}
	q.usual += time.Duration(smooth * float64(took-q.usual))
}
