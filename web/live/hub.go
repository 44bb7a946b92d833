// Package live connects the pages that have an image open: one websocket each,
// one room per image, in which everybody sees the same state and the same
// sequence of hypotheses. [Hub] is all that the rest of the server uses.
package live

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/gorilla/websocket"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/gauge"
	"collie/segment/workspace"
)

// Hub knows the rooms, one per image that somebody works on, and the sockets,
// so that it can end all of them.
type Hub struct {
	workspace *workspace.Workspace
	log       *slog.Logger
	limits    Limits
	explain   func(error) (detail string, ours bool)
	lend      func(ctx context.Context, size int64) (give func(), err error)
	observer  gauge.Observer
	ctx       context.Context // of all sockets and sequences; done when the hub closes
	cancel    context.CancelCauseFunc
	running   sync.WaitGroup // sockets' and sequences' goroutines
	runs      atomic.Uint32  // number of the last sequence started

	mu     sync.Mutex // never held while closing an annotation, which can wait for the disk
	closed bool
	rooms  map[string]*room
	seats  map[*seat]bool
}

// Config is what a Hub needs.
type Config struct {
	Workspace *workspace.Workspace
	Log       *slog.Logger
	Limits    Limits

	// Explain returns the text of an error for clients, and whether the server
	// is to blame.
	Explain func(error) (detail string, ours bool)

	// Lend lends the memory of a large message while it is sent.
	Lend func(ctx context.Context, size int64) (give func(), err error)
}

// Visitor is the user who opens a socket.
type Visitor struct {
	access.Principal        // User is empty on a server without login
	Session          string // names the session or API token; empty on a server without login
	Project          string // identifier of the image's project
	Image            string // identifier of the image; Open sets it
	Outdated         bool   // the page was made for another role: its socket ends as if the role changed now

	// Check checks the session again; used says whether a message has arrived
	// since the last check. A Farewell as its error ends the socket.
	Check func(ctx context.Context, used bool) error
}

// seat is the place of one socket.
type seat struct {
	ctx     context.Context // carries the principal; done when the socket ends, by a Farewell as its cause if we end it
	cancel  context.CancelCauseFunc
	visitor Visitor
	recheck chan struct{} // asks the socket to check its visitor now; takes one
}

// Farewell is the reason we give a client when we end its socket.
type Farewell struct {
	code int // of the close frame; the page reconnects after 1012
	text string
}

func (f *Farewell) Error() string { return f.text }

// Close codes that tell the page what happened.
const (
	CloseSignedOut   = 4401 // it has to sign in again
	CloseRoleChanged = 4403 // the user can do more or less than before
	CloseRemoved     = 4404 // the image is not for this user any more
	CloseTrashed     = 4410 // the image is in the trash, from which it can come back
)

var (
	restarting  = &Farewell{websocket.CloseServiceRestart, "The server is restarting; your saved work is safe."}
	crowded     = &Farewell{websocket.CloseTryAgainLater, "Too many large states are being sent right now; your saved work is safe."}
	RoleChanged = &Farewell{CloseRoleChanged, "Your role has changed."}
	Removed     = &Farewell{CloseRemoved, "You are no longer a member of this project; your saved work is safe."}
	Trashed     = &Farewell{CloseTrashed, "This image is in the trash; your saved work is safe."}
	SignedOut   = &Farewell{CloseSignedOut, "You are signed out; your saved work is safe."}
)

// New returns a hub; close it.
func New(c Config) *Hub {
	h := &Hub{
		workspace: c.Workspace, log: c.Log, observer: c.Workspace.Observer(), limits: c.Limits.OrDefault(), explain: c.Explain, lend: c.Lend,
		rooms: map[string]*room{}, seats: map[*seat]bool{},
	}
	h.ctx, h.cancel = context.WithCancelCause(context.Background())
	c.Workspace.Watch(h.changed)
	c.Workspace.WatchTrash(h.trashed)
	c.Workspace.WatchReviews(h.Reviewed)
	return h
}

// Append stores an event of an image, numbered expected+1, and returns its
// number; pages that have the image open are updated. It is for clients without
// a socket.
func (h *Hub) Append(ctx context.Context, imageID string, expected int, e segment.Event) (int, error) {
	r, err := h.enter(ctx, imageID)
	if err != nil {
		return 0, err
	}
	defer r.leave()
	return r.append(ctx, expected, false, e, nil)
}

// changed updates the pages that have the image open after a change that didn't
// go through its room.
func (h *Hub) changed(imageID string) { h.visit(imageID, (*room).refresh) }

// Reviewed tells the pages that have the image open that it was given a status by
// hand, perhaps by another server.
func (h *Hub) Reviewed(imageID string) { h.visit(imageID, (*room).reviewed) }

// visit does something in the image's room, if there is one.
func (h *Hub) visit(imageID string, do func(*room)) {
	h.mu.Lock()
	r, ok := h.rooms[imageID]
	if ok {
		r.visitors++
	}
	h.mu.Unlock()
	if ok {
		do(r)
		r.leave()
	}
}

// trashed ends the sockets of an image that was moved to the trash.
func (h *Hub) trashed(imageID string) {
	h.Expel(Trashed, func(v Visitor) bool { return v.Image == imageID })
}

// enter returns the image's room, which the caller must leave.
func (h *Hub) enter(ctx context.Context, imageID string) (*room, error) {
	a, err := h.workspace.Open(ctx, imageID)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	r, ok := h.rooms[imageID]
	if !ok {
		r = &room{hub: h, id: imageID, annotation: a, members: map[*socket]bool{}}
		h.rooms[imageID] = r
	}
	r.visitors++
	h.mu.Unlock()
	if ok {
		a.Close() // the room holds it
	}
	return r, nil
}

// leave gives the room back; the last visitor to leave closes it.
func (r *room) leave() {
	h := r.hub
	h.mu.Lock()
	r.visitors--
	last := r.visitors == 0
	if last {
		delete(h.rooms, r.id)
	}
	h.mu.Unlock()
	if last {
		r.annotation.Close()
	}
}

// admit gives a new socket of v a seat, or says why there can't be one. The
// caller gives it back with dismiss when the socket's goroutines have ended.
func (h *Hub) admit(v Visitor) (*seat, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, segment.Errorf(segment.Unavailable, "The server is stopping.")
	}
	if len(h.seats) >= h.limits.Sockets {
		return nil, segment.Errorf(segment.Busy, "%d pages are connected, which is the limit of this server. Close some.", h.limits.Sockets)
	}
	if v.User != "" {
		own := 0
		for t := range h.seats {
			if t.visitor.User == v.User {
				own++
			}
		}
		if own >= h.limits.UserSockets {
			return nil, segment.Errorf(segment.Busy, "You have %s open, which is the limit for one user. Close some.", segment.Counted(own, "image"))
		}
	}
	t := &seat{visitor: v, recheck: make(chan struct{}, 1)}
	t.ctx, t.cancel = context.WithCancelCause(access.With(h.ctx, v.Principal))
	h.seats[t] = true
	h.running.Add(1)
	return t, nil
}

// Sockets returns the number of open sockets.
func (h *Hub) Sockets() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.seats)
}

func (h *Hub) dismiss(t *seat) {
	t.cancel(nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.seats, t)
	h.running.Done()
}

// Expel ends the sockets of all visitors for whom which returns true.
func (h *Hub) Expel(why *Farewell, which func(Visitor) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.seats {
		if which(t.visitor) {
			t.cancel(why)
		}
	}
}

// Recheck checks the sockets of a user now, not at the next ping: another server has
// changed something about the user.
func (h *Hub) Recheck(user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.seats {
		if t.visitor.User == user {
			token(t.recheck)
		}
	}
}

// Close ends all sockets and sequences, with close code 1012 (the service
// restarts), and waits for their goroutines. After that, new sockets are
// refused.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel(restarting)
	h.running.Wait()
}
