package wire

import (
	"fmt"
	"strings"
	"testing"
)

// request has the kinds of fields that requests have.
type request struct {
	Evidence
	Classes []struct {
		ID *uint8 `json:"id"`
	} `json:"classes" schema:"maxItems=2"`
	Remap  map[uint8]uint8 `json:"remap"`
	Names  map[string]int  `json:"names"`
	Images []string        `json:"images"`
	On     *bool           `json:"on"`
	Small  *int32          `json:"small"`
}

// What a field or an entry can't be is said with what it can be. encoding/json
// reads null in a list as 0, and pads and cuts lists of a fixed length.
func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"points":[[1]]}`:                                `An entry of "points" can't be a list of 1; it must be a list of 2 numbers.`,
		`{"points":[[1,2],[]]}`:                           `An entry of "points" can't be a list of 0; it must be a list of 2 numbers.`,
		`{"points":[[1,2,3]]}`:                            `An entry of "points" can't be a list of 3; it must be a list of 2 numbers.`,
		`{"points":[[1,null]]}`:                           `An entry of "points" can't be a list with null; it must be a list of 2 numbers.`,
		`{"points":[null]}`:                               `An entry of "points" can't be null; it must be a list of 2 numbers.`,
		`{"POINTS":[ null ]}`:                             `An entry of "points" can't be null; it must be a list of 2 numbers.`,
		`{"points":[7]}`:                                  `An entry of "points" can't be a number; it must be a list of 2 numbers.`,
		`{"points":[[1,1e400]]}`:                          `An entry of "points" can't be 1e400; it must be a number between -1.8e308 and 1.8e308.`,
		`{"points":[],"points":[[]]}`:                     `An entry of "points" can't be a list of 0; it must be a list of 2 numbers.`,
		`{"superpixels":[1,null]}`:                        `An entry of "superpixels" can't be null; it must be a whole number.`,
		`{"superpixels":[1.5]}`:                           `An entry of "superpixels" can't be 1.5; it must be a whole number.`,
		`{"superpixels":5}`:                               `The field "superpixels" can't be a number; it must be a list.`,
		`{"repairs":[{"runs":[null,5]}]}`:                 `An entry of "repairs.runs" can't be null; it must be a whole number.`,
		`{"repairs":[null]}`:                              `An entry of "repairs" can't be null; it must be an object.`,
		`{"repairs":["x"]}`:                               `An entry of "repairs" can't be a string; it must be an object.`,
		`{"repairs":true}`:                                `The field "repairs" can't be true or false; it must be a list.`,
		`{"hypothesis":{"rank":[]}}`:                      `The field "hypothesis.rank" can't be a list; it must be a whole number.`,
		`{"hypothesis":{"offer":{"superpixels":[null]}}}`: `An entry of "hypothesis.offer.superpixels" can't be null; it must be a whole number.`,
		`{"class":1.5}`:                                   `The field "class" can't be 1.5; it must be a whole number.`,
		`{"class":1e5}`:                                   `The field "class" can't be 1e5; it must be a whole number, written without a point or an exponent.`,
		`{"superpixels":[2.0]}`:                           `An entry of "superpixels" can't be 2.0; it must be a whole number, written without a point or an exponent.`,
		`{"classes":[{"id":1e1}]}`:                        `The field "classes.id" can't be 1e1; it must be a whole number from 0 to 255, written without a point or an exponent.`,
		`{"hypothesis":{}}`:                               `The field "hypothesis.rank" is missing: an event names a hypothesis as {"rank": 0, "digest": "…"}.`,
		`{"hypothesis":{"rank":null,"digest":"x"}}`:       `The field "hypothesis.rank" is missing`,
		`{"small":2147483648}`:                            `The field "small" can't be 2147483648; it must be a whole number from -2147483648 to 2147483647.`,
		`{"classes":["x"]}`:                               `An entry of "classes" can't be a string; it must be an object.`,
		`{"classes":[null]}`:                              `An entry of "classes" can't be null; it must be an object.`,
		`{"classes":[{"id":256}]}`:                        `The field "classes.id" can't be 256; it must be a whole number from 0 to 255.`,
		`{"classes":[{},{},{}]}`:                          `The list "classes" has more than 2 entries, which is the limit.`,
		`{"remap":{"x":1}}`:                               `A key of "remap" can't be "x"; it must be a whole number from 0 to 255.`,
		`{"remap":{"256":1}}`:                             `A key of "remap" can't be "256"; it must be a whole number from 0 to 255.`,
		`{"remap":{"1":null}}`:                            `An entry of "remap" can't be null; it must be a whole number from 0 to 255.`,
		`{"remap":{"1":256}}`:                             `An entry of "remap" can't be 256; it must be a whole number from 0 to 255.`,
		`{"images":[null]}`:                               `An entry of "images" can't be null; it must be a string.`,
		`{"on":"yes"}`:                                    `The field "on" can't be a string; it must be true or false.`,
		`[]`:                                              `The JSON is a list; send an object.`,
		` null `:                                          `The JSON is null; send an object.`,
		`{"points":[[1,2],[`:                              `The JSON has a mistake at byte 18: unexpected end of JSON input.`,
		`{"superpixels":[1}`:                              `The JSON has a mistake at byte 18: invalid character '}' after array element.`,
		"{\"id\":\"a\xff\"}":                              `The JSON contains text that is not valid UTF-8`,
		`{"what":{"x":["\ud83d"]}}`:                       `half of a surrogate pair.`,
		` `:                                               `The request is empty; send a JSON object.`,
		`{"class":` + strings.Repeat("9", 99) + `}`:       ` can't be ` + strings.Repeat("9", 40) + `; it must be a whole number from -`,
	} {
		if err := Decode([]byte(text), new(request)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), " Nothing was changed.") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`[5]`:          `An entry of "classes" can't be a number; it must be an object.`,
		`5`:            `The field "classes" can't be a number; it must be a list.`,
		`[{"id":"x"}]`: `The field "classes.id" can't be a string; it must be a whole number from 0 to 255.`,
		`[`:            `The JSON of the field "classes" has a mistake at byte 1: unexpected end of JSON input.`,
	} {
		if err := DecodeField("classes", []byte(text), &new(request).Classes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if err := DecodeField("names", []byte("{\"a\xff\":1}"), &new(request).Names); err == nil || !strings.Contains(err.Error(), "not valid UTF-8") {
		t.Errorf("a key that isn't UTF-8: %v", err)
	}
}

// Whatever is valid and fits is read as it is, null in the place of a field included.
func TestDecodeReads(t *testing.T) {
	var got request
	const text = `{"id":"a","class":null,"points":[[1.5,2],[3,4]],"superpixels":[],"what":[null,[1,null]],"repairs":null,"remap":{"1":255},"Images":["x"],"hypothesis":3,"small":-1,"small":-1,"what":"\ud83d\ude00"}`
	if err := Decode([]byte(strings.Repeat(" \n", 50)+text), &got); err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprintln(got.ID, got.Class, got.Points, got.Superpixels, got.Repairs, got.Remap, got.Images, got.Hypothesis.Rank, *got.Small); s != "a <nil> [[1.5 2] [3 4]] [] [] map[1:255] [x] 3 -1\n" {
		t.Error(s)
	}
}

// Labels by the pixel name what they correct, and accept events what they accept. In
// other events a hypothesis means nothing.
func TestPickOfEvents(t *testing.T) {
	for text, want := range map[string]bool{
		`{"id":"a","expected_seq":0,"kind":"accept","hypothesis":{"rank":3,"digest":"x"}}`:                       true,
		`{"id":"a","expected_seq":0,"kind":"label","class":1,"fine":true,"hypothesis":{"rank":3,"digest":"x"}}`:  true,
		`{"id":"a","expected_seq":0,"kind":"label","class":1,"fine":false,"hypothesis":{"rank":3,"digest":"x"}}`: false,
		`{"id":"a","expected_seq":0,"kind":"clear","hypothesis":{"rank":3,"digest":"x"}}`:                        false,
	} {
		var e Evidence
		if err := Decode([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		if got, _, err := e.Event(); err != nil || (got.Pick != nil) != want || want && (got.Pick.Rank != 3 || got.Pick.Digest != "x") {
			t.Errorf("%s: %+v, %v", text, got.Pick, err)
		}
	}
}
