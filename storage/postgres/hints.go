package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"collie/segment"
)

// hints tell the other servers, after a commit, what has changed. They go
// over a connection of their own: a notification within the transaction of an
// append would make the commits of all images wait for each other. One that gets
// lost does no harm, because servers also ask now and then.
type hints struct {
	node string        // of this store, which doesn't listen to itself
	echo time.Duration // see there

	mu      sync.Mutex
	pending map[segment.News]bool
	start   sync.Once
	wake    chan struct{}
	stop    chan struct{} // closed to end the sender
	ended   chan struct{} // closed when it has ended, if it was started
}

func newHints() *hints {
	return &hints{node: segment.NewID(), echo: echo, pending: map[segment.News]bool{}, wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
}

const (
	hintBytes = 7000 // of the 8000 that a notification can have
	relisten  = 2 * time.Second
	lastWords = 5 * time.Second // for hints of a program that ends

	echo      = 5 * time.Second // in which a listener hears itself, even on a busy machine
	askEvery  = time.Second / 4 // when it doesn't
	listenFor = time.Minute     // until a deaf listener tries to listen again
)

// errDeaf is the error for a connection that accepts LISTEN and hears nothing.
var errDeaf = errors.New("it takes LISTEN but passes on no notifications, as PgBouncer does in transaction mode, so every server asks four times a second what others have done; give an address of this same database without the pooler with --database-listen")

// hint says that something has changed. It never waits: what comes while a
// notification is on its way is sent with the next one.
func (s *Store) hint(about segment.NewsKind, id string) {
	h := s.hints
	h.mu.Lock()
	h.pending[segment.News{About: about, ID: id}] = true
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
	h.start.Do(func() { go s.sendHints() })
}

// userChanged is hint for a user, if any.
func (s *Store) userChanged(id string) {
	if id != "" {
		s.hint(segment.UserChanged, id)
	}
}

// close ends the sender, whether it was started or not, once it has sent what is
// pending: a command that removes a user ends at once.
func (h *hints) close() {
	close(h.stop)
	h.start.Do(func() { close(h.ended) })
	<-h.ended
}

// sendHints sends hints until the store is closed.
func (s *Store) sendHints() {
	h := s.hints
	defer close(h.ended)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-h.stop
		select {
		case <-time.After(lastWords):
		case <-h.ended:
		}
		cancel()
	}()
	var conn *pgx.Conn
	channel := ""
	defer func() { closeConn(conn) }()
	for stopped := false; !stopped; {
		select {
		case <-h.wake:
		case <-h.stop:
			stopped = true
		}
		payloads := h.take()
		if len(payloads) == 0 {
			continue
		}
		if conn == nil || conn.IsClosed() {
			var err error
			if conn, channel, err = connect(ctx, s.pool.Config().ConnConfig); err != nil {
				continue // these hints are lost
			}
		}
		for _, payload := range payloads {
			if notify(ctx, conn, channel, payload) != nil {
				break // a full queue, or a broken connection
			}
		}
	}
}

// notify sends a notification, which need not survive a crash. That holds for its
// transaction alone: a pooler gives the session to others, whose edits have to.
func notify(ctx context.Context, conn *pgx.Conn, channel, payload string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := conn.Exec(ctx, "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", channel, payload)
	return err
}

// take returns the notifications to send: the node, then the news, each an id or
// a kind, a colon and an id. It returns none when everything went out with earlier
// hints: a notification without news would make the others compare all their images.
func (h *hints) take() (payloads []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pending) == 0 {
		return nil
	}
	line := h.node
	for n := range h.pending {
		word := n.ID
		if n.About != segment.ImageChanged {
			word = string(n.About) + ":" + n.ID
		}
		if len(line)+1+len(word) > hintBytes {
			payloads = append(payloads, line)
			line = h.node
		}
		line += " " + word
	}
	clear(h.pending)
	return append(payloads, line)
}

// Listen calls heard with what another server says has changed, and missed whenever
// hints may have been lost or concern all images, until ctx ends. It keeps a connection,
// which does nothing else: a listener in a transaction would hold up the hints of
// all.
func (s *Store) Listen(ctx context.Context, heard func(segment.News), missed func()) {
	for ctx.Err() == nil {
		if err := s.listen(ctx, heard, missed); errors.Is(err, errDeaf) {
			repeat(ctx, listenFor, askEvery, missed)
			continue
		}
		repeat(ctx, relisten, relisten, func() {}) // it is tried again
	}
}

// repeat calls f every so often, for some time or until ctx ends.
func repeat(ctx context.Context, long, every time.Duration, f func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for range long / every {
		select {
		case <-ticker.C:
			f()
		case <-ctx.Done():
			return
		}
	}
}

// listening opens a connection that has heard what the store sent itself; the error
// is errDeaf when that didn't arrive. Close it.
func (s *Store) listening(ctx context.Context) (*pgx.Conn, error) {
	config := s.direct
	if config == nil {
		config = s.pool.Config().ConnConfig
	}
	conn, channel, err := connect(ctx, config)
	if err == nil {
		err = subscribe(ctx, conn, channel)
	}
	if err == nil {
		err = s.hear(ctx, conn)
	}
	if err == nil {
		return conn, nil
	}
	closeConn(conn)
	if errors.Is(err, errDeaf) {
		return nil, err
	}
	return nil, fmt.Errorf("the database %s on %s can't be reached for notifications (--database-listen, or else --database): %w", config.Database, config.Host, pooled(err))
}

// subscribe makes a connection receive the hints of a channel.
func subscribe(ctx context.Context, conn *pgx.Conn, channel string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize())
	return err
}

// hear sends a hint that says nothing, as hints are sent, and waits until it arrives.
// Others that arrive before are not needed: who begins to listen looks at all images.
func (s *Store) hear(ctx context.Context, conn *pgx.Conn) error {
	call := s.hints.node + " " + segment.NewID()
	if err := s.change(ctx, "", "SELECT pg_notify('collie_' || id, $1) FROM installation", call); err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, s.hints.echo)
	defer cancel()
	for {
		n, err := conn.WaitForNotification(soon)
		switch {
		case err == nil && n.Payload == call:
			return nil
		case err != nil && soon.Err() != nil && ctx.Err() == nil:
			return errDeaf
		case err != nil:
			return err
		}
	}
}

func (s *Store) listen(ctx context.Context, heard func(segment.News), missed func()) error {
	conn, err := s.listening(ctx)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	missed()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		node, rest, _ := strings.Cut(n.Payload, " ")
		if node == s.hints.node {
			continue
		}
		for word := range strings.SplitSeq(rest, " ") {
			if word == "" {
				missed()
				continue
			}
			about, id, named := strings.Cut(word, ":")
			if !named {
				about, id = "", word
			}
			heard(segment.News{About: segment.NewsKind(about), ID: id})
		}
	}
}

// connect opens a connection beside the pool, and returns the channel of the
// hints of the installation there. A database that has frozen doesn't keep it.
func connect(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, "", err
	}
	var id string
	if err := conn.QueryRow(ctx, "SELECT id FROM installation").Scan(&id); err != nil {
		closeConn(conn)
		return nil, "", err
	}
	return conn, "collie_" + id, nil
}

// closeConn closes a connection that may be broken or missing.
func closeConn(conn *pgx.Conn) {
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // nothing is under way in it
}
