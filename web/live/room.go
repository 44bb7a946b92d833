package live

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/web/panics"
	"collie/web/wire"
)

// room is one image and everybody who has it open: it stores their events,
// broadcasts the new state, and runs the one sequence that they all watch.
type room struct {
	hub        *Hub
	id         string
	annotation *annotation.Annotation
	visitors   int // guarded by hub.mu

	mu       sync.Mutex // guards what follows, and the outbox of every socket; never held while waiting
	members  map[*socket]bool
	state    annotation.State // the newest one known
	news     *broadcast       // the same for clients; nil until one needs it
	tables   int              // State.Tables of the newest project told
	sequence *engine.Sequence // that belongs to it; nil before the first state
	run      *run             // nil while the room is empty
	asker    access.Principal // who caused the newest state, or joined first
	asked    time.Time        // when the event that led to it arrived; zero without one
}

// run is a sequence, finished or not, for the members of a room. Its frames are
// kept until the next run, so that each socket takes them at its own pace.
// Guarded by the room's mutex.
type run struct {
	cancel   context.CancelFunc
	asked    time.Time // arrival of the event that it answers; zero without one
	announce []byte    // its run message
	number   uint32    //
	frames   [][]byte  // its hypotheses so far
	done     []byte    // its done message, or nil while it runs
	marked   int       // rank of the hypothesis that the done message marks
}

// append stores an event and broadcasts the new state. The sender, if any, gets
// its ack or reject first. With rebase the event goes on top of whatever state there
// is, and is not stale.
func (r *room) append(ctx context.Context, expected int, rebase bool, e segment.Event, from *socket) (seq int, err error) {
	began := time.Now()
	if rebase {
		seq, err = r.annotation.AppendLast(ctx, expected, e)
		var conflict *segment.Error
		if errors.As(err, &conflict) {
			expected = conflict.Seq
		}
	} else {
		seq, err = r.annotation.Append(ctx, expected, e)
	}
	r.hub.observer.Took(gauge.Append, time.Since(began))
	state, sequence := r.annotation.Present()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.asks(ctx)
		r.asked = began
	}
	if from != nil {
		from.reply(r.replyTo(e.ID, expected, seq, err, state.Seq))
	}
	r.adopt(state, sequence)
	return seq, err
}

// refresh broadcasts the project with its current classes, and the current
// state.
func (r *room) refresh() {
	state, sequence := r.annotation.Present()
	project := r.annotation.Project() // no older than the state
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(project, state.Tables)
	r.adopt(state, sequence)
}

// tell broadcasts a project whose classes have changed at least so often, unless a newer
// one has been. The caller holds r.mu.
func (r *room) tell(project segment.Project, tables int) {
	if tables < r.tables {
		return
	}
	r.tables = tables
	message := encode(projectMessage{"project", wire.ProjectOf(project)})
	for m := range r.members {
		m.setProject(message)
	}
}

// reviewed tells everybody that the image was given a status by hand.
func (r *room) reviewed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range r.members {
		m.reviewed = true
		m.wake()
	}
}

// asks records whose turns the next sequence takes. The caller holds r.mu.
func (r *room) asks(ctx context.Context) { r.asker, _ = access.From(ctx) }

// adopt makes a newer state the current one: it is broadcast, and its sequence
// replaces the running one. The caller holds r.mu.
func (r *room) adopt(state annotation.State, sequence *engine.Sequence) {
	if r.sequence != nil && state.Version <= r.state.Version {
		return
	}
	if r.sequence != nil && state.Rewound > r.state.Rewound {
		r.hub.log.Error("the database has lost events that were acknowledged", "image", r.id, "had", r.state.Seq, "has", state.Seq)
		for m := range r.members {
			m.repaired = unknown
			m.reply(lostMessage{"lost", "The server’s database came back without its last edits. You see what it still has. Check the image and label again what is missing."})
		}
	}
	r.state, r.sequence, r.news = state, sequence, nil
	if len(r.members) == 0 {
		return
	}
	r.start(engine.DefaultHypotheses)
	message := r.broadcast()
	for m := range r.members {
		m.setState(message)
	}
}

// replyTo is the ack or the reject of an event. A reject is "stale" if the same
// event can be sent again for the current state, and "map" if it has to be
// expressed in the current superpixels first.
func (r *room) replyTo(id string, expected, seq int, err error, present int) any {
	if err == nil {
		return ackMessage{Type: "ack", ID: id, Seq: seq}
	}
	detail, ours := r.hub.explain(err)
	m := rejectMessage{Type: "reject", ID: id, Reason: "invalid", Detail: detail, Seq: present}
	var domain *segment.Error
	switch {
	case ours:
		m.Reason = "unavailable"
	case errors.Is(err, annotation.ErrTaken):
	case errors.As(err, &domain) && domain.Kind == segment.Conflict && expected != domain.Seq:
		m.Reason, m.Seq = "stale", domain.Seq
	case errors.Is(err, annotation.ErrOtherMap):
		m.Reason = "map"
	}
	return m
}

// broadcast is a state in the form that is sent to clients.
type broadcast struct {
	repaired int              // tells repairs apart
	known    []byte           // the message for clients that know the repairs
	repairs  []segment.Repair // for the others
}

// broadcast returns the current state in the form that is sent to clients. They
// share it, however late they come; the JSON of the repairs, which can take more than
// 10 MB, is made while it is sent. The caller holds r.mu.
func (r *room) broadcast() *broadcast {
	if r.news != nil {
		return r.news
	}
	message := stateMessage{
		Type: "state", Epoch: r.epoch(), Seq: r.state.Seq,
		Clicks: r.state.Clicks, Labels: r.state.Labels, Undo: r.state.Undo, Redo: r.state.Redo,
		Map: r.state.Map, Regions: len(r.state.Labels) - len(r.state.Parts), Parts: r.state.Parts, Wanted: r.state.Wanted, Finest: len(r.state.Parent), Split: r.state.Split, Constraints: wire.ConstraintsOf(r.state.Constraints, r.state.Base), Guess: wire.GuessOf(r.state.Guess),
	}
	r.news = &broadcast{r.state.Repaired, encode(message), r.state.Repairs}
	return r.news
}

// epoch names the log that event numbers refer to: numbers can be compared only
// within the same epoch. An image has a single log.
func (r *room) epoch() string { return r.id }

// join makes the socket a member: it gets the state and follows the sequence.
// A second hello gets both again.
func (r *room) join(c *socket) {
	state, sequence := r.annotation.Present()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.members) == 0 {
		r.asks(c.ctx)
	}
	r.adopt(state, sequence)
	r.members[c] = true
	r.meet()
	if r.run == nil {
		r.start(engine.DefaultHypotheses)
	} else {
		c.follow(r.run)
	}
	c.repaired = unknown
	c.setState(r.broadcast())
}

// part takes the socket out; with the last member the sequence ends.
func (r *room) part(c *socket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
	r.meet()
	if len(r.members) == 0 && r.run != nil {
		r.run.cancel()
		r.run = nil
	}
}

// restart runs the current sequence again, to the given length.
func (r *room) restart(count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.members) > 0 {
		r.start(count)
	}
}

// stop ends the running sequence.
func (r *room) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		return
	}
	r.run.cancel()
	if r.run.done == nil {
		r.finish(r.run, reasonStopped, "Stopped.")
	}
}

// start replaces the running sequence with that of the current state. The
// caller holds r.mu, and the room has a member.
func (r *room) start(count int) {
	sequence := r.sequence
	if r.run != nil {
		r.run.cancel()
		if r.run.done == nil {
			r.finish(r.run, reasonSuperseded, "")
		}
	}
	ctx, cancel := context.WithCancel(access.With(r.hub.ctx, r.asker))
	count = sequence.Different(count)
	next := &run{cancel: cancel, asked: r.asked, number: r.hub.runs.Add(1)}
	r.asked = time.Time{} // a restart does not answer an event
	next.announce = encode(runMessage{
		Type: "run", Run: next.number, Seq: sequence.Seq(), Count: count, Classes: append([]int{}, sequence.Classes()...),
		Refuted: sequence.Refuted(),
	})
	r.run = next
	for m := range r.members {
		m.follow(next)
	}
	r.hub.running.Add(1)
	go func() {
		defer r.hub.running.Done()
		defer cancel()
		r.compute(ctx, next, sequence, count)
		if sequence.Len() == 0 {
			r.prepare(ctx, sequence)
		}
	}()
}

// compute computes the hypotheses of a run one by one until it is superseded.
func (r *room) compute(ctx context.Context, run *run, sequence *engine.Sequence, count int) {
	marked := 0
	err := panics.Guard(r.hub.log, "sequence", func() (err error) {
		for rank := range count {
			h, err := sequence.At(ctx, rank)
			if err != nil {
				return err
			}
			frame, err := frameOf(run.number, sequence.Seq(), h)
			if err != nil {
				return err
			}
			if !r.publish(run, frame) {
				return context.Canceled
			}
			if rank > 0 {
				continue
			}
			if !run.asked.IsZero() {
				r.hub.observer.Took(gauge.Answer, time.Since(run.asked))
			}
			runtime.Gosched() // the first one is sent before the others are computed
		}
		marked, err = sequence.Marked(ctx, count)
		return err
	})
	if segment.KindOf(err) != segment.Busy { // then it goes on soon
		sequence.Rest()
	}
	if ctx.Err() != nil {
		return // whoever ended it has sent the reason
	}
	reason, detail := Outcome(sequence)
	if segment.KindOf(err) == segment.Busy {
		detail, _ := r.hub.explain(err)
		r.postpone(ctx, run, detail, count)
		return
	}
	if err != nil {
		r.hub.log.Error("sequence failed", "image", r.id, "seq", sequence.Seq(), "error", err)
		reason, detail = reasonFailed, "The hypotheses could not be computed. Your clicks are saved; the next one tries again."
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if run.done == nil {
		run.marked = marked
		r.finish(run, reason, detail)
	}
}

// prepare computes before the first click what all clicks share.
func (r *room) prepare(ctx context.Context, sequence *engine.Sequence) {
	err := panics.Guard(r.hub.log, "preparation", func() error { return sequence.Prepare(ctx) })
	if err != nil && ctx.Err() == nil && segment.KindOf(err) != segment.Busy { // then the click does it
		r.hub.log.Error("preparation failed", "image", r.id, "error", err)
	}
}

// busyPause is the shortest pause before a sequence that the server had no time
// for starts again; the longest is twice as long.
const busyPause = time.Second

// postpone ends a run for now and starts it again after a while, unless it is
// superseded meanwhile.
func (r *room) postpone(ctx context.Context, run *run, detail string, count int) {
	r.mu.Lock()
	if run.done == nil {
		r.finish(run, reasonBusy, detail)
	}
	r.mu.Unlock()
	pause := time.NewTimer(busyPause + rand.N(busyPause))
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == run {
		r.start(count)
	}
}

// publish adds a hypothesis to a run unless it was superseded.
func (r *room) publish(run *run, frame []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run != run || run.done != nil {
		return false
	}
	run.frames = append(run.frames, frame)
	r.wakeAll()
	return true
}

// finish records the end of a run. The caller holds r.mu.
func (r *room) finish(run *run, reason, detail string) {
	run.done = encode(doneMessage{Type: "done", Run: run.number, Reason: reason, Detail: detail, Marked: run.marked})
	r.wakeAll()
}

func (r *room) wakeAll() {
	for m := range r.members {
		m.wake()
	}
}
