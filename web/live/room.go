package live

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/engine"
	"collie/segment/workspace"
	"collie/web/panics"
	"collie/web/wire"
)

// room is one image with all who have it open: it stores their events, tells
// every socket the new state, and runs the one sequence that all of them watch.
type room struct {
	hub        *Hub
	id         string
	annotation *workspace.Annotation
	visitors   int // guarded by hub.mu

	mu       sync.Mutex // guards what follows, and the outbox of every socket; never held while waiting
	members  map[*socket]bool
	state    workspace.State  // the newest known
	sequence *engine.Sequence // that belongs to it; nil before the first state
	run      *run             // nil while nobody is here
	asker    access.Principal // who made the newest state, or came first
	asked    time.Time        // when the event came that led to it; zero for none
}

// run is a sequence being made, or made, for the members of a room. Frames stay
// until the next run, so that each socket takes them at its own pace. Guarded
// by the room's mutex.
type run struct {
	cancel   context.CancelFunc
	asked    time.Time // of the event that it answers; zero for none
	announce []byte    // its run message
	number   uint32    //
	frames   [][]byte  // its hypotheses so far
	done     []byte    // its done message, or nil while it runs
}

// append stores an event and tells everyone. The sender, when there is one,
// gets its ack or reject before it gets the new state.
func (r *room) append(ctx context.Context, expected int, e segment.Event, from *socket) (int, error) {
	began := time.Now()
	seq, err := r.annotation.Append(ctx, expected, e)
	r.hub.observer.Took(workspace.TimeAppend, time.Since(began))
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

// refresh tells everyone the project with its present classes, and the present
// state.
func (r *room) refresh() {
	project := r.annotation.Project()
	state, sequence := r.annotation.Present()
	r.mu.Lock()
	defer r.mu.Unlock()
	message := encode(projectMessage{"project", wire.ProjectOf(project)})
	for m := range r.members {
		m.tellProject(message)
	}
	r.adopt(state, sequence)
}

// asks notes whose turns the next sequence takes. The caller holds r.mu.
func (r *room) asks(ctx context.Context) { r.asker, _ = access.From(ctx) }

// adopt makes a state that is newer than the one known the present one: all
// members are told, and its sequence takes the place of the running one. The
// caller holds r.mu.
func (r *room) adopt(state workspace.State, sequence *engine.Sequence) {
	if r.sequence != nil && state.Version <= r.state.Version {
		return
	}
	r.state, r.sequence = state, sequence
	if len(r.members) == 0 {
		return
	}
	r.start(engine.DefaultHypotheses)
	message := r.broadcast()
	for m := range r.members {
		m.tellState(message)
	}
}

// replyTo is the ack or the reject of an event. A reject is "stale" when the
// same event, sent again for the present state, may well be stored, and "map"
// when it has to be put in terms of the present superpixels first.
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
	case errors.As(err, &domain) && domain.Kind == segment.Conflict && expected != domain.Seq:
		m.Reason, m.Seq = "stale", domain.Seq
	case errors.Is(err, workspace.ErrOtherMap):
		m.Reason = "map"
	}
	return m
}

// broadcast is a state as clients are sent it.
type broadcast struct {
	repaired int           // tells repairs apart
	known    []byte        // for those who know the repairs
	whole    func() []byte // with the repairs, made when first needed
}

// broadcast puts the present state into the form in which clients read it.
func (r *room) broadcast() *broadcast {
	message := stateMessage{
		Type: "state", Epoch: r.epoch(), Seq: r.state.Seq,
		Clicks: r.state.Clicks, Labels: r.state.Labels, Undo: r.state.Undo, Redo: r.state.Redo,
		Map: r.state.Map, Regions: len(r.state.Labels), Wanted: r.state.Wanted, Finest: len(r.state.Parent), Split: r.state.Split, Constraints: wire.ConstraintsOf(r.state.Constraints, r.state.Parent),
	}
	repairs := r.state.Repairs
	return &broadcast{r.state.Repaired, encode(message), sync.OnceValue(func() []byte {
		message.Repairs = wire.RepairsOf(repairs)
		return encode(message)
	})}
}

// epoch names the log that the numbers of events count in: those of two states
// can be compared only within one. An image has one log, as long as it lives.
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
	if r.run == nil {
		r.start(engine.DefaultHypotheses)
	} else {
		c.follow(r.run)
	}
	c.repaired = unknown
	c.tellState(r.broadcast())
}

// part takes the socket out; with the last member the sequence ends.
func (r *room) part(c *socket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
	if len(r.members) == 0 && r.run != nil {
		r.run.cancel()
		r.run = nil
	}
}

// restart runs the present sequence again, to the given length.
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

// start supersedes the running sequence by that of the present state. The
// caller holds r.mu, and there is a member.
func (r *room) start(count int) {
	sequence := r.sequence
	if r.run != nil {
		r.run.cancel()
		if r.run.done == nil {
			r.finish(r.run, reasonSuperseded, "")
		}
	}
	ctx, cancel := context.WithCancel(access.With(r.hub.ctx, r.asker))
	count = min(count, sequence.Len())
	next := &run{cancel: cancel, asked: r.asked, number: r.hub.runs.Add(1)}
	r.asked = time.Time{} // whoever starts it again does not wait for an event
	next.announce = encode(runMessage{
		Type: "run", Run: next.number, Seq: sequence.Seq(), Count: count, Classes: append([]int{}, sequence.Classes()...),
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
	}()
}

// compute makes the hypotheses of a run one by one until it is superseded.
func (r *room) compute(ctx context.Context, run *run, sequence *engine.Sequence, count int) {
	err := panics.Guard(r.hub.log, "sequence", func() error {
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
			if rank == 0 && !run.asked.IsZero() {
				r.hub.observer.Took(workspace.TimeAnswer, time.Since(run.asked))
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return // whoever ended it has said why
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
		r.finish(run, reason, detail)
	}
}

// busyPause is the shortest pause before a sequence for which the server had no
// time starts again; the longest is twice that.
const busyPause = time.Second

// postpone ends a run for now and starts it again after a while, unless it is
// superseded before.
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

// publish adds a hypothesis to a run that still counts.
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

// finish sets the end of a run. The caller holds r.mu.
func (r *room) finish(run *run, reason, detail string) {
	run.done = encode(doneMessage{Type: "done", Run: run.number, Reason: reason, Detail: detail})
	r.wakeAll()
}

func (r *room) wakeAll() {
	for m := range r.members {
		m.wake()
	}
}
