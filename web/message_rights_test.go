package web

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/web/live"
)

// knock opens and closes an image's socket and returns the answer.
func (s *site) knock(imageID string) answer {
	s.tb.Helper()
	header := http.Header{}
	if s.token != "" {
		header.Set("Authorization", "Bearer "+s.token)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(s.tb.Context(), s.socketURL(imageID), header)
	if resp == nil {
		s.tb.Fatal(err)
	}
	if conn != nil {
		conn.Close()
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil && resp.StatusCode != 101 {
		s.tb.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, b}
}

// messageRights has a row for every kind of message on a socket, and who can
// send it: a viewer, a reviewer, an annotator, an owner, an admin. Strangers have no
// socket.
var messageRights = map[string]struct {
	message string
	may     [5]bool
}{
	"hello":    {`{"type":"hello"}`, [5]bool{true, true, true, true, true}},
	"evidence": {evidence(labelAt("same", 0, inSky, 0)), [5]bool{false, false, true, true, true}},
	"run":      {`{"type":"run","count":5}`, [5]bool{false, false, true, true, true}},
	"stop":     {`{"type":"stop"}`, [5]bool{false, false, true, true, true}},
	"credit":   {`{"type":"credit","n":100}`, [5]bool{true, true, true, true, true}},
	"suppose":  {`{"type":"suppose","expected_seq":0,"points":[[10,10]],"class":0}`, [5]bool{false, false, true, true, true}},
}

func TestRightsOfMessages(t *testing.T) {
	s := MustServe(t, withLogin)
	var people []accounts.User
	for _, role := range append(access.ProjectRoles(), access.Admin) {
		people = append(people, s.user(role.String(), role))
	}
	admin := people[len(people)-1]
	im := s.as(admin).photo()
	for _, kind := range live.ClientKinds {
		row, ok := messageRights[kind]
		if !ok {
			t.Errorf("message %s has no row: who can send it?", kind)
			continue
		}
		for i, u := range people {
			c := s.as(u).greet(im.ID)
			c.say(row.message)
			c.say(`{"type":"dance"}`) // the answer to this one comes after all others
			may := true
			for {
				m := c.next()
				if m.Type == "error" && strings.Contains(m.Detail, "dance") {
					break
				}
				if m.Type == "reject" || m.Type == "error" {
					may = false
					if !strings.Contains(m.Detail, "Your role in this project ("+u.Name+")") {
						t.Errorf("%s, %s: %+v", kind, u.Name, m)
					}
				}
			}
			if may != row.may[i] {
				t.Errorf("%s, %s: may is %v", kind, u.Name, may)
			}
		}
	}
	if len(messageRights) != len(live.ClientKinds) {
		t.Errorf("%d rows, %d kinds of messages", len(messageRights), len(live.ClientKinds))
	}
	var log struct{ Seq int }
	s.as(admin).get("/api/v1/images/"+im.ID+"/evidence").into(t, 200, &log)
	if log.Seq != 1 {
		t.Errorf("%d events are stored, want the annotator's", log.Seq)
	}
}
