package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/audit"
	"collie/storage/postgres/postgrestest"
)

// A hint leaves nothing in its session, which a pooler gives to others: their edits
// have to survive a crash.
func TestHintsLeaveSessions(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	defer s.Close()
	conn, channel, err := connect(t.Context(), s.pool.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer closeConn(conn)
	var setting string
	err = errors.Join(notify(t.Context(), conn, channel, "node"), conn.QueryRow(t.Context(), "SELECT current_setting('synchronous_commit')").Scan(&setting))
	if err != nil || setting != "on" {
		t.Errorf("synchronous_commit is %q after a hint: %v", setting, err)
	}
}

// Other servers hear of what a server stores, but it doesn't hear of its own
// changes. A listener that loses its connection says that it has missed something
// and goes on.
func TestHints(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	here, there := mustOpen(t, place), mustOpen(t, place)
	defer here.Close()
	defer there.Close()
	p := segment.Project{ID: segment.NewID(), Name: "p", Classes: segment.DefaultClasses(), Created: time.Now()}
	if err := there.CreateProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	const images = 600 // of more bytes than a notification has
	var ids []string
	for range images {
		im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: "im", Format: "png", Width: 10, Height: 10, Regions: 5, Bytes: 1, Created: time.Now()}
		if err := there.CreateImage(t.Context(), im, 0); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, im.ID)
	}
	ctx, cancel := context.WithCancel(t.Context())
	heard, ended := make(chan string, 2*images), make(chan struct{})
	go func() {
		defer close(ended)
		here.Listen(ctx, func(n segment.News) { heard <- string(n.About) + n.ID }, func() { heard <- "missed" })
	}()
	defer func() {
		cancel()
		<-ended
	}()
	next := func(want string) {
		t.Helper()
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("heard nothing, want %q", want)
		}
	}
	add := func(s *Store, image string, seq int) {
		t.Helper()
		if err := s.Append(t.Context(), image, seq, segment.Event{ID: fmt.Sprint(seq), Kind: segment.Undo, Created: time.Now()}, segment.Progress{}); err != nil {
			t.Fatal(err)
		}
	}
	next("missed") // what came before it listened
	add(here, ids[0], 0)
	add(there, ids[1], 0)
	next(ids[1]) // and not the first
	if err := there.UpdateProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	next("missed")

	if _, err := there.pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = (SELECT 'LISTEN "collie_' || id || '"' FROM installation)`); err != nil {
		t.Fatal(err)
	}
	next("missed")
	add(there, ids[1], 1)
	next(ids[1])

	// News of users and of erased images, also of a program that ends at once.
	ann := accounts.User{ID: segment.NewID(), Name: "ann", Role: access.Admin, Created: time.Now()}
	id := accounts.Identity{Issuer: "i", Subject: "s"}
	_, begun := there.AddSession(t.Context(), "secret", ann, accounts.SessionLimits{}.OrDefault())
	if err := errors.Join(there.CreateUser(t.Context(), ann, id), begun); err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func(s *Store) error{
		"role": func(s *Store) error { return s.SetRole(t.Context(), ann.ID, access.Admin) },
		"password": func(s *Store) error {
			u, err := s.User(t.Context(), ann.ID) // with the generation that the changes before it have begun
			return errors.Join(err, s.SetPassword(t.Context(), u, "hash"))
		},
		"member": func(s *Store) error {
			_, err := s.SetMember(t.Context(), p.ID, "ann", access.Viewer, "")
			return err
		},
		"session":  func(s *Store) error { return s.RemoveSession(t.Context(), "secret") },
		"identity": func(s *Store) error { return s.UnlinkIdentity(t.Context(), id) },
	} {
		command := mustOpen(t, place)
		if err := errors.Join(do(command), command.Close()); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		next("user" + ann.ID)
	}
	if err := there.SetReview(t.Context(), p.ID, map[string]segment.Looked{ids[0]: {}}, segment.Review{Status: segment.ReviewDone, At: time.Now()}, true); err != nil {
		t.Fatal(err)
	}
	next("reviewed" + ids[0])
	if err := there.TrashImages(t.Context(), p.ID, ids[:1]); err != nil {
		t.Fatal(err)
	}
	next(ids[0])
	if _, err := there.Erase(t.Context(), time.Now().Add(time.Hour), func([]segment.Erased) audit.Entry { return audit.Entry{Action: audit.Erased} }); err != nil {
		t.Fatal(err)
	}
	next("erased" + ids[0])

	for _, id := range ids[2:] {
		there.hint(segment.ImageChanged, id)
	}
	got := map[string]bool{}
	for limit := time.After(time.Minute); len(got) < len(ids)-2; {
		select {
		case id := <-heard:
			got[id] = true
		case <-limit:
			t.Fatalf("heard of %d images, want %d", len(got), len(ids)-2)
		}
	}
	if err := there.TrashProject(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	next("missed")
}

// Nothing is sent when all hints were sent before: an empty notification would
// mean that anything can have changed.
func TestSentTogether(t *testing.T) {
	h := newHints()
	h.pending[segment.News{ID: "a"}], h.pending[segment.News{}] = true, true
	if got := h.take(); len(got) != 1 {
		t.Errorf("sent %q, want one notification", got)
	}
	if got := h.take(); len(got) != 0 {
		t.Errorf("sent %q when there was nothing to say", got)
	}
}

// What a pooler would take from a server's sessions is said.
func TestCommitsUnlessPooled(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), postgrestest.MustStart(t).MustURL(t, t.TempDir())+"&synchronous_commit=off")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	risks, err := s.Risks(t.Context())
	if err != nil || !strings.Contains(strings.Join(risks, "; "), "synchronous_commit = off") {
		t.Errorf("risks %q: %v", risks, err)
	}
	for _, c := range []string{twicePrepared, notPrepared} {
		if err := pooled(fmt.Errorf("opening: %w", &pgconn.PgError{Code: c})); !strings.Contains(err.Error(), "default_query_exec_mode=exec") {
			t.Errorf("%s: %v", c, err)
		}
	}
}

// A listener that doesn't hear what its store sends, because it is connected
// elsewhere, says so and asks for news by itself.
func TestDeafListener(t *testing.T) {
	t.Parallel()
	place, other := t.TempDir(), t.TempDir()
	s := mustOpen(t, place)
	defer s.Close()
	mustOpen(t, other).Close()
	const deaf = "passes on no notifications"
	says := func() bool {
		t.Helper()
		risks, err := s.Risks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(strings.Join(risks, "; "), deaf)
	}
	if says() {
		t.Error("a connection without a pooler counts as deaf")
	}
	if err := s.ListenAt("postgres://%"); err == nil {
		t.Error("an address that can't be read was accepted")
	}
	if err := s.ListenAt(postgrestest.MustStart(t).MustURL(t, other)); err != nil {
		t.Fatal(err)
	}
	s.hints.echo = time.Second // for what never comes
	if !says() {
		t.Error("a connection to another installation counts as one that hears")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	asked := 0
	s.Listen(ctx, func(segment.News) {}, func() {
		if asked++; asked == 3 {
			cancel()
		}
	})
	if asked != 3 {
		t.Errorf("asked %d times in a minute", asked)
	}
	s.hints.echo = echo
	if err := s.ListenAt(postgrestest.MustStart(t).MustURL(t, place)); err != nil {
		t.Fatal(err)
	}
	if says() {
		t.Error("the address of the same installation counts as deaf")
	}
}

// cutting is a connection that breaks when something is sent that contains a text.
type cutting struct {
	net.Conn
	at string
}

func (c cutting) Write(b []byte) (int, error) {
	if strings.Contains(string(b), c.at) {
		return 0, errors.Join(net.ErrClosed, c.Close())
	}
	return c.Conn.Write(b)
}

// A server that can't listen because its connection breaks, as when a pooler restarts at
// that moment, says what it was about.
func TestListeningIsCut(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	defer s.Close()
	s.direct = s.pool.Config().ConnConfig.Copy()
	dial := s.direct.DialFunc
	s.direct.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return cutting{conn, "LISTEN"}, err
	}
	if _, err := s.Risks(t.Context()); err == nil || !strings.Contains(err.Error(), "can't be reached for notifications (--database-listen") {
		t.Errorf("%v; want a sentence that names the setting", err)
	}
}
