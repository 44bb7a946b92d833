package backup_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/backup"
)

// fullEvents are events that together use every field.
func fullEvents() []segment.Event {
	return []segment.Event{
		{
			ID: "a<b>&", Seq: 1, Kind: segment.Label, Superpixels: []int32{3, 1}, Points: [][2]float64{{0.1, 1e-7}}, Class: 254, Regions: 600,
			Pick:    &segment.Pick{Rank: 2, Digest: "00ff", Labels: []uint8{0, 1, 255}},
			Repairs: []segment.Repair{{Class: 255, Runs: []int32{5, 2, 9, 1}}}, Cells: []uint8{0, 255}, Instances: []int32{3, 0}, Drawn: []segment.ObjectPixels{{Class: 2, Number: 7, Runs: []int32{4, 1}}}, Former: []uint8{9, 254}, Scores: &segment.Scores{Classes: []uint8{1, 4}, Shares: []uint8{255, 0}, Reserve: []uint8{4}}, To: 7, By: "Ada",
			Embedding:  &segment.Embedding{Values: []uint8{1, 128, 255, 0}, Dims: 2, Scale: 0.1, Borders: segment.Likelihood{Bias: 2, Slope: -3}, Pairs: segment.Likelihood{Bias: 1. / 3, Slope: -0.5}, Learnt: 9},
			Affinities: &segment.Affinities{Model: []byte{0, 255}, Learnt: 12},
			Created:    time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC),
		},
		{ID: "b", Seq: 2, Kind: segment.Undo},
	}
}

func TestEventsRoundTrip(t *testing.T) {
	events := fullEvents()
	full := reflect.ValueOf(events[0])
	for i := range full.NumField() {
		if name := full.Type().Field(i).Name; full.Field(i).IsZero() && name != "Map" && name != "After" { // which are never stored
			t.Errorf("the test does not use the field %s of events: does a backup keep it?", name)
		}
	}
	var b bytes.Buffer
	if err := backup.WriteEvents(&b, events); err != nil {
		t.Fatal(err)
	}
	var read []segment.Event
	for e, err := range backup.ReadEvents(&b) {
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, e)
	}
	if diff := cmp.Diff(events, read); diff != "" {
		t.Errorf("events (-before +after):\n%s", diff)
	}
}

func TestDamagedLogs(t *testing.T) {
	var b bytes.Buffer
	if err := backup.WriteEvents(&b, fullEvents()); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	for name, log := range map[string]string{
		"cut short": b.String()[:b.Len()-5], "an event twice": lines[0] + lines[0], "out of order": lines[1] + lines[0], "no JSON": "x\n", "an empty line": "\n",
		"an invalid class": strings.Replace(lines[0], `"class":255`, `"class":256`, 1),
	} {
		failed := false
		for _, err := range backup.ReadEvents(strings.NewReader(log)) {
			failed = failed || err != nil
		}
		if !failed {
			t.Errorf("%s: read without an error", name)
		}
	}
}

func FuzzReadEvents(f *testing.F) {
	var b bytes.Buffer
	if err := backup.WriteEvents(&b, fullEvents()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, log []byte) {
		var events []segment.Event
		for e, err := range backup.ReadEvents(bytes.NewReader(log)) {
			if err != nil {
				return
			}
			events = append(events, e)
		}
		var b bytes.Buffer
		if err := backup.WriteEvents(&b, events); err != nil {
			return // a time or a number that JSON does not have
		}
		n := 0
		for _, err := range backup.ReadEvents(&b) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != len(events) {
			t.Fatalf("%d events became %d", len(events), n)
		}
	})
}
