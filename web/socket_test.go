package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"collie/web/live"
	"collie/web/wire"
)

// tab is a page's end of a socket.
type tab struct {
	tb   testing.TB
	conn *websocket.Conn
}

// dial opens the image's socket as a page of the site would.
func (s *site) dial(imageID string) *tab {
	s.tb.Helper()
	header := http.Header{"Origin": {s.url}}
	if s.token != "" {
		header.Set("Authorization", "Bearer "+s.token)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(s.tb.Context(), s.socketURL(imageID), header)
	if err != nil {
		s.tb.Fatal(err)
	}
	resp.Body.Close()
	s.tb.Cleanup(func() { conn.Close() })
	return &tab{s.tb, conn}
}

func (s *site) socketURL(imageID string) string {
	return "ws" + strings.TrimPrefix(s.url, "http") + "/api/v1/images/" + imageID + "/socket"
}

// greet opens the socket, says hello and reads up to the end of the sequence.
func (s *site) greet(imageID string) *tab {
	s.tb.Helper()
	c := s.dial(imageID)
	c.say(`{"type":"hello"}`)
	c.expect("state")
	c.until("done")
	return c
}

func (c *tab) say(message string) {
	c.tb.Helper()
	if err := c.conn.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
		c.tb.Fatal(err)
	}
}

// message is any message from the server; Type is "hypothesis" for binary ones.
type message struct {
	Type, ID, Reason, Detail, Epoch string
	Run                             uint32
	Seq, Count, Undo, Redo, Marked  int
	Classes                         []int
	Clicks, Labels                  []byte
	Map                             string
	Regions, Wanted, Finest, Split  int
	Project                         wire.Project
	Repairs                         []wire.Repair
	frame                           live.HypothesisFrame
}

// next reads one message.
func (c *tab) next() message {
	c.tb.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		c.tb.Fatal(err)
	}
	kind, b, err := c.conn.ReadMessage()
	if err != nil {
		c.tb.Fatal(err)
	}
	m := message{Type: "hypothesis"}
	if kind == websocket.BinaryMessage {
		err = m.frame.UnmarshalBinary(b)
	} else {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	return m
}

// expect reads one message, which must be of the given type.
func (c *tab) expect(kind string) message {
	c.tb.Helper()
	m := c.next()
	if m.Type != kind {
		c.tb.Fatalf("got %+v, want a message of type %s", m, kind)
	}
	return m
}

// until reads up to a message of the given type and returns it last.
func (c *tab) until(kind string) []message {
	c.tb.Helper()
	var all []message
	for {
		m := c.next()
		all = append(all, m)
		if m.Type == kind {
			return all
		}
	}
}

// quiet checks that no message arrives.
func (c *tab) quiet(wait time.Duration) {
	c.tb.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
		c.tb.Fatal(err)
	}
	if _, b, err := c.conn.ReadMessage(); err == nil {
		c.tb.Fatalf("got %s, want nothing", b)
	}
}

// evidence wraps the body of a POST as a message.
func evidence(body string) string { return `{"type":"evidence",` + body[1:] }

// A click on the page, from start to end.
func TestSocketFromClickToAccept(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	c := s.dial(im.ID)
	c.say(`{"type":"hello","epoch":"","seq":0,"unacked":[]}`)
	state := c.expect("state")
	if state.Seq != 0 || state.Epoch == "" || len(state.Clicks) != im.Regions || bytes.IndexFunc(state.Labels, func(r rune) bool { return r == 0 }) >= 0 {
		t.Errorf("first state %+v", state)
	}
	if run := c.expect("run"); run.Count != 0 || run.Seq != 0 || run.Classes == nil {
		t.Errorf("run of no evidence: %+v", run)
	}
	if done := c.expect("done"); done.Reason != "no-evidence" || done.Detail == "" {
		t.Errorf("done of no evidence: %+v", done)
	}

	c.say(evidence(labelAt("a", 0, inSky, 0)))
	if ack := c.expect("ack"); ack.ID != "a" || ack.Seq != 1 {
		t.Errorf("ack %+v", ack)
	}
	if state := c.expect("state"); state.Seq != 1 || state.Undo != 1 || !slices.Contains(state.Clicks, 0) {
		t.Errorf("state after a click: %+v", state)
	}
	if run := c.expect("run"); run.Count != 1 || !slices.Equal(run.Classes, []int{0}) {
		t.Errorf("run of one class: %+v", run)
	}
	if h := c.expect("hypothesis"); h.frame.Rank != 0 || slices.Max(h.frame.Labels) != 0 {
		t.Errorf("hypothesis of one class: %+v", h.frame)
	}
	if done := c.expect("done"); done.Reason != "one-class" || done.Detail == "" {
		t.Errorf("done of one class: %+v", done)
	}

	c.say(evidence(labelAt("b", 1, inSea, 1)))
	c.expect("ack")
	c.expect("state")
	run := c.expect("run")
	if run.Count != 20 || run.Seq != 2 || !slices.Equal(run.Classes, []int{0, 1}) {
		t.Errorf("run of two classes: %+v", run)
	}
	got := c.until("done")
	if done := got[len(got)-1]; done.Reason != "complete" || done.Run != run.Run || len(got) != 21 {
		t.Fatalf("%d messages up to %+v, want 20 hypotheses and the end", len(got), done)
	}
	var script hypothesesJSON
	s.get("/api/v1/images/"+im.ID+"/hypotheses").into(t, http.StatusOK, &script)
	for rank, m := range got[:20] {
		f, want := m.frame, script.Hypotheses[rank]
		if f.Run != run.Run || f.Seq != 2 || int(f.Rank) != rank || f.Digest.String() != want.Digest || f.Energy != want.Energy || !bytes.Equal(f.Labels, want.Labels) {
			t.Errorf("hypothesis %d differs from what scripts get", rank)
		}
	}

	pick := got[3].frame
	c.say(fmt.Sprintf(`{"type":"evidence","id":"c","expected_seq":2,"kind":"accept","hypothesis":{"rank":3,"digest":%q}}`, pick.Digest))
	if ack := c.expect("ack"); ack.Seq != 3 {
		t.Errorf("ack %+v", ack)
	}
	if state := c.expect("state"); !bytes.Equal(state.Labels, pick.Labels) {
		t.Error("the labelling is not the hypothesis that was accepted")
	}
	c.until("done")
	c.say(`{"type":"evidence","id":"d","expected_seq":3,"kind":"undo"}`)
	c.expect("ack")
	if state := c.expect("state"); state.Undo != 2 || state.Redo != 1 || !slices.Contains(state.Labels, 255) {
		t.Errorf("state after undo: %+v", state)
	}
}

// Two tabs and a script on one image see the same.
func TestSocketsFollowEachOther(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	one, two := s.greet(im.ID), s.greet(im.ID)
	one.say(evidence(labelAt("a", 0, inSky, 0)))
	one.expect("ack")
	if diff := cmp.Diff(one.expect("state"), two.expect("state"), cmp.AllowUnexported(message{})); diff != "" {
		t.Errorf("states differ:\n%s", diff)
	}
	one.until("done")
	two.until("done")

	two.say(evidence(labelAt("b", 0, inSea, 1))) // has not noticed
	if r := two.expect("reject"); r.Reason != "stale" || r.Seq != 1 || r.ID != "b" || r.Detail == "" {
		t.Errorf("reject %+v", r)
	}
	one.quiet(50 * time.Millisecond)
	three := s.dial(im.ID) // one's reads are over after a deadline
	three.say(`{"type":"hello"}`)
	if state := three.expect("state"); state.Seq != 1 {
		t.Errorf("a third tab starts at %+v", state)
	}
	three.until("done")

	s.post("/api/v1/images/"+im.ID+"/evidence", labelAt("c", 1, inSea, 1)).into(t, http.StatusOK, &seqJSON{})
	for _, c := range []*tab{two, three} {
		if state := c.expect("state"); state.Seq != 2 {
			t.Errorf("after the script's click: %+v", state)
		}
		if got := c.until("done"); len(got) != 22 {
			t.Errorf("%d messages, want run, 20 hypotheses, done", len(got))
		}
	}
}

// A page that reconnects sends again whatever may not have arrived.
func TestSocketResumes(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	c := s.greet(im.ID)
	c.say(evidence(labelAt("a", 0, inSky, 0)))
	c.expect("ack")
	epoch := c.expect("state").Epoch
	c.conn.Close()

	c = s.dial(im.ID)
	c.say(fmt.Sprintf(`{"type":"hello","epoch":%q,"seq":0,"unacked":[%s,%s,%s]}`, epoch, labelAt("a", 0, inSky, 0), labelAt("b", 1, inSea, 1), labelAt("c", 1, inSand, 2)))
	for i, want := range []message{{Type: "ack", ID: "a", Seq: 1}, {Type: "ack", ID: "b", Seq: 2}, {Type: "reject", ID: "c", Seq: 2, Reason: "stale"}} {
		got := c.next()
		got.Detail = ""
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(message{})); diff != "" {
			t.Errorf("answer %d (-want +got):\n%s", i, diff)
		}
	}
	if state := c.expect("state"); state.Seq != 2 {
		t.Errorf("state %+v", state)
	}
	if got := c.until("done"); len(got) != 22 {
		t.Errorf("%d messages, want run, 20 hypotheses, done", len(got))
	}

	// A later event that happens to name the right state doesn't overtake a
	// refused one.
	c = s.dial(im.ID)
	c.say(fmt.Sprintf(`{"type":"hello","epoch":%q,"seq":1,"unacked":[%s,%s,%s]}`, epoch, labelAt("d", 1, inSand, 2), labelAt("e", 2, inSand, 1), labelAt("b", 1, inSea, 1)))
	for i, want := range []message{
		{Type: "reject", ID: "d", Seq: 2, Reason: "stale", Detail: "The event was made to be number 2 of this image, but the next one is now number 3. Nothing was changed; read the evidence again, then send the event."},
		{Type: "reject", ID: "e", Seq: 2, Reason: "stale", Detail: "An event before this one was refused. Nothing was changed; read the evidence again, then send the event."},
		{Type: "ack", ID: "b", Seq: 2},
	} {
		got := c.next()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(message{})); diff != "" {
			t.Errorf("answer %d (-want +got):\n%s", i, diff)
		}
	}

	c = s.dial(im.ID)
	c.say(fmt.Sprintf(`{"type":"hello","epoch":"another","seq":7,"unacked":[%s]}`, labelAt("x", 2, inSand, 2)))
	if r := c.expect("reject"); r.Reason != "stale" || r.ID != "x" {
		t.Errorf("an event of another epoch: %+v", r)
	}
	if state := c.expect("state"); state.Seq != 2 || state.Epoch != epoch {
		t.Errorf("state %+v", state)
	}
}

// Every mistake is answered clearly, changes nothing and leaves the socket open.
func TestSocketMistakes(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	c := s.greet(im.ID)
	endless := strings.Repeat("e", 10_000)
	for _, m := range []struct{ name, message, kind, reason, says string }{
		{"no JSON", `hello`, "error", "", "byte"},
		{"empty", ` `, "error", "", "The request is empty"},
		{"a list", `[1]`, "error", "", "object"},
		{"no type", `{}`, "error", "", "unknown"},
		{"unknown type", `{"type":"dance"}`, "error", "", "dance"},
		{"type of the wrong type", `{"type":7}`, "error", "", `"type"`},
		{"run of none", `{"type":"run","count":0}`, "error", "", "1 to 100"},
		{"run of too many", `{"type":"run","count":101}`, "error", "", "1 to 100"},
		{"negative credit", `{"type":"credit","n":-1}`, "error", "", "0 or more"},
		{"no credit", `{"type":"credit"}`, "error", "", `"n"`},
		{"no id", `{"type":"evidence","expected_seq":0,"kind":"undo"}`, "error", "", `"id"`},
		{"wrong type of class", `{"type":"evidence","id":"x","expected_seq":0,"kind":"label","superpixels":[0],"class":"sky"}`, "reject", "invalid", `"class"`},
		{"wrong type of id", `{"type":"evidence","id":7,"expected_seq":0,"kind":"undo"}`, "error", "", `"id"`},
		{"no expected_seq", `{"type":"evidence","id":"x","kind":"undo"}`, "reject", "invalid", "expected_seq"},
		{"unknown class", `{"type":"evidence","id":"x","expected_seq":0,"kind":"label","superpixels":[0],"class":3}`, "reject", "invalid", "classes 0 to 2"},
		{"superpixel out of range", `{"type":"evidence","id":"x","expected_seq":0,"kind":"label","superpixels":[9999],"class":0}`, "reject", "invalid", "9999"},
		{"wrong seq", `{"type":"evidence","id":"x","expected_seq":5,"kind":"label","superpixels":[0],"class":0}`, "reject", "stale", "next one is now number 1"},
		{"nothing to undo", `{"type":"evidence","id":"x","expected_seq":0,"kind":"undo"}`, "reject", "invalid", "nothing to undo"},
		{"nothing to restore", `{"type":"evidence","id":"x","expected_seq":0,"kind":"restore","to":5}`, "reject", "invalid", "has 0 events"},
		{"long type", `{"type":"` + endless + `"}`, "error", "", "eee"},
		{"long kind", `{"type":"evidence","id":"x","expected_seq":0,"kind":"` + endless + `"}`, "reject", "invalid", "eee"},
		{"long kind of a click", `{"type":"evidence","id":"x","expected_seq":0,"fine":true,"kind":"` + endless + `"}`, "reject", "invalid", "eee"},
		{"no such hypothesis", `{"type":"evidence","id":"x","expected_seq":0,"kind":"accept","hypothesis":0}`, "reject", "invalid", "nothing has been clicked"},
	} {
		c.say(m.message)
		got := c.expect(m.kind)
		if got.Reason != m.reason || !strings.Contains(got.Detail, m.says) || m.kind == "reject" && got.ID != "x" || len(got.Detail) > 300 {
			t.Errorf("%s: %.500s", m.name, fmt.Sprintf("%+v", got))
		}
	}
	if err := c.conn.WriteMessage(websocket.BinaryMessage, []byte{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	c.expect("error")
	c.say(evidence(labelAt("a", 0, inSky, 0)))
	if ack := c.expect("ack"); ack.Seq != 1 {
		t.Errorf("after all the mistakes a click becomes number %d, want 1", ack.Seq)
	}
}

// BenchmarkClick measures the time from sending a click to its first hypothesis.
func BenchmarkClick(b *testing.B) {
	s := MustServe(b)
	var made struct {
		Images []wire.Image `json:"images"`
	}
	s.post("/api/v1/sample", "").into(b, http.StatusCreated, &made)
	im := made.Images[0]
	b.Run(fmt.Sprintf("n=%d/k=7", im.Regions), func(b *testing.B) {
		c := s.greet(im.ID)
		seq := 0
		var record wire.Image
		s.get("/api/v1/images/"+im.ID).into(b, http.StatusOK, &record)
		seq = record.Seq
		for i := 0; b.Loop(); i++ {
			c.say(fmt.Sprintf(`{"type":"evidence","id":"b%d","expected_seq":%d,"kind":"label","superpixels":[%d],"class":%d}`, seq, seq, seq*37%im.Regions, i%7))
			c.until("hypothesis")
			seq++
		}
	})
}
