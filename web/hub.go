package web

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"collie/segment"
)

// hub knows the rooms, one per image that somebody works on, and the sockets,
// so that all of them can be ended.
type hub struct {
	workspace *segment.Workspace
	log       *slog.Logger
	places    int // sockets that can be open
	observer  segment.Observer
	ctx       context.Context // of all sockets and sequences; done when the hub closes
	cancel    context.CancelFunc
	running   sync.WaitGroup // sockets' and sequences' goroutines
	runs      atomic.Uint32  // number of the last sequence started

	mu      sync.Mutex
	closed  bool
	rooms   map[string]*room
	sockets int
}

func newHub(workspace *segment.Workspace, log *slog.Logger, places int) *hub {
	h := &hub{workspace: workspace, log: log, observer: workspace.Observer(), places: places, rooms: map[string]*room{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
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
	defer h.mu.Unlock()
	r, ok := h.rooms[imageID]
	if ok {
		a.Close() // the room holds it
	} else {
		r = &room{hub: h, id: imageID, annotation: a, members: map[*socket]bool{}}
		h.rooms[imageID] = r
	}
	r.visitors++
	return r, nil
}

// leave gives the room back; with the last visitor it goes.
func (r *room) leave() {
	h := r.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	r.visitors--
	if r.visitors == 0 {
		delete(h.rooms, r.id)
		r.annotation.Close()
	}
}

// admit counts a new socket, or says why there can't be one. The caller calls
// dismiss when the socket's goroutines have ended.
func (h *hub) admit() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return segment.Errorf(segment.Unavailable, "The server is stopping.")
	}
	if h.sockets == h.places {
		return segment.Errorf(segment.Busy, "%d pages are connected, which is the most this server takes. Close some.", h.places)
	}
	h.sockets++
	h.running.Add(1)
	return nil
}

func (h *hub) dismiss() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sockets--
	h.running.Done()
}

// close ends all sockets and sequences and waits for their goroutines.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.running.Wait()
}
