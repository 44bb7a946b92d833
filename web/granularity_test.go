package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"collie/web/wire"
)

// mapOf downloads the map in force and returns its name.
func (s *site) mapOf(path, form string) (name string, body []byte) {
	s.tb.Helper()
	a := s.send("GET", path+form, nil, "Accept-Encoding: identity")
	if a.status != http.StatusOK {
		s.tb.Fatalf("%s: %d %s", form, a.status, a.body)
	}
	return strings.Trim(a.header.Get("ETag"), `"`), a.body
}

// A script makes the superpixels coarser: numbers, maps and hypotheses follow; the
// mask stays the same.
func TestGranularityOverHTTP(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.clickThree(path)
	var before, after wire.OpenImage
	s.get(path).into(t, http.StatusOK, &before)
	if before.Regions != im.Regions || before.Finest < 2*im.Regions || before.Map == "" {
		t.Errorf("record %+v", before)
	}
	mask := s.maskOf(path).body
	var out seqJSON
	s.post(path+"/evidence", `{"id":"g","expected_seq":3,"kind":"granularity","regions":8}`).into(t, http.StatusOK, &out)
	s.get(path).into(t, http.StatusOK, &after)
	if out.Seq != 4 || after.Regions < 8 || after.Regions >= before.Regions || after.Map == before.Map || after.Clicks != 3 {
		t.Errorf("after event %d the record is %+v, before %+v", out.Seq, after, before)
	}
	if !bytes.Equal(mask, s.maskOf(path).body) {
		t.Error("the mask has changed with the granularity")
	}
	for _, form := range []string{"/superpixels.bin", "/superpixels.png"} {
		if name, _ := s.mapOf(path, form); name != after.Map {
			t.Errorf("%s is %s, want %s", form, name, after.Map)
		}
	}
	if a := s.send("GET", path+"/superpixels.bin", nil, `If-None-Match: "`+after.Map+`"`); a.status != http.StatusNotModified {
		t.Errorf("the same map again: %d", a.status)
	}
	var h hypothesesJSON
	s.get(path+"/hypotheses?count=2").into(t, http.StatusOK, &h)
	if h.Map != after.Map || len(h.Hypotheses[0].Labels) != after.Regions {
		t.Errorf("hypotheses of map %s with %d superpixels, want %s with %d", h.Map, len(h.Hypotheses[0].Labels), after.Map, after.Regions)
	}
	var log struct{ Events []eventJSON }
	s.get(path+"/evidence?after=3").into(t, http.StatusOK, &log)
	if len(log.Events) != 1 || log.Events[0].Kind != "granularity" || log.Events[0].Regions != 8 {
		t.Errorf("log %+v", log)
	}
	old := fmt.Sprintf(`{"id":"old","expected_seq":4,"kind":"clear","map":%q,"superpixels":[0]}`, before.Map)
	if p := s.post(path+"/evidence", old).problem(t, http.StatusConflict); !strings.Contains(p.Detail, "granularity") || *p.Seq != 4 {
		t.Errorf("superpixels of the map before: %+v", p)
	}
	s.post(path+"/evidence", `{"id":"x","expected_seq":4,"kind":"granularity"}`).problem(t, http.StatusUnprocessableEntity)
	s.post(path+"/evidence", `{"id":"x","expected_seq":4,"kind":"granularity","regions":1}`).problem(t, http.StatusUnprocessableEntity)
	s.post(path+"/evidence", `{"id":"back","expected_seq":4,"kind":"undo"}`).into(t, http.StatusOK, &out)
	if name, _ := s.mapOf(path, "/superpixels.bin"); name != before.Map {
		t.Errorf("after undo the map is %s, want %s", name, before.Map)
	}
}

// Every page with the image open gets the new superpixels, and an event made for
// the old ones is refused.
func TestGranularityOverTheSocket(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	s.clickThree("/api/v1/images/" + im.ID)
	watcher := s.greet(im.ID)
	c := s.dial(im.ID)
	c.say(`{"type":"hello"}`)
	before := c.expect("state")
	if before.Regions != im.Regions || before.Wanted != im.Regions || before.Finest <= im.Regions || before.Split != 0 || before.Map == "" {
		t.Errorf("state %+v", before)
	}
	c.until("done")
	c.say(evidence(`{"id":"g","expected_seq":3,"kind":"granularity","regions":2}`))
	if ack := c.expect("ack"); ack.Seq != 4 {
		t.Errorf("ack %+v", ack)
	}
	after := c.expect("state")
	if after.Wanted != 2 || after.Regions != len(after.Labels) || after.Regions >= before.Regions || after.Split == 0 || after.Map == before.Map {
		t.Errorf("state %+v after %+v", after, before)
	}
	for _, m := range c.until("done") {
		if m.Type == "hypothesis" && len(m.frame.Labels) != after.Regions {
			t.Fatalf("hypothesis of %d superpixels, want %d", len(m.frame.Labels), after.Regions)
		}
	}
	if m := watcher.expect("state"); m.Map != after.Map {
		t.Errorf("the other page hears of map %s, want %s", m.Map, after.Map)
	}
	c.say(evidence(fmt.Sprintf(`{"id":"old","expected_seq":4,"kind":"label","map":%q,"superpixels":[0],"class":1}`, before.Map)))
	if m := c.expect("reject"); m.Reason != "map" || m.Seq != 4 || m.Detail == "" {
		t.Errorf("an event for the old map: %+v", m)
	}
	c.say(evidence(fmt.Sprintf(`{"id":"older","expected_seq":3,"kind":"label","map":%q,"superpixels":[0],"class":1}`, before.Map)))
	if m := c.expect("reject"); m.Reason != "stale" {
		t.Errorf("an event for the old map and state: %+v", m)
	}
	c.say(evidence(fmt.Sprintf(`{"id":"new","expected_seq":4,"kind":"label","map":%q,"superpixels":[0],"class":1}`, after.Map)))
	if m := c.expect("ack"); m.Seq != 5 {
		t.Errorf("an event for the new map: %+v", m)
	}
}
