package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"collie/segment/mask"
	"collie/web/wire"
)

// labelAt is the body of a label event at a point.
func labelAt(id string, expected int, p image.Point, class int) string {
	return fmt.Sprintf(`{"id":%q,"expected_seq":%d,"kind":"label","points":[[%d,%d]],"class":%d}`, id, expected, p.X, p.Y, class)
}

// clickThree clicks sky, sea and sand.
func (s *site) clickThree(path string) {
	s.tb.Helper()
	for i, p := range []image.Point{inSky, inSea, inSand} {
		var out seqJSON
		s.post(path+"/evidence", labelAt(fmt.Sprint("click", i), i, p, i)).into(s.tb, http.StatusOK, &out)
		if out.Seq != i+1 {
			s.tb.Fatalf("click %d became number %d", i, out.Seq)
		}
	}
}

// A script's click from start to end: evidence, hypotheses, accept, mask, undo.
func TestFromClickToMask(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.clickThree(path)

	var again seqJSON
	s.post(path+"/evidence", labelAt("click1", 1, inSea, 1)).into(t, http.StatusOK, &again)
	if again.Seq != 2 {
		t.Errorf("a repeat answers %d, want the number it had, 2", again.Seq)
	}
	stale := s.post(path+"/evidence", labelAt("late", 1, inSea, 1)).problem(t, http.StatusConflict)
	if stale.Seq == nil || *stale.Seq != 3 {
		t.Errorf("a stale event is told %+v, want the current number 3", stale)
	}

	var h hypothesesJSON
	s.get(path+"/hypotheses?count=5").into(t, http.StatusOK, &h)
	if h.Seq != 3 || h.Status != "complete" || !slices.Equal(h.Classes, []int{0, 1, 2}) || len(h.Hypotheses) != 5 || h.Parameters.Method == "" {
		t.Errorf("hypotheses: seq %d, status %s, classes %v, %d of them, %+v", h.Seq, h.Status, h.Classes, len(h.Hypotheses), h.Parameters)
	}
	for rank, one := range h.Hypotheses {
		if one.Rank != rank || len(one.Labels) != im.Regions || len(one.Digest) != 16 {
			t.Errorf("hypothesis %d: rank %d, %d labels, digest %q", rank, one.Rank, len(one.Labels), one.Digest)
		}
	}

	for _, style := range []string{"index", "colour"} {
		a := s.get(path + "/mask.png?of=hypothesis&rank=2&style=" + style)
		img, err := png.Decode(bytes.NewReader(a.body))
		if err != nil {
			t.Fatalf("%s: %v: %s", style, err, a.body)
		}
		for class, p := range []image.Point{inSky, inSea, inSand} {
			want := mask.VOCColor(uint8(class))
			if style == "colour" && class == 0 {
				want = color.RGBA{0x11, 0x22, 0x33, 0xff}
			}
			if got := img.At(p.X, p.Y); (style == "index" || class == 0) && got != want {
				t.Errorf("%s mask at %v is %v, want %v", style, p, got, want)
			}
		}
	}

	accept := fmt.Sprintf(`{"id":"pick","expected_seq":3,"kind":"accept","hypothesis":{"rank":2,"digest":%q}}`, h.Hypotheses[2].Digest)
	var out seqJSON
	s.post(path+"/evidence", accept).into(t, http.StatusOK, &out)
	var record wire.Image
	s.get(path).into(t, http.StatusOK, &record)
	if record.Seq != 4 || record.Status != "done" || record.Decided != 1 || record.Clicks != 3 {
		t.Errorf("record after the pick: %+v", record)
	}
	whole := s.maskOf(path)
	of := s.get(path + "/mask.png?of=hypothesis&rank=2")
	if got := of.header.Get("Content-Disposition"); got != "attachment; filename=beach-hypothesis-2.png" {
		t.Errorf("Content-Disposition %q", got)
	}
	if !bytes.Equal(whole.body, of.body) {
		t.Error("the labelling differs from the hypothesis that was accepted")
	}

	s.post(path+"/evidence", `{"id":"back","expected_seq":4,"kind":"undo"}`).into(t, http.StatusOK, &out)
	img, err := png.Decode(bytes.NewReader(s.maskOf(path).body))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[uint8]int{}
	for _, l := range img.(*image.Paletted).Pix {
		counts[l]++
	}
	if counts[255] == 0 || img.(*image.Paletted).ColorIndexAt(inSea.X, inSea.Y) != 1 {
		t.Errorf("after the undo the labelling has %v pixels by class", counts)
	}

	var log struct {
		Seq    int         `json:"seq"`
		Events []eventJSON `json:"events"`
	}
	s.get(path+"/evidence?after=3").into(t, http.StatusOK, &log)
	if log.Seq != 5 || len(log.Events) != 2 || log.Events[0].Hypothesis.Rank != 2 || log.Events[1].Kind != "undo" {
		t.Errorf("log %+v", log)
	}
	s.get(path+"/evidence").into(t, http.StatusOK, &log)
	if e := log.Events[1]; len(log.Events) != 5 || *e.Class != 1 || e.ID != "click1" || len(e.Superpixels) != 1 || !cmp.Equal(e.Points, [][2]float64{{100, 20}}) {
		t.Errorf("second event %+v", e)
	}
}

func (s *site) maskOf(path string) answer {
	s.tb.Helper()
	a := s.get(path + "/mask.png")
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "image/png" || a.header.Get("Content-Disposition") != "attachment; filename=beach.png" {
		s.tb.Fatalf("mask: %d %v %s", a.status, a.header, a.body)
	}
	return a
}

func TestHypothesesOfLittleEvidence(t *testing.T) {
	s := MustServe(t)
	path := "/api/v1/images/" + s.photo().ID
	var h hypothesesJSON
	s.get(path+"/hypotheses").into(t, http.StatusOK, &h)
	if h.Status != "no-evidence" || h.Detail == "" || len(h.Hypotheses) != 0 {
		t.Errorf("without a click: %+v", h)
	}
	if p := s.post(path+"/evidence", `{"id":"a","expected_seq":0,"kind":"undo"}`).problem(t, 409); p.Seq == nil || *p.Seq != 0 {
		t.Errorf("an undo is told %+v, want that there are 0 events", p)
	}
	if p := s.get(path+"/mask.png?of=hypothesis").problem(t, 422); !strings.Contains(p.Detail, "nothing has been clicked") {
		t.Errorf("mask of no hypothesis: %+v", p)
	}
	s.post(path+"/evidence", labelAt("a", 0, inSea, 1)).into(t, http.StatusOK, &seqJSON{})
	s.get(path+"/hypotheses").into(t, http.StatusOK, &h)
	if h.Status != "one-class" || len(h.Hypotheses) != 1 || slices.ContainsFunc(h.Hypotheses[0].Labels, func(l uint8) bool { return l != 1 }) {
		t.Errorf("with one class: %+v", h)
	}
	s.get(path+"/mask.png?of=hypothesis&rank=1").problem(t, 422)
}

// Every mistake is answered clearly and changes nothing.
func TestEvidenceMistakes(t *testing.T) {
	s := MustServe(t)
	path := "/api/v1/images/" + s.photo().ID
	s.post(path+"/evidence", labelAt("first", 0, inSky, 0)).into(t, http.StatusOK, &seqJSON{})
	before := s.maskOf(path).body
	for _, c := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"no body", ``, 400, "The request is empty"},
		{"broken", `{"id":"x"`, 400, "byte"},
		{"no id", `{"expected_seq":1,"kind":"undo"}`, 422, `"id" is missing`},
		{"long id", `{"id":"` + strings.Repeat("x", 65) + `","expected_seq":1,"kind":"undo"}`, 422, "64"},
		{"no expected_seq", `{"id":"x","kind":"undo"}`, 422, `"expected_seq" is missing`},
		{"click", `{"id":"x","kind":"click","expected_seq":1,"class":1,"points":[[1,1]]}`, 422, `"click" can't be sent`},
		{"text for expected_seq", `{"id":"x","kind":"undo","expected_seq":"1"}`, 422, `"expected_seq"`},
		{"half a number", `{"id":"x","kind":"undo","expected_seq":1.5}`, 422, `"expected_seq"`},
		{"stale", `{"id":"x","kind":"undo","expected_seq":0}`, 409, "next one is now number 2"},
		{"from the future", `{"id":"x","kind":"undo","expected_seq":9}`, 409, "next one is now number 2"},
		{"negative expected_seq", `{"id":"x","kind":"undo","expected_seq":-1}`, 422, `"expected_seq" is -1; send the number of events`},
		{"unknown kind", `{"id":"x","kind":"paint","expected_seq":1}`, 422, "paint"},
		{"an import", `{"id":"x","kind":"import","expected_seq":1,"cells":[0],"labels":"AAAA"}`, 422, "upload the mask"},
		{"no class", `{"id":"x","kind":"label","expected_seq":1,"superpixels":[0]}`, 422, `"class" is missing`},
		{"unknown class", `{"id":"x","kind":"label","expected_seq":1,"superpixels":[0],"class":3}`, 422, "classes 0 to 2"},
		{"negative class", `{"id":"x","kind":"label","expected_seq":1,"superpixels":[0],"class":-1}`, 422, "Class -1"},
		{"no superpixel", `{"id":"x","kind":"label","expected_seq":1,"class":1}`, 422, "at least one"},
		{"nothing excluded", `{"id":"x","kind":"exclude","expected_seq":1,"class":1}`, 422, "An event of kind exclude needs at least one"},
		{"no class of a fine label", `{"id":"x","kind":"label","fine":true,"expected_seq":1,"points":[[1,1]]}`, 422, "an event of kind label needs a class"},
		{"no point of a fine label", `{"id":"x","kind":"label","fine":true,"expected_seq":1,"superpixels":[0],"class":1}`, 422, "A fine label needs 1 to 16 points"},
		{"superpixel out of range", `{"id":"x","kind":"label","expected_seq":1,"superpixels":[99999],"class":1}`, 422, "99999"},
		{"negative superpixel", `{"id":"x","kind":"label","expected_seq":1,"superpixels":[-1],"class":1}`, 422, "-1"},
		{"superpixel beyond 32 bits", `{"id":"x","kind":"label","expected_seq":1,"superpixels":[4294967296],"class":1}`, 422, `"superpixels"`},
		{"point outside", `{"id":"x","kind":"label","expected_seq":1,"points":[[120,0]],"class":1}`, 422, "outside"},
		{"point NaN", `{"id":"x","kind":"label","expected_seq":1,"points":[[NaN,0]],"class":1}`, 400, "byte"},
		{"point beyond numbers", `{"id":"x","kind":"label","expected_seq":1,"points":[[1e999,0]],"class":1}`, 422, `"points"`},
		{"point of one number", `{"id":"x","kind":"label","expected_seq":1,"points":[[1]],"class":1}`, 422, `An entry of "points" can't be a list of 1`},
		{"point of none", `{"id":"x","kind":"label","expected_seq":1,"points":[[]],"class":1}`, 422, "a list of 2 numbers"},
		{"point of three", `{"id":"x","kind":"label","expected_seq":1,"points":[[1,2,3]],"class":1}`, 422, "a list of 2 numbers"},
		{"one corner of a box", `{"id":"x","kind":"box","expected_seq":1,"points":[[1,1]],"class":1}`, 422, "has 1 point."},
		{"event that doesn't exist", `{"id":"x","kind":"restore","expected_seq":1,"to":7}`, 422, "has 1 event,"},
		{"no point", `{"id":"x","kind":"label","expected_seq":1,"points":[null],"class":1}`, 422, "a list of 2 numbers"},
		{"superpixel null", `{"id":"x","kind":"label","expected_seq":1,"superpixels":[null],"class":1}`, 422, `An entry of "superpixels" can't be null`},
		{"run of null", `{"id":"x","kind":"pixels","expected_seq":1,"repairs":[{"class":1,"runs":[null,5]}]}`, 422, `An entry of "repairs.runs" can't be null`},
		{"no hypothesis", `{"id":"x","kind":"accept","expected_seq":1}`, 422, `"hypothesis" is missing`},
		{"hypothesis out of range", `{"id":"x","kind":"accept","expected_seq":1,"hypothesis":5}`, 422, "no hypothesis 5"},
		{"hypothesis of the wrong type", `{"id":"x","kind":"accept","expected_seq":1,"hypothesis":"best"}`, 422, `"hypothesis" must be {"rank": 0, "digest": "…"} or a rank`},
		{"rank of the wrong type", `{"id":"x","kind":"accept","expected_seq":1,"hypothesis":{"rank":"best"}}`, 422, `rank"`},
		{"digest of another", `{"id":"x","kind":"accept","expected_seq":1,"hypothesis":{"rank":0,"digest":"00"}}`, 409, "has changed since it was shown"},
		{"hypothesis that is gone", `{"id":"x","kind":"accept","expected_seq":1,"hypothesis":{"rank":5,"digest":"0000000000000000"}}`, 409, "has changed since it was shown"},
		{"nothing to redo", `{"id":"x","kind":"redo","expected_seq":1}`, 409, "nothing to redo"},
		{"id of another event", `{"id":"first","kind":"undo","expected_seq":1}`, 409, "first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p := s.post(path+"/evidence", c.body).problem(t, c.status); !strings.Contains(p.Detail, c.says) {
				t.Errorf("detail %q does not say %q", p.Detail, c.says)
			} else if !strings.Contains(p.Detail, "Nothing was changed") && c.name != "nothing to redo" {
				t.Errorf("detail %q does not say that nothing was changed", p.Detail)
			}
		})
	}
	var record wire.Image
	s.get(path).into(t, http.StatusOK, &record)
	if record.Seq != 1 || record.Clicks != 1 || !bytes.Equal(before, s.maskOf(path).body) {
		t.Errorf("the state changed: %+v", record)
	}
}

// What an event can be is as the document of the interface says: each of these is
// stored, or refused by both.
func TestBoundsOfEvents(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	schema, err := theDocument().schema("mem:doc#/components/schemas/NewEvent")
	if err != nil {
		t.Fatal(err)
	}
	list := func(one string, n int) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }
	for name, event := range map[string]string{
		"a long id":            fmt.Sprintf(`"id":%q,"superpixels":[1]`, strings.Repeat("~", 64)),
		"an id too long":       fmt.Sprintf(`"id":%q,"superpixels":[1]`, strings.Repeat("~", 65)),
		"no id":                `"id":"","superpixels":[1]`,
		"an id with a space":   `"id":"a b","superpixels":[1]`,
		"an id with an accent": `"id":"é","superpixels":[1]`,
		"many superpixels":     `"id":"m","superpixels":` + list("1", 200_000),
		"too many superpixels": `"id":"n","superpixels":` + list("1", 200_001),
		"many points":          `"id":"o","points":` + list("[1,1]", 200_000),
		"too many points":      `"id":"p","points":` + list("[1,1]", 200_001),
	} {
		body := `{"expected_seq":SEQ,"kind":"label","class":1,` + event + `}`
		var now wire.OpenImage
		s.get("/api/v1/images/"+im.ID).into(t, http.StatusOK, &now)
		body = strings.Replace(body, "SEQ", fmt.Sprint(now.Seq), 1)
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		refused := schema.Validate(v) != nil
		if a := s.post("/api/v1/images/"+im.ID+"/evidence", body); (a.status == http.StatusUnprocessableEntity) != refused || !refused && a.status != http.StatusOK {
			t.Errorf("%s: %d, and the document refuses it: %t; %.200s", name, a.status, refused, a.body)
		}
	}
}

func TestQueryMistakes(t *testing.T) {
	s := MustServe(t)
	path := "/api/v1/images/" + s.photo().ID
	for _, query := range []string{
		"/hypotheses?count=-1", "/hypotheses?count=101", "/hypotheses?count=x", "/hypotheses?count=1e1", "/hypotheses?count=99999999999999999999",
		"/mask.png?of=cat", "/mask.png?style=pretty", "/mask.png?rank=-1", "/mask.png?rank=100", "/evidence?after=-1", "/evidence?after=x",
	} {
		s.get(path+query).problem(t, http.StatusUnprocessableEntity)
	}
}

// Where the project says what class nobody clicks, one click is enough for
// hypotheses, and what was picked stays when the next click is made elsewhere.
func TestOneClickIsEnough(t *testing.T) {
	s := MustServe(t)
	im := s.photo()
	path := "/api/v1/images/" + im.ID
	s.send("PATCH", "/api/v1/projects/"+im.Project, strings.NewReader(`{"rest":0}`)).into(t, http.StatusOK, new(map[string]any))
	s.post(path+"/evidence", labelAt("a", 0, inSea, 1)).into(t, http.StatusOK, new(map[string]any))
	var got hypothesesJSON
	s.get(path+"/hypotheses").into(t, http.StatusOK, &got)
	different := map[string]bool{}
	for _, h := range got.Hypotheses {
		different[h.Digest] = true
	}
	if len(got.Hypotheses) != 20 || len(different) < 2 {
		t.Fatalf("%d hypotheses, %d different, after one click", len(got.Hypotheses), len(different))
	}

	s.post(path+"/evidence", `{"id":"pick","expected_seq":1,"kind":"accept","hypothesis":0}`).into(t, http.StatusOK, new(map[string]any))
	picked := got.Hypotheses[0].Labels
	s.get(path+"/hypotheses?count=1").into(t, http.StatusOK, &got)
	if diff := cmp.Diff(picked, got.Hypotheses[0].Labels); diff != "" {
		t.Errorf("the first hypothesis after the pick is another (-picked +first):\n%s", diff)
	}
}
