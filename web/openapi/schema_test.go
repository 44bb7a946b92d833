package openapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/web/openapi"
)

type person struct {
	Name string `json:"name" doc:"as they write it" schema:"minLength=1,maxLength=100,pattern=^x$"`
	Boss *boss  `json:"boss"`
}

type boss struct {
	person
	Since  time.Time      `json:"since"`
	Shares map[string]int `json:"shares,omitempty"`
	Secret string         `json:"-"`
}

type odd struct {
	Plain    int
	Named    person     `json:"named" doc:"a reference with a text"`
	List     []float64  `json:"list,omitempty" schema:"required,minItems=1,maxItems=3"`
	Pair     [2]float64 `json:"pair,omitzero"`
	Bytes    []byte     `json:"bytes" schema:"optional"`
	Small    uint8      `json:"small" schema:"max=254"`
	Big      uint16     `json:"big"`
	Null     *bool      `json:"null"`
	Needed   *bool      `json:"needed" schema:"required"`
	Word     string     `json:"word" schema:"enum=a|b"`
	Bits     int        `json:"bits" schema:"enum=8|16"`
	Fixed    string     `json:"fixed" schema:"const=x,format=uri"`
	Either   *person    `json:"either,omitempty" schema:"or=integer"`
	Text     string     `json:"text" schema:"media=application/json"`
	Any      any        `json:"any"`
	Upload   openapi.File
	Inlined  struct{ X bool }
	Pointers []*person
}

func TestSchemas(t *testing.T) {
	s := openapi.NewSchemas(map[string]any{"Person": person{}, "Boss": boss{}})
	const reference = `{"$ref":"#/components/schemas/Person"}`
	for name, c := range map[string]struct {
		v    any
		want string
	}{
		"named":  {person{}, reference},
		"list":   {[]person{}, `{"type":"array","items":` + reference + `}`},
		"one of": {openapi.List{Item: openapi.OneOf{person{}, ""}}, `{"type":"array","items":{"oneOf":[` + reference + `,{"type":"string"}]}}`},
		"any":    {nil, `{}`},
		"odd": {odd{}, `{"type":"object","required":["Plain","named","list","small","big","null","needed","word","bits","fixed","text","any","Upload","Inlined","Pointers"],"properties":{
			"Plain":{"type":"integer"},
			"named":{"$ref":"#/components/schemas/Person","description":"a reference with a text"},
			"list":{"type":"array","items":{"type":"number"},"minItems":1,"maxItems":3},
			"pair":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},
			"bytes":{"type":"string","contentEncoding":"base64"},
			"small":{"type":"integer","minimum":0,"maximum":254},
			"big":{"type":"integer","minimum":0,"maximum":65535},
			"null":{"oneOf":[{"type":"boolean"},{"type":"null"}]},
			"needed":{"type":"boolean"},
			"word":{"type":"string","enum":["a","b"]},
			"bits":{"type":"integer","enum":[8,16]},
			"fixed":{"type":"string","const":"x","format":"uri"},
			"either":{"oneOf":[` + reference + `,{"type":"integer"}]},
			"text":{"type":"string","contentMediaType":"application/json"},
			"any":{},
			"Upload":{"type":"string","contentMediaType":"application/octet-stream"},
			"Inlined":{"type":"object","required":["X"],"properties":{"X":{"type":"boolean"}}},
			"Pointers":{"type":"array","items":` + reference + `}}}`},
	} {
		same(t, name, c.want, s.Of(c.v))
	}
	same(t, "the named ones", `{
		"Person":{"type":"object","required":["name","boss"],"properties":{
			"name":{"type":"string","description":"as they write it","minLength":1,"maxLength":100,"pattern":"^x$"},
			"boss":{"oneOf":[{"$ref":"#/components/schemas/Boss"},{"type":"null"}]}}},
		"Boss":{"type":"object","required":["name","boss","since"],"properties":{
			"name":{"type":"string","description":"as they write it","minLength":1,"maxLength":100,"pattern":"^x$"},
			"boss":{"oneOf":[{"$ref":"#/components/schemas/Boss"},{"type":"null"}]},
			"since":{"type":"string","format":"date-time"},
			"shares":{"type":"object","additionalProperties":{"type":"integer"}}}}}`, s.Named())
}

// same compares JSON.
func same(t *testing.T, name, want string, got any) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// A tag that means nothing is a mistake of the program.
func TestMistakesInTags(t *testing.T) {
	for name, v := range map[string]any{
		"option": struct {
			X int `schema:"least=1"`
		}{},
		"number": struct {
			X int `schema:"min=one"`
		}{},
		"type": struct{ X func() }{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			openapi.NewSchemas(nil).Of(v)
		}()
	}
}
