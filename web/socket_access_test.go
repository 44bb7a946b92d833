package web

import (
	"image"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/web/live"
)

// ends waits for the socket to be closed, by the given code.
func (c *tab) ends(code int) {
	c.tb.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		c.tb.Fatal(err)
	}
	// The answer to a ping can come too late to be sent; that doesn't count as an
	// end.
	c.conn.SetPingHandler(func(string) error { return nil })
	for {
		if _, _, err := c.conn.ReadMessage(); err != nil {
			if !websocket.IsCloseError(err, code) {
				c.tb.Errorf("the socket ended with %v, want close code %d", err, code)
			}
			return
		}
	}
}

// lives checks that the socket still works.
func (c *tab) lives() {
	c.tb.Helper()
	c.say(`{"type":"dance"}`)
	c.until("error")
}

// occupied waits until that many sockets are open.
func (s *site) occupied(want int) {
	s.tb.Helper()
	var got int
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if got = s.server.Sockets(); got == want {
			return
		}
	}
	s.tb.Fatalf("%d sockets are open, want %d", got, want)
}

// Signing out ends the sockets of that session; an admin's change of a user ends
// all of that user's sockets, and nobody else's, at once.
func TestSocketsEndWithTheSession(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin, limited(Limits{Socket: live.Limits{PingEvery: time.Hour}})) // a ping would notice, too
	admin := s.as(s.user("admin", access.Admin))
	im := admin.photo()
	other := admin.greet(im.ID)
	u := s.user("ann", access.Annotator)
	home, office := s.as(u), s.as(u)

	here, there := home.greet(im.ID), office.greet(im.ID)
	home.submit("/logout", nil)
	here.ends(live.CloseSignedOut)
	there.lives()
	if a := home.knock(im.ID); a.status != 401 {
		t.Errorf("a new socket of the old session: %d", a.status)
	}

	member := "/api/v1/projects/" + im.Project + "/members/ann"
	admin.send("PUT", member, strings.NewReader(`{"role":"viewer"}`), "Content-Type: application/json").into(t, 200, new(any))
	there.ends(live.CloseRoleChanged)
	there = office.greet(im.ID)
	there.say(evidence(labelAt("a", 0, inSky, 0)))
	if r := there.expect("reject"); !strings.Contains(r.Detail, "viewer") {
		t.Errorf("after the demotion: %+v", r)
	}
	admin.send("DELETE", member, nil)
	there.ends(live.CloseRemoved)
	if a := office.knock(im.ID); a.status != 404 {
		t.Errorf("a socket after the membership ended: %d", a.status)
	}
	admin.send("PUT", "/api/v1/projects/"+im.Project+"/members/ANN", strings.NewReader(`{"role":"owner"}`), "Content-Type: application/json").into(t, 200, new(any))
	there = office.greet(im.ID)

	admin.submit("/users/"+u.ID+"/password", url.Values{"password": {"another horse"}})
	there.ends(live.CloseSignedOut)
	if a := office.knock(im.ID); a.status != 401 {
		t.Errorf("a socket after the password changed: %d", a.status)
	}

	u = mustNamed(t, s, "ann")
	there = s.as(u).greet(im.ID)
	admin.submit("/users/"+u.ID+"/remove", nil)
	there.ends(live.CloseSignedOut)
	other.lives()
	s.occupied(1)
}

// A page that was made for another role than its user has by now is told so when it
// connects, as it would have been while connected.
func TestSocketOfAnotherRole(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	im := s.as(s.user("admin", access.Admin)).photo()
	ann := s.as(s.user("ann", access.User))
	s.join(im.Project, "ann", access.Annotator)
	open := func(role string) (*tab, int) {
		conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), s.socketURL(im.ID)+"?role="+role, http.Header{"Authorization": {"Bearer " + ann.token}})
		if resp == nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if conn != nil {
			t.Cleanup(func() { conn.Close() })
		}
		return &tab{t, conn}, resp.StatusCode
	}
	for _, role := range []string{"annotator", "any"} {
		c, _ := open(role)
		c.lives()
	}
	for _, role := range []string{"viewer", "owner", "admin"} {
		c, _ := open(role)
		c.ends(live.CloseRoleChanged)
	}
	s.occupied(2)
	if _, status := open("king"); status != http.StatusUnprocessableEntity {
		t.Errorf("a socket of a role that doesn't exist: %d", status)
	}
}

// A change of a role that was made without a request to this server ends the socket with
// the first message that the new role doesn't allow, without waiting for the next ping.
func TestSocketOfLostRole(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin, limited(Limits{Socket: live.Limits{PingEvery: time.Hour, PongWithin: 2 * time.Hour}}))
	im := s.as(s.user("admin", access.Admin)).photo()
	ann := s.as(s.user("ann", access.User))
	run := `{"type":"run","count":3}`
	for _, message := range []string{run, evidence(labelAt("late", 0, image.Pt(5, 5), 1))} {
		s.join(im.Project, "ann", access.Annotator)
		c := ann.greet(im.ID)
		s.join(im.Project, "ann", access.Viewer)
		c.say(message)
		if err := c.conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		for {
			_, b, err := c.conn.ReadMessage()
			if err != nil {
				if !websocket.IsCloseError(err, live.CloseRoleChanged) {
					t.Errorf("%s: the socket ended with %v", message, err)
				}
				break
			}
			if strings.Contains(string(b), `"type":"error"`) {
				t.Fatalf("%s: got %s and no end", message, b)
			}
		}
	}
	c := ann.greet(im.ID) // a viewer from the start
	c.say(run)
	c.until("error")
	c.lives()
}

// Changes to a user or a session made without a request to this server, such as on
// the command line, are noticed at the next ping.
func TestSocketsAreChecked(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin, limited(Limits{Socket: live.Limits{PingEvery: 30 * time.Millisecond}, Session: accounts.SessionLimits{Idle: time.Hour}}))
	u := s.user("ann", access.Annotator)
	s.user("admin", access.Admin)
	im := s.as(mustNamed(t, s, "admin")).photo()

	ann := s.as(u)
	c := ann.greet(im.ID)
	s.join(im.Project, "ann", access.Viewer)
	c.ends(live.CloseRoleChanged)
	c = ann.greet(im.ID)
	s.join(im.Project, "ann", access.Nobody)
	c.ends(live.CloseRemoved)
	s.join(im.Project, "ann", access.Annotator)
	c = ann.greet(im.ID)
	if err := s.store.SetRole(t.Context(), u.ID, access.Admin); err != nil {
		t.Fatal(err)
	}
	c.ends(live.CloseRoleChanged)

	c = ann.greet(im.ID)
	if err := s.store.SetPassword(t.Context(), u, "x"); err != nil {
		t.Fatal(err)
	}
	c.ends(live.CloseSignedOut)

	u = mustNamed(t, s, "ann")
	c = s.as(u).greet(im.ID)
	if err := s.store.RemoveUser(t.Context(), u.ID); err != nil {
		t.Fatal(err)
	}
	c.ends(live.CloseSignedOut)

	// Activity on a socket keeps a session alive; pings and pongs alone don't.
	bob := s.as(s.user("bob", access.Annotator))
	c = bob.greet(im.ID)
	end := bob.expire(time.Minute)
	for !bob.expires().After(end) { // fails when the session has ended
		c.lives()
		time.Sleep(50 * time.Millisecond) // more often would be a flood
	}
	ended := make(chan struct{})
	var expiry sync.WaitGroup
	expiry.Go(func() { // more than once: what was said last may count only now
		for {
			if err := s.store.ProlongSession(t.Context(), bob.token, time.Now().Add(200*time.Millisecond)); err != nil {
				t.Error(err)
			}
			select {
			case <-time.After(300 * time.Millisecond):
			case <-ended:
				return
			}
		}
	})
	c.ends(live.CloseSignedOut)
	close(ended)
	expiry.Wait()
}

// One user can't take all places.
func TestTooManySocketsOfOneUser(t *testing.T) {
	s := MustServe(t, withLogin)
	ann, bob := s.as(s.user("ann", access.Admin)), s.as(s.user("bob", access.Viewer))
	im := ann.photo()
	var first *tab
	for range 8 {
		first = ann.dial(im.ID)
	}
	a := ann.knock(im.ID)
	if a.status != http.StatusTooManyRequests || !strings.Contains(string(a.body), "8 images open") || a.header.Get("Retry-After") == "" {
		t.Errorf("the ninth socket: %d %s", a.status, a.body)
	}
	bob.dial(im.ID)
	first.conn.Close()
	s.occupied(8)
	ann.dial(im.ID)
}

// A server without login has no users to share the places among.
func TestManySocketsWithoutLogin(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	for range 100 {
		s.dial(im.ID)
	}
	s.occupied(100)
}
