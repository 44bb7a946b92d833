package web

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/gorilla/websocket"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/workspace"
)

// hub knows the rooms, one per image that somebody works on, and the sockets,
// so that all of them can be ended.
type hub struct {
	workspace *workspace.Workspace
	log       *slog.Logger
	limits    Limits
	observer  workspace.Observer
	ctx       context.Context // of all sockets and sequences; done when the hub closes
	cancel    context.CancelCauseFunc
	running   sync.WaitGroup // sockets' and sequences' goroutines
	runs      atomic.Uint32  // number of the last sequence started

	mu     sync.Mutex // never held while an annotation is closed, which may wait for the disk
	closed bool
	rooms  map[string]*room
	seats  map[*seat]bool
}

// seat is the place of one socket.
type seat struct {
	ctx    context.Context // carries the principal; done when the socket ends, by a farewell as its cause if we end it
	cancel context.CancelCauseFunc
	user   string // who has it, empty on a server without login
	token  string // of the session
}

// farewell is what the client is told when we end a socket.
type farewell struct {
	code int // of the close frame; the page comes back after 1012
	text string
}

func (f *farewell) Error() string { return f.text }

// closeSignedOut is the close code that tells the page to go to the login page.
const closeSignedOut = 4401

var (
	restarting  = &farewell{websocket.CloseServiceRestart, "The server is restarting; everything acknowledged is saved."}
	roleChanged = &farewell{websocket.CloseServiceRestart, "Your role has changed."}
	signedOut   = &farewell{closeSignedOut, "You are signed out; everything acknowledged is saved."}
)

func newHub(workspace *workspace.Workspace, log *slog.Logger, limits Limits) *hub {
	h := &hub{workspace: workspace, log: log, observer: workspace.Observer(), limits: limits, rooms: map[string]*room{}, seats: map[*seat]bool{}}
	h.ctx, h.cancel = context.WithCancelCause(context.Background())
	workspace.Watch(h.changed)
	return h
}

// changed tells those who have the image open that its state has changed by
// something else than an event that came through its room.
func (h *hub) changed(imageID string) {
	h.mu.Lock()
	r, ok := h.rooms[imageID]
	if ok {
		r.visitors++
	}
	h.mu.Unlock()
	if ok {
		r.refresh()
		r.leave()
	}
}

// enter returns the image's room, which the caller must leave.
func (h *hub) enter(ctx context.Context, imageID string) (*room, error) {
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

// leave gives the room back; with the last visitor it goes.
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
func (h *hub) admit(v visitor) (*seat, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, segment.Errorf(segment.Unavailable, "The server is stopping.")
	}
	if len(h.seats) >= h.limits.Sockets {
		return nil, segment.Errorf(segment.Busy, "%d pages are connected, which is the most this server takes. Close some.", h.limits.Sockets)
	}
	if v.User != "" {
		own := 0
		for t := range h.seats {
			if t.user == v.User {
				own++
			}
		}
		if own >= h.limits.UserSockets {
			return nil, segment.Errorf(segment.Busy, "You have %d images open, which is the most one user can have. Close some.", own)
		}
	}
	t := &seat{user: v.User, token: v.token}
	t.ctx, t.cancel = context.WithCancelCause(access.With(h.ctx, v.Principal))
	h.seats[t] = true
	h.running.Add(1)
	return t, nil
}

// sockets is how many are open.
func (h *hub) sockets() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.seats)
}

func (h *hub) dismiss(t *seat) {
	t.cancel(nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.seats, t)
	h.running.Done()
}

// expel ends the sockets of all seats that which picks.
func (h *hub) expel(why *farewell, which func(*seat) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.seats {
		if which(t) {
			t.cancel(why)
		}
	}
}

// close ends all sockets and sequences and waits for their goroutines.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel(restarting)
	h.running.Wait()
}
