package affinity

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncoding(t *testing.T) {
	m := random(1)
	m.Notes = []string{"first", "second # note"}
	again, err := Decode(m.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	plain := *m
	plain.Notes = nil
	if plain.Number() != m.Number() {
		t.Error("notes change the number of a model")
	}
	if random(2).Number() == m.Number() {
		t.Error("two models have one number")
	}
}

func TestRefusals(t *testing.T) {
	text := string(random(1).Encode())
	lines := strings.SplitAfter(text, "\n")
	with := func(line int, s string) string {
		changed := append([]string(nil), lines...)
		changed[line] = s
		return strings.Join(changed, "")
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "not a file of affinities"},
		{"another file", "PNG\n" + text, "not a file of affinities"},
		{"binary", "\xff\xfe" + text, "isn't text"},
		{"version", strings.Replace(text, "affinities 1", "affinities 2", 1), "version"},
		{"truncated", text[:len(text)/2], "line"},
		{"without an end", strings.TrimSuffix(text, "end\n"), "too early"},
		{"more", text + "edge bias 1\n", "follows"},
		{"NaN", with(2, "edge lightness NaN 1 0 1\n"), "not a weight"},
		{"infinite", with(2, "edge lightness +Inf 1 0 1\n"), "not a weight"},
		{"enormous", with(2, "edge lightness 1e30 1 0 1\n"), "not a weight"},
		{"no number", with(2, "edge lightness one 1 0 1\n"), "not a weight"},
		{"bounds", with(2, "edge lightness 1 1 2 1\n"), "above the largest"},
		{"one number", with(2, "edge lightness 1\n"), "line 3"},
		{"unknown feature", with(2, "edge colour-of-the-sky 1 1 0 1\n"), "colour-of-the-sky"},
		{"missing feature", with(2, ""), "line 3"},
	} {
		if _, err := Decode([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(random(1).Encode())
	f.Add(defaultText)
	f.Add([]byte(header + "\n# note\nedge bias 1\n"))
	f.Add(bytes.Replace(defaultText, []byte("\n"), []byte("\n# note\r\r\n"), 1))
	g := graph(30, 20, 5, 12, 1)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		encoded := m.Encode()
		again, err := Decode(encoded)
		if err != nil || !bytes.Equal(again.Encode(), encoded) || again.Number() != m.Number() {
			t.Fatalf("a model doesn't survive a round trip: %v", err)
		}
		for _, v := range m.Field(g).Edges() {
			if !(math.Abs(v) <= mostLogit) {
				t.Fatalf("log odds %v", v)
			}
		}
	})
}

func TestBinary(t *testing.T) {
	m := random(1)
	m.Notes = nil
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var again Model
	if err := again.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, &again); diff != "" || again.Number() != m.Number() {
		t.Errorf("(-written +read):\n%s", diff)
	}
	changed := func(at int, with ...byte) []byte {
		out := bytes.Clone(b)
		copy(out[at:], with)
		return out
	}
	for name, bad := range map[string][]byte{
		"nothing": nil, "truncated": b[:len(b)-1], "more": append(bytes.Clone(b), 0), "version": changed(0, 9), "features": changed(1, b[1]+1),
		"NaN": changed(5, 0, 0, 0xc0, 0x7f), "enormous": changed(5, 0, 0, 0x80, 0x7e), "bounds": changed(17, 0, 0, 0x80, 0x49),
	} {
		before := again
		if err := again.UnmarshalBinary(bad); err == nil || cmp.Diff(before, again) != "" {
			t.Errorf("%s: %v, or the model has changed", name, err)
		}
	}
}
