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
	Later                 // the alternatives after a first one
	Foreseen              // those after a supposed one, for which nobody waits yet

	classes = iota // that have queues

	Heavy Class = 1 << 8 // added to one that takes much longer than a step should, see Do
)

// Names are those of the classes, for metrics.
var Names = [classes]string{First: "first", Supposed: "supposed", Later: "later", Foreseen: "foreseen"}

// job is one piece of work, short enough not to be interrupted.
type job struct {
	class Class
	user  string
	start chan struct{} // closed when its turn has come

	line  *line
	place *list.Element // in the line; nil unless it waits
}

// line is what one user waits for in one class. A user who stops waiting for later
// hypotheses has usually clicked again and will soon ask for the newer click's;
// until then the empty line keeps its place.
type line struct {
	user   string
	jobs   list.List // of *job, the oldest first
	turn   *list.Element
	passed int // turns that others have had since it became empty
}

// kept is how many turns for each worker an empty line keeps its place.
const kept = 32

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
	user    string
	left    time.Duration // of a processor
	running int           // jobs
	passed  int           // turns of others that have begun since it wanted nothing
}

// done is how many turns begin until one ends whose user asks for nothing more.
// Between two jobs a user waits for nothing, too, but not for as long.
const done = 4

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
	if q.waiting >= p.limits.Waiting || q.users[j.user].full(p.limits.Own) || j.class == First && p.wait() > p.limits.Patience {
		return false
	}
	l, ok := q.users[j.user]
	if !ok {
		l = &line{user: j.user}
		l.turn = q.turns.PushBack(l)
		q.users[j.user] = l
	}
	l.passed = 0
	j.line, j.place = l, l.jobs.PushBack(j)
	q.waiting++
	return true
}

// full reports whether so many jobs wait in the line, which can be nil; 0 is no limit.
func (l *line) full(most int) bool { return most > 0 && l != nil && l.jobs.Len() >= most }

// load is how many jobs run or wait.
func (p *policy) load() (n int) {
	for i := range p.queues {
		n += p.queues[i].running + p.queues[i].waiting
	}
	return n
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
	if j.line.jobs.Len() == 0 && j.class != Later {
		p.queues[j.class].leave(j.line)
	}
	return true
}

// take removes a waiting job from its line.
func (p *policy) take(j *job) {
	j.line.jobs.Remove(j.place)
	j.place = nil
	p.queues[j.class].waiting--
}

// leave removes an empty line.
func (q *rota) leave(l *line) {
	q.turns.Remove(l.turn)
	delete(q.users, l.user)
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
		if q.waiting == 0 {
			continue
		}
		l := p.onTurn(Class(class))
		j := l.jobs.Front().Value.(*job)
		if t := p.turnOf(j); t != nil {
			t.running++
			t.passed = 0
		}
		q.turns.MoveToBack(l.turn)
		p.take(j)
		if l.jobs.Len() == 0 {
			q.leave(l)
		}
		q.running++
		return j
	}
	return nil
}

// onTurn is the line whose turn it is in a class in which somebody waits. At later
// hypotheses that is the one of a user whose turn has begun, or else a turn begins.
func (p *policy) onTurn(class Class) *line {
	q := &p.queues[class]
	if class != Later {
		return q.turns.Front().Value.(*line)
	}
	for _, t := range p.turns {
		if l, ok := q.users[t.user]; ok && l.jobs.Len() > 0 {
			return l
		}
	}
	at := q.turns.Front()
	for at.Value.(*line).jobs.Len() == 0 {
		l := at.Value.(*line)
		at = at.Next()
		if l.passed++; l.passed > kept*p.limits.Workers {
			q.leave(l)
		}
	}
	front := at.Value.(*line)
	p.turns = slices.DeleteFunc(p.turns, func(t turn) bool { return t.running <= 0 && t.passed >= done })
	for i := range p.turns {
		p.turns[i].passed++
	}
	p.turns = append(p.turns, turn{user: front.user, left: p.limits.Turn})
	return front
}

// turnOf is the turn that a job is part of, or nil.
func (p *policy) turnOf(j *job) *turn {
	if i := slices.IndexFunc(p.turns, func(t turn) bool { return t.user == j.user }); j.class == Later && i >= 0 {
		return &p.turns[i]
	}
	return nil
}

// end notes that a job has run, and for how long.
func (p *policy) end(j *job, took time.Duration) {
	q := &p.queues[j.class]
	q.running--
	if t := p.turnOf(j); t != nil {
		t.running--
		if t.left -= took; t.left <= 0 {
			p.turns = slices.DeleteFunc(p.turns, func(t turn) bool { return t.left <= 0 })
		}
	}
	if q.usual == 0 {
		q.usual = took
	}
	q.usual += time.Duration(smooth * float64(took-q.usual))
}
