package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/engine"
	"collie/superpixels"
	"collie/web/wire"
)

// fixturePath is read by the tests of the front-end, too: the two sides agree
// on the messages by this file.
const fixturePath = "../../static/testdata/messages.json"

// fixtures are messages of every kind. Bytes are base64.
type fixtures struct {
	Comment     string             `json:"comment"`
	Server      map[string]any     `json:"server"` // text frames, by type and what is in them
	Client      map[string]any     `json:"client"` // text frames, by type and kind
	Frame       frameFixture       `json:"frame"`
	Superpixels superpixelsFixture `json:"superpixels"`
}

// frameFixture is a binary frame with what it says.
type frameFixture struct {
	Base64 []byte  `json:"base64"`
	Run    uint32  `json:"run"`
	Seq    uint32  `json:"seq"`
	Rank   uint32  `json:"rank"`
	Energy float64 `json:"energy"`
	Digest string  `json:"digest"`
	Labels []int   `json:"labels"`
}

// superpixelsFixture is superpixels.bin, after gzip, with the map it says.
type superpixelsFixture struct {
	Base64 []byte  `json:"base64"`
	Width  int     `json:"width"`
	Height int     `json:"height"`
	N      int     `json:"n"`
	Labels []int32 `json:"labels"`
}

var update = flag.Bool("update", false, "write the message fixtures again")

var frameExample = HypothesisFrame{
	Run: 7, Seq: 12, Rank: 3, Energy: -1234.5,
	Digest: engine.Digest{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}, Labels: []uint8{0, 1, 2, 254, 1, 0},
}

var clientExamples = map[string]clientMessage{
	"hello": {Type: "hello", Epoch: "e", Seq: 4, Unacked: []wire.Evidence{
		{ID: "u1", ExpectedSeq: new(4), Kind: "label", Superpixels: []int32{5}, Class: new(0)},
		{ID: "u2", ExpectedSeq: new(5), Kind: "undo"},
	}},
	"label": {Type: "evidence", Evidence: wire.Evidence{
		ID: "c1", ExpectedSeq: new(0), Kind: "label", Map: "0011223344556677", Superpixels: []int32{1, 2}, Points: [][2]float64{{3.5, 4}}, Class: new(1),
	}},
	"rebased":     {Type: "evidence", Rebase: true, Evidence: wire.Evidence{ID: "c12", ExpectedSeq: new(0), Kind: "label", Superpixels: []int32{1}, Class: new(1)}},
	"clear":       {Type: "evidence", Evidence: wire.Evidence{ID: "c2", ExpectedSeq: new(1), Kind: "clear", Superpixels: []int32{1}}},
	"accept":      {Type: "evidence", Evidence: wire.Evidence{ID: "c3", ExpectedSeq: new(2), Kind: "accept", Hypothesis: &wire.Pick{Rank: 2, Digest: "0123456789abcdef"}}},
	"undo":        {Type: "evidence", Evidence: wire.Evidence{ID: "c4", ExpectedSeq: new(3), Kind: "undo"}},
	"redo":        {Type: "evidence", Evidence: wire.Evidence{ID: "c5", ExpectedSeq: new(4), Kind: "redo"}},
	"granularity": {Type: "evidence", Evidence: wire.Evidence{ID: "c6", ExpectedSeq: new(5), Kind: "granularity", Regions: new(300)}},

	"pixels": {Type: "evidence", Evidence: wire.Evidence{ID: "c7", ExpectedSeq: new(6), Kind: "pixels", Repairs: []wire.Repair{
		{Class: new(1), Runs: []int32{0, 2, 7, 1}}, {Class: new(255), Runs: []int32{4, 3}},
	}}},
	"restore":  {Type: "evidence", Evidence: wire.Evidence{ID: "c8", ExpectedSeq: new(7), Kind: "restore", To: new(0)}},
	"box":      {Type: "evidence", Evidence: wire.Evidence{ID: "c9", ExpectedSeq: new(8), Kind: "box", Class: new(1), Points: [][2]float64{{0, 0.5}, {8, 6}}}},
	"instance": {Type: "evidence", Evidence: wire.Evidence{ID: "c11", ExpectedSeq: new(9), Kind: "instance", Class: new(2), Number: new(3), Points: [][2]float64{{4.5, 2}}}},
	"exclude":  {Type: "evidence", Evidence: wire.Evidence{ID: "c10", ExpectedSeq: new(9), Kind: "exclude", Class: new(2), Superpixels: []int32{0, 2}}},
	"lock":     {Type: "evidence", Evidence: wire.Evidence{ID: "c11", ExpectedSeq: new(10), Kind: "lock", Class: new(0)}},

	"run":    {Type: "run", Count: 40},
	"stop":   {Type: "stop"},
	"credit": {Type: "credit", N: new(8)},
	"suppose": {Type: "suppose", Evidence: wire.Evidence{
		ExpectedSeq: new(8), Map: "0011223344556677", Superpixels: []int32{5}, Class: new(1),
	}},
}

// makeFixtures writes one message of each kind that the types above can express.
func makeFixtures(t *testing.T) []byte {
	frame, err := frameExample.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := superpixels.Map{Width: 4, Height: 3, N: 3, Labels: []int32{0, 0, 1, 1, 0, 2, 2, 1, 2, 2, 2, 2}}
	packed, err := m.Runs().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	f := fixtures{
		Comment: "Written by web/live/messages_test.go: go test ./web/live -run Fixtures -update",
		Server: map[string]any{
			"state": stateMessage{"state", "e", 12, []byte{0, 255, 1}, []byte{0, 2, 1}, 3, 1, "0011223344556677", 3, 2, 12, 1, nil, nil, nil, nil},
			"state with repairs": stateMessage{"state", "e", 13, []byte{0, 255, 1, 255}, []byte{0, 2, 1, 1}, 4, 0, "0011223344556677", 3, 2, 12, 1, []int32{5}, &wire.Constraints{Boxes: []wire.Box{{Class: 1, Box: [4]float64{0, 0.5, 8, 6}}}, Excluded: []wire.Excluded{{Class: 2, Superpixels: []int32{0, 2}}}, Locked: []int{0}, Objects: []wire.Objects{{Class: 2, Ranges: [][2]int32{{1, 2}, {4, 4}}}}}, nil, []wire.Repair{
				{Class: new(1), Runs: []int32{0, 2, 7, 1}}, {Class: new(255), Runs: []int32{4, 3}},
			}},
			"state with a guess": stateMessage{"state", "e", 1, []byte{255, 255, 255}, []byte{255, 255, 255}, 1, 0, "0011223344556677", 3, 3, 12, 0, nil, nil, &wire.Guess{Model: 2, Learnt: 23, Sure: []wire.SureClass{{Class: 4, Area: 0.5}, {Class: 0, Area: 0.25}}}, nil},
			"project": projectMessage{"project", wire.Project{
				ID: "p", Name: "Park",
				Classes: []wire.Class{{ID: 0, Index: 0, Name: "background", Color: "#5b6b7f"}, {ID: 4, Index: 1, Name: "tree", Color: "#2f9e8f"}},
				Deleted: []wire.DeletedClass{{ID: 1, Name: "bush", Color: "#f2a541", Target: 4, Deleted: time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)}},
				Rest:    wire.Rest{Value: &segment.Rest{Mode: segment.RestClass}},
				Created: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC),
			}},
			"reviewed":         reviewedMessage{"reviewed"},
			"here":             hereMessage{"here", []string{"ann", "bob"}, 1},
			"ack":              ackMessage{"ack", "c1", 1},
			"reject":           rejectMessage{"reject", "c1", "stale", "The event was made to be number 1 of this image, but the next one is now number 3.", 2},
			"run":              runMessage{"run", 7, 12, 20, []int{0, 2}, false},
			"done":             doneMessage{Type: "done", Run: 7, Reason: reasonOneClass, Detail: "Only one class has been clicked."},
			"done with a mark": doneMessage{Type: "done", Run: 7, Reason: reasonComplete, Marked: 3},
			"lost":             lostMessage{"lost", "The database came back without its last edits."},
			"error":            errorMessage{"error", "The message was not understood."},
		},
		Client: map[string]any{},
		Frame: frameFixture{
			frame, frameExample.Run, frameExample.Seq, frameExample.Rank, frameExample.Energy,
			frameExample.Digest.String(),
			[]int{0, 1, 2, 254, 1, 0},
		},
		Superpixels: superpixelsFixture{packed, m.Width, m.Height, m.N, m.Labels},
	}
	for name, m := range clientExamples {
		f.Client[name] = m
	}
	b, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

func TestFixtures(t *testing.T) {
	want := makeFixtures(t)
	if *update {
		if err := os.WriteFile(fixturePath, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(fixturePath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; see the comment in it. (-want +got):\n%s", fixturePath, cmp.Diff(string(want), string(got)))
	}
}

// docs/socket.md describes each message with all its fields.
func TestMessagesAreDescribed(t *testing.T) {
	page, err := os.ReadFile("../../docs/socket.md")
	if err != nil {
		t.Fatal(err)
	}
	row := func(part, first string) string {
		_, rest, found := strings.Cut(part, "\n| "+first+" |")
		if !found {
			t.Errorf("docs/socket.md has no row for %s", first)
		}
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	_, rest, _ := strings.Cut(string(page), "| to the server |")
	client, server, _ := strings.Cut(rest, "| from the server |")
	for _, kind := range ClientKinds {
		row(client, "`"+kind+"`")
	}
	for kind, message := range map[string]any{
		"state": stateMessage{}, "project": projectMessage{}, "reviewed": reviewedMessage{}, "here": hereMessage{}, "ack": ackMessage{}, "reject": rejectMessage{},
		"run": runMessage{}, "done": doneMessage{}, "lost": lostMessage{}, "error": errorMessage{},
	} {
		described := row(server, "`"+kind+"`")
		for _, f := range reflect.VisibleFields(reflect.TypeOf(message)) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "type" && !strings.Contains(described, "`"+name+"`") {
				t.Errorf("docs/socket.md doesn't have the field %s of %s", name, kind)
			}
		}
	}
	for _, reason := range []string{reasonComplete, reasonOneClass, reasonNoEvidence, reasonStopped, reasonSuperseded, reasonBusy, reasonFailed} {
		if !strings.Contains(row(server, "`done`"), "`"+reason+"`") {
			t.Errorf("docs/socket.md doesn't have the reason %s", reason)
		}
	}
}

// Messages of clients are read as they were meant.
func TestFixturesOfClientsParse(t *testing.T) {
	b, err := os.ReadFile(fixturePath)
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Client map[string]json.RawMessage `json:"client"`
		Frame  frameFixture               `json:"frame"`
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Client) != len(clientExamples) {
		t.Errorf("%d client messages, want %d", len(f.Client), len(clientExamples))
	}
	for name, raw := range f.Client {
		m, err := parseMessage(raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(clientExamples[name], *m, cmp.AllowUnexported(clientMessage{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var frame HypothesisFrame
	if err := frame.UnmarshalBinary(f.Frame.Base64); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(frameExample, frame); diff != "" {
		t.Errorf("frame (-want +got):\n%s", diff)
	}
}

// Messages that can't be read as they were meant are refused.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"suppose","expected_seq":0,"points":[[1]],"class":1}`:                    `"points"`,
		`{"type":"suppose","expected_seq":0,"superpixels":[null],"class":1}`:              `"superpixels"`,
		`{"type":"hello","unacked":[{"id":"a","repairs":[{"class":1,"runs":[null,5]}]}]}`: `"unacked.repairs.runs"`,
		`{"type":"shout"}`: "unknown",
	} {
		if _, err := parseMessage([]byte(text)); segment.KindOf(err) != segment.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestFrameRefuses(t *testing.T) {
	good, err := frameExample.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"empty":     nil,
		"header":    good[:39],
		"cut":       good[:len(good)-1],
		"too long":  append(bytes.Clone(good), 0),
		"version 2": append([]byte{2}, good[1:]...),
	} {
		if err := new(HypothesisFrame).UnmarshalBinary(b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzSocketMessage(f *testing.F) {
	for _, m := range clientExamples {
		f.Add(encode(m))
	}
	for _, s := range []string{``, `null`, `[]`, `{"type":"run","count":1e99}`, `{"type":"evidence","class":-1}`, `{"type":"evidence","hypothesis":7}`, `{"type":"evidence","points":[[NaN,1]]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMessage(b)
		if err != nil {
			var malformed *wire.Malformed
			if segment.KindOf(err) != segment.Invalid && !errors.As(err, &malformed) {
				t.Fatalf("a client's mistake became %v", err)
			}
			return
		}
		for _, e := range append(m.Unacked, m.Evidence) {
			event, _, err := e.Event()
			if err != nil && segment.KindOf(err) != segment.Invalid {
				t.Fatalf("event: %v", err)
			}
			if err == nil && event.ID == "" {
				t.Fatal("an event without id was accepted")
			}
		}
	})
}
