package live

import "bytes"

// maxReplies is how many answers can wait for one socket. Then the server stops
// reading from it until it takes some.
const maxReplies = 8

// outbox is what one socket still has to be sent. It drops nothing that the
// client needs, and a slow client doesn't make it grow: answers wait in a short
// queue, and the socket isn't read while that is full; a newer state replaces
// an older one; hypotheses stay in the run, which the next run replaces.
// Guarded by the room's mutex.
type outbox struct {
	replies   [][]byte      // acks, rejects, errors, ends of superseded runs
	project   []byte        // the newest project, when its classes have changed; nil when sent
	reviewed  bool          // the image was given a status by hand
	company   []byte        // who else has the image open; nil when sent
	met       []byte        // the same, set last
	state     *broadcast    // the newest state, or nil when it has been sent
	repaired  int           // of the state that was sent last, or unknown
	supposing func()        // cancels the last supposition
	supposed  []byte        // the answer to it, or nil when sent
	run       *run          // the sequence to follow
	announced bool          // its run message has been sent
	sent      int           // how many of its hypotheses have been sent
	ended     bool          // its done message has been sent
	credit    int           // hypotheses that can still be sent; -1 is no limit
	ready     chan struct{} // holds a token when there may be something to send
	drained   chan struct{} // holds a token when replies may have become fewer
}

// unknown is a value of repaired that no state has.
const unknown = -1

func newOutbox() outbox {
	return outbox{repaired: unknown, credit: -1, supposing: func() {}, ready: make(chan struct{}, 1), drained: make(chan struct{}, 1)}
}

func (o *outbox) wake() { token(o.ready) }

// token puts a token into a channel of capacity one that may have it already.
func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// reply queues an answer.
func (o *outbox) reply(message any) {
	o.replies = append(o.replies, encode(message))
	o.wake()
}

// setProject sets the project to send; the classes of the repairs change with
// it.
func (o *outbox) setProject(message []byte) {
	o.project, o.repaired = message, unknown
	o.wake()
}

// setCompany sets who else has the image open, if that is not known yet.
func (o *outbox) setCompany(message []byte) {
	if bytes.Equal(o.met, message) {
		return
	}
	o.company, o.met = message, message
	o.wake()
}

// setState sets the state to send; suppositions about the previous one are
// void.
func (o *outbox) setState(state *broadcast) {
	o.suppose(func() {})
	o.state = state
	o.wake()
}

// suppose replaces the previous supposition, which is cancelled and not
// answered, by one that end cancels.
func (o *outbox) suppose(end func()) {
	o.supposing()
	o.supposing, o.supposed = end, nil
}

// follow switches to a new run. A client that was sent the start of the old one
// is sent its end.
func (o *outbox) follow(next *run) {
	if o.run != nil && o.run != next && o.announced && !o.ended && o.run.done != nil {
		o.replies = append(o.replies, o.run.done)
	}
	o.run, o.announced, o.sent, o.ended = next, false, 0, false
	o.wake()
}

// allow sets how many more hypotheses can be sent.
func (o *outbox) allow(n int) {
	o.credit = n
	o.wake()
}

// outgoing is a message to send.
type outgoing struct {
	body    []byte
	binary  bool       // a hypothesis
	repairs *broadcast // the state whose repairs body, a state, lacks; or nil
}

// next removes and returns the next message to send: answers before the state,
// the state before its hypotheses. Programs expect the state and the start of its run
// first; who else is here comes after them.
func (o *outbox) next() (message outgoing, ok bool) {
	if len(o.replies) > 0 {
		message.body = o.replies[0]
		o.replies = o.replies[1:]
		token(o.drained)
		return message, true
	}
	if o.project != nil {
		message.body, o.project = o.project, nil
		return message, true
	}
	if o.reviewed {
		o.reviewed = false
		return outgoing{body: encode(reviewedMessage{"reviewed"})}, true
	}
	if o.state != nil {
		state := o.state
		o.state = nil
		if message.body = state.known; o.repaired != state.repaired {
			message.repairs = state
		}
		o.repaired = state.repaired
		return message, true
	}
	if o.supposed != nil {
		message.body, o.supposed = o.supposed, nil
		message.binary = true
		return message, true
	}
	if o.run != nil && !o.announced {
		o.announced = true
		return outgoing{body: o.run.announce}, true
	}
	if o.company != nil {
		message.body, o.company = o.company, nil
		return message, true
	}
	if o.run == nil || o.ended {
		return message, false
	}
	switch {
	case o.sent < len(o.run.frames) && o.credit != 0:
		message = outgoing{body: o.run.frames[o.sent], binary: true}
		o.sent++
		if o.credit > 0 {
			o.credit--
		}
		return message, true
	case o.sent == len(o.run.frames) && o.run.done != nil:
		o.ended = true
		return outgoing{body: o.run.done}, true
	}
	return message, false
}
