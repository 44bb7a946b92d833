package web

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/storage/sqlite"
	"collie/web/people"
)

// Programs sign in with a call and send a bearer token.
func TestSessionOfPrograms(t *testing.T) {
	s := MustServe(t, withLogin)
	s.known("robot", access.Annotator)
	var made, who people.Session
	s.post("/api/v1/session", `{"name":"robot","password":"`+testPassword+`"}`).into(t, 201, &made)
	if made.Role != "user" || len(made.Token) != 43 || made.Expires == nil {
		t.Errorf("%+v", made)
	}
	for _, header := range []string{"Authorization: Bearer " + made.Token, "Authorization: bearer  " + made.Token} {
		s.send("GET", "/api/v1/session", nil, header).into(t, 200, &who)
		if (who != people.Session{Name: "robot", Role: "user"}) {
			t.Errorf("%+v", who)
		}
	}
	for _, header := range []string{"X: y", "Authorization: Bearer", "Authorization: Bearer " + made.Token + "x", "Authorization: Basic " + made.Token, "Authorization: " + made.Token} {
		a := s.send("GET", "/api/v1/projects", nil, header)
		a.problem(t, 401)
		if a.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("WWW-Authenticate: %q", a.header.Get("WWW-Authenticate"))
		}
	}
	s.token = made.Token
	if a := s.send("DELETE", "/api/v1/session", nil); a.status != 204 {
		t.Errorf("signing out: %d", a.status)
	}
	s.get("/api/v1/session").problem(t, 401)
}

// expire makes the session of s expire after a time.
func (s *site) expire(in time.Duration) (end time.Time) {
	s.tb.Helper()
	end = time.Now().Add(in)
	if err := s.store.ProlongSession(s.tb.Context(), s.token, end); err != nil {
		s.tb.Fatal(err)
	}
	return end
}

// expires is when the session of s expires.
func (s *site) expires() time.Time {
	s.tb.Helper()
	session, err := s.store.Session(s.tb.Context(), s.token)
	if err != nil {
		s.tb.Fatal(err)
	}
	return session.Expires
}

// Sessions end when they are not used, and in any case some time after the login.
func TestSessionsEnd(t *testing.T) {
	s := MustServe(t, withLogin, limited(Limits{Session: accounts.SessionLimits{Idle: time.Hour, Lifetime: 90 * time.Minute}}))
	ann := s.as(s.user("ann", access.Viewer))
	ann.expire(-time.Millisecond)
	ann.get("/api/v1/session").problem(t, 401)

	// A request extends the session by the idle time; another within a minute
	// writes nothing, and none extends it beyond the lifetime.
	ann = s.as(mustNamed(t, s, "ann"))
	for _, c := range []struct {
		left            time.Duration
		atLeast, atMost time.Duration
	}{
		{time.Minute, 60 * time.Minute, 61 * time.Minute},
		{59*time.Minute + 40*time.Second, 59 * time.Minute, 60 * time.Minute},
	} {
		before := ann.expire(c.left)
		began := time.Now()
		if a := ann.get("/api/v1/session"); a.status != 200 {
			t.Fatalf("with %v left: %d", c.left, a.status)
		}
		after := ann.expires()
		if after.Before(began.Add(c.atLeast).Add(-time.Second)) || after.After(time.Now().Add(c.atMost)) {
			t.Errorf("with %v left, the expiry moved from %v to %v", c.left, before, after)
		}
	}
	short := MustServe(t, withLogin, limited(Limits{Session: accounts.SessionLimits{Idle: time.Hour, Lifetime: 30 * time.Minute}}))
	ann = short.as(short.user("ann", access.Viewer))
	end := ann.expires()
	ann.expire(time.Minute)
	if ann.get("/api/v1/session"); !ann.expires().Equal(end) {
		t.Errorf("a session that is used ends at %v, want the end of its lifetime, %v", ann.expires(), end)
	}
}

// A browser keeps its cookie as long as the session lasts, even when that is
// extended; programs, which send a bearer token, get no cookie.
func TestCookieIsRenewed(t *testing.T) {
	s := MustServe(t, withLogin)
	ann := s.as(s.user("ann", access.Viewer))
	cookie := "Cookie: collie=" + ann.token
	ann.expire(time.Minute) // as it is 12 hours after login, less a minute
	for _, path := range []string{"/", "/api/v1/projects", "/api/v1/session", "/nothing/here"} {
		a := s.send("GET", path, nil, cookie)
		c := a.cookie(t)
		if c.Value != ann.token || !c.HttpOnly || c.Path != "/" || c.SameSite != http.SameSiteLaxMode ||
			c.MaxAge < int(11*time.Hour/time.Second) || time.Until(ann.expires()) < 11*time.Hour {
			t.Errorf("%s: cookie %v, and the session expires at %v", path, c, ann.expires())
		}
	}
	for name, a := range map[string]answer{
		"a program":    ann.get("/api/v1/projects"),
		"a stranger":   s.get("/login"),
		"a dead token": s.send("GET", "/login", nil, "Cookie: collie=x"),
	} {
		if set := a.header.Values("Set-Cookie"); len(set) > 0 {
			t.Errorf("%s gets a cookie: %q", name, set)
		}
	}
}

// Files that are the same for everybody need no session.
func TestStaticFilesLookUpNoSession(t *testing.T) {
	var asked countedSessions
	s := MustServe(t, withLogin, func(c *Config, _ *sqlite.Store) {
		asked.SessionStore = c.Login.Sessions
		c.Login.Sessions = &asked
	})
	cookie := "Cookie: collie=" + s.as(s.user("ann", access.Viewer)).token
	for path, want := range map[string]int32{"/static/icons/favicon.svg": 0, "/static/missing.js": 0, "/healthz": 0, "/readyz": 0, "/": 1, "/login": 1} {
		before := asked.n.Load()
		a := s.send("GET", path, nil, cookie)
		if got := asked.n.Load() - before; got != want || a.status >= 500 {
			t.Errorf("%s: %d with %d look-ups of the session, want %d", path, a.status, got, want)
		}
	}
}

// countedSessions counts how often a session is looked up.
type countedSessions struct {
	accounts.SessionStore
	n atomic.Int32
}

func (c *countedSessions) Session(ctx context.Context, token string) (accounts.Session, error) {
	c.n.Add(1)
	return c.SessionStore.Session(ctx, token)
}
