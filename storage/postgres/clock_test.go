package postgres

import (
	"log/slog"
	"net/url"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/postgres/postgrestest"
)

// mustOpenAhead opens a place whose database's clock is ahead of the program's.
func mustOpenAhead(t *testing.T, by string) *Store {
	t.Helper()
	server, place := postgrestest.MustStart(t), t.TempDir()
	address, err := url.Parse(server.MustURL(t, place))
	if err != nil {
		t.Fatal(err)
	}
	server.MustExec(t, place, "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '"+by+"' $$")
	query := address.Query()
	query.Set("search_path", query.Get("search_path")+",pg_catalog") // the function comes before the database's own
	address.RawQuery = query.Encode()
	s, err := Open(t.Context(), address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A session lasts as long as it should, and is prolonged when it is used, however far
// the server's clock and the database's are apart; so does an API token.
func TestSessionsGoByOneClock(t *testing.T) {
	for _, by := range []string{"1 hour", "-1 hour"} {
		s := mustOpenAhead(t, by)
		u := accounts.User{ID: segment.NewID(), Name: "ann", Role: access.User, Created: time.Now()}
		if err := s.CreateUser(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		sessions := accounts.NewSessions(s, accounts.New(s, accounts.Limits{}), accounts.SessionLimits{Idle: 30 * time.Minute}, slog.New(slog.DiscardHandler))
		token, session, err := sessions.Begin(t.Context(), u, "")
		if err != nil || session.Left() != 30*time.Minute {
			t.Fatalf("%s ahead: a new session has %v: %v", by, session.Left(), err)
		}
		if _, session, err = sessions.Find(t.Context(), token, true); err != nil || session.Left() > 30*time.Minute || session.Left() < 20*time.Minute {
			t.Errorf("%s ahead: a session just begun has %v: %v", by, session.Left(), err)
		}
		if err := s.ProlongSession(t.Context(), token, session.Read.Add(10*time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, session, err = sessions.Find(t.Context(), token, true); err != nil || session.Left() != 30*time.Minute {
			t.Errorf("%s ahead: a session that was used has %v: %v", by, session.Left(), err)
		}
		api, err := s.AddToken(t.Context(), "secret", u, accounts.Token{ID: segment.NewID(), User: u.ID, Scope: access.ReadOnly}, 1)
		if apart := api.Created.Sub(session.Read); err != nil || apart < 0 || apart > 20*time.Minute || api.Expires.Sub(api.Created) != 24*time.Hour {
			t.Errorf("%s ahead: an API token for a day is %+v by the clock of a session at %v: %v", by, api, session.Read, err)
		}
	}
}
