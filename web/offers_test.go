package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"collie/web/wire"
)

// accepted sends an accept of an offer and returns the labelling's mask.
func (s *site) accepted(path, id string, seq int, hypothesis string) []byte {
	s.tb.Helper()
	var out seqJSON
	s.post(path+"/evidence", fmt.Sprintf(`{"id":%q,"expected_seq":%d,"kind":"accept","hypothesis":%s}`, id, seq, hypothesis)).into(s.tb, http.StatusOK, &out)
	if out.Seq != seq+1 {
		s.tb.Fatalf("the accept became number %d, want %d", out.Seq, seq+1)
	}
	return s.maskOf(path).body
}

// From less to more: the masks of a ladder grow, can be accepted, and a repeat is
// stored once.
func TestLadderBecomesTheLabelling(t *testing.T) {
	s := MustServe(t)
	path := "/api/v1/images/" + s.photo().ID
	s.get(path+"/ladder").problem(t, 422)
	s.post(path+"/evidence", labelAt("sky", 0, inSky, 0)).into(t, http.StatusOK, &seqJSON{})
	s.post(path+"/evidence", labelAt("sea", 1, inSea, 1)).into(t, http.StatusOK, &seqJSON{})
	var l ladderJSON
	s.get(path+"/ladder").into(t, http.StatusOK, &l)
	if l.Seq != 2 || l.Class != 1 || l.Other != 0 || len(l.Rungs) < 3 || l.Best < 1 || l.Best >= len(l.Rungs) {
		t.Fatalf("ladder %+v", l)
	}
	for at, digest := range []string{l.Rungs[0].Digest, l.Rungs[len(l.Rungs)-1].Digest} {
		rung := at * (len(l.Rungs) - 1)
		s.accepted(path, fmt.Sprint("rung", at), 2+2*at, fmt.Sprintf(`{"rank":-1,"offer":{"rung":%d},"digest":%q}`, rung, digest))
		got := s.sharesOf(path)[1]
		if d := got - l.Rungs[rung].Share; d > 1e-9 || d < -1e-9 {
			t.Errorf("rung %d covers %v of the mask, it was said to cover %v", rung, got, l.Rungs[rung].Share)
		}
		if s.valueAt(path, inSea) != 1 {
			t.Errorf("rung %d contradicts a click", rung)
		}
		again := s.post(path+"/evidence", fmt.Sprintf(`{"id":%q,"expected_seq":2,"kind":"accept","hypothesis":{"rank":-1,"offer":{"rung":%d}}}`, fmt.Sprint("rung", at), rung))
		var seq seqJSON
		again.into(t, http.StatusOK, &seq)
		if seq.Seq != 3+2*at {
			t.Errorf("a repeat answers %d", seq.Seq)
		}
		s.post(path+"/evidence", fmt.Sprintf(`{"id":"back%d","expected_seq":%d,"kind":"undo"}`, at, 3+2*at)).into(t, http.StatusOK, &seqJSON{})
	}
	var log evidenceListJSON
	s.get(path+"/evidence?after=2").into(t, http.StatusOK, &log)
	if log.Events[0].Hypothesis == nil || log.Events[0].Hypothesis.Rank != -1 || log.Events[0].Hypothesis.Digest != l.Rungs[0].Digest {
		t.Errorf("logged %+v", log.Events[0])
	}
	for body, want := range map[string]int{
		`{"rank":-1,"offer":{"rung":99}}`:                        422,
		`{"rank":-1,"offer":{"rung":-1}}`:                        422,
		`{"rank":-1,"offer":{}}`:                                 422,
		`{"rank":-1,"offer":{"superpixels":[]}}`:                 422,
		`{"rank":-1}`:                                            422,
		`{"rank":-1,"offer":{"class":1}}`:                        422,
		`{"rank":-1,"offer":{"superpixels":[3]}}`:                422,
		`{"rank":-1,"offer":{"superpixels":[100000],"class":1}}`: 422,
		`{"rank":-1,"offer":{"superpixels":[3],"class":2}}`:      422,
		`{"rank":-1,"offer":{"superpixels":"3"}}`:                422,
		`{"rank":0,"offer":{"rung":1}}`:                          422,
		`{"rank":3,"offer":{"rung":1}}`:                          422,
		`{"rank":-2,"offer":{"rung":1}}`:                         422,
		`{"offer":{"rung":1,"superpixels":[3],"class":1}}`:       422,
		`{"rank":-1,"offer":{"rung":1},"digest":"0000"}`:         409,
	} {
		p := s.post(path+"/evidence", fmt.Sprintf(`{"id":"bad","expected_seq":6,"kind":"accept","hypothesis":%s}`, body)).problem(t, want)
		if p.Detail == "" || strings.Contains(p.Detail, "engine:") {
			t.Errorf("%s: %+v", body, p)
		}
	}
}

// A guess becomes the labelling as it is; here it is the labelling of another image.
func TestGuessBecomesTheLabelling(t *testing.T) {
	s := MustServe(t)
	to := s.photo()
	path := "/api/v1/images/" + to.ID
	var from []wire.Image
	s.upload(to.Project, file{"other.png", picture()}).into(t, http.StatusCreated, &from)
	s.get(path+"/guess").problem(t, 422)
	s.importFiles("/api/v1/projects/"+to.Project+"/imports", file{"other.png", halfMask()}).into(t, http.StatusOK, new(any))
	overlay := string(s.get(path + "/mask.png?style=overlay").body)
	s.post(path+"/copy", fmt.Sprintf(`{"from":%q}`, from[0].ID)).into(t, http.StatusOK, new(any))
	if string(s.get(path+"/mask.png?style=overlay").body) == overlay {
		t.Error("the overlay in lists doesn't show the guess")
	}
	var log evidenceListJSON
	s.get(path+"/evidence?detail=summary").into(t, http.StatusOK, &log)
	if len(log.Events) != 1 || !log.Events[0].Copied {
		t.Errorf("the log says %+v", log.Events)
	}
	var g guessedJSON
	s.get(path+"/guess").into(t, http.StatusOK, &g)
	if g.Seq != 1 || g.Map == "" || !slices.Contains(g.Labels, 1) || !slices.Contains(g.Labels, 2) {
		t.Fatalf("%+v", g)
	}
	for body, want := range map[string]int{
		`{"rank":-1,"offer":{"guess":true,"rung":1}}`:                    422,
		`{"rank":-1,"offer":{"guess":true,"superpixels":[3],"class":1}}`: 422,
		`{"rank":-1,"offer":{"guess":"yes"}}`:                            422,
		`{"rank":-1,"offer":{"guess":true},"digest":"0000"}`:             409,
	} {
		s.post(path+"/evidence", fmt.Sprintf(`{"id":"bad","expected_seq":1,"kind":"accept","hypothesis":%s}`, body)).problem(t, want)
	}
	s.accepted(path, "as-guessed", 1, fmt.Sprintf(`{"rank":-1,"offer":{"guess":true},"digest":%q}`, g.Digest))
	if left, right := s.valueAt(path, image.Pt(5, 5)), s.valueAt(path, image.Pt(115, 75)); left != 1 || right != 2 {
		t.Errorf("the mask has %d and %d", left, right)
	}
}

// The message at the end of a run marks the same hypothesis as the list.
func TestRunMarksAHypothesis(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	for i, p := range []image.Point{inSky, inSky.Add(image.Pt(25, 25)), inSky.Add(image.Pt(0, 25))} { // one region, two classes
		s.post(path+"/evidence", labelAt(fmt.Sprint("click", i), i, p, i%2)).into(t, http.StatusOK, new(seqJSON))
	}
	c := s.greet(im.ID)
	others := 0
	for count := 2; count <= 20; count++ {
		var h hypothesesJSON
		s.get(fmt.Sprintf("%s/hypotheses?count=%d", path, count)).into(t, http.StatusOK, &h)
		c.say(fmt.Sprintf(`{"type":"run","count":%d}`, count))
		run := c.until("done")
		if got := run[len(run)-1].Marked; got != *h.Marked {
			t.Errorf("of %d hypotheses the run marks %d, the list %d", count, got, *h.Marked)
		}
		if *h.Marked > 0 {
			others++
		}
	}
	if others == 0 {
		t.Error("the first is marked in all runs, which shows nothing")
	}
}

// What if: a superpixel of the sea becomes sand, and others with it. Accepting
// makes the offer the labelling, and a click can correct it.
func TestAlternativeBecomesTheLabelling(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.get(path+"/alternatives?superpixels=1").into(t, http.StatusOK, &alternativesJSON{})
	s.clickThree(path)
	var h hypothesesJSON
	s.get(path+"/hypotheses?count=1").into(t, http.StatusOK, &h)
	about := slices.Index(h.Hypotheses[0].Labels, 1)
	clicked := map[int]bool{}
	var log evidenceListJSON
	s.get(path+"/evidence").into(t, http.StatusOK, &log)
	for _, e := range log.Events {
		clicked[int(e.Superpixels[0])] = true
	}
	for ; clicked[about] || h.Hypotheses[0].Labels[about] != 1; about++ {
	}
	var a alternativesJSON
	s.get(fmt.Sprintf("%s/alternatives?superpixels=%d,%d", path, about, about)).into(t, http.StatusOK, &a)
	if a.Seq != 3 || !slices.Equal(a.Superpixels, []int32{int32(about)}) || len(a.Alternatives) != 2 {
		t.Fatalf("alternatives %+v", a)
	}
	for _, one := range a.Alternatives {
		if int(one.Labels[about]) != one.Class || !slices.Contains(one.Changed, int32(about)) || one.Gain > 1e-9 || len(one.Labels) != im.Regions {
			t.Errorf("class %d: %+v", one.Class, one)
		}
	}
	one := a.Alternatives[1]
	offer, _ := json.Marshal(map[string]any{"rank": -1, "offer": map[string]any{"superpixels": a.Superpixels, "class": one.Class}, "digest": one.Digest})
	s.accepted(path, "what-if", 3, string(offer))
	var record wire.Image
	s.get(path).into(t, http.StatusOK, &record)
	if record.Decided != 1 {
		t.Errorf("record %+v", record)
	}
	s.get(path+"/evidence?after=3&detail=full").into(t, http.StatusOK, &log)
	for i, l := range log.Events[0].Labels {
		if l != one.Labels[i] {
			t.Fatalf("superpixel %d is %d in the log, %d was offered", i, l, one.Labels[i])
		}
	}
	s.post(path+"/evidence", `{"id":"back","expected_seq":4,"kind":"undo"}`).into(t, http.StatusOK, &seqJSON{})

	// The first hypothesis after a correcting click is the offer, except for what
	// the click changes.
	fine := fmt.Sprintf(`{"id":"fine","expected_seq":5,"kind":"label","fine":true,"class":2,"points":[[%d,%d]],"hypothesis":%s}`, inSand.X+4, inSand.Y, offer)
	s.post(path+"/evidence", fine).into(t, http.StatusOK, &seqJSON{})
	s.get(path+"/evidence?after=5&detail=full").into(t, http.StatusOK, &log)
	if e := log.Events[0]; e.Hypothesis == nil || e.Hypothesis.Rank != -1 || int(e.Labels[about]) != one.Class {
		t.Errorf("the click does not correct the offer: %+v", e)
	}

	// Its parts are numbered in hypotheses and maps, but labels are about whole superpixels.
	s.get(path).into(t, http.StatusOK, &record)
	part := fmt.Sprintf(`{"id":"part","expected_seq":6,"kind":"label","superpixels":[%d],"class":1}`, record.Regions-1)
	if p := s.post(path+"/evidence", part).problem(t, 422); record.Regions <= im.Regions || !strings.Contains(p.Detail, "is a part") || !strings.Contains(p.Detail, "Send a point") {
		t.Errorf("a label of a part, of %d superpixels: %+v", record.Regions, p)
	}
	for _, query := range []string{"", "?superpixels=", "?superpixels=x", "?superpixels=1,,2", "?superpixels=-1", "?superpixels=99999", "?superpixels=99999999999"} {
		s.get(path+"/alternatives"+query).problem(t, 422)
	}
}

// sharesOf is each class's share of the labelling's mask.
func (s *site) sharesOf(path string) map[uint8]float64 {
	s.tb.Helper()
	img, err := png.Decode(bytes.NewReader(s.maskOf(path).body))
	if err != nil {
		s.tb.Fatal(err)
	}
	out := map[uint8]float64{}
	for _, v := range img.(*image.Paletted).Pix {
		out[v] += 1.0 / (pictureWidth * pictureHeight)
	}
	return out
}
