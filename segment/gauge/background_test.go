package gauge_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"collie/segment/gauge"
)

type tally int

func (*tally) Took(gauge.Time, time.Duration) {}
func (n *tally) Happened(gauge.Happening)     { *n++ }

// Every panic is counted. The log has each once for each image, with the line of
// the program that panicked.
func TestBackgroundLogsEachPanicOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var counted tally
	b := gauge.NewBackground(&counted, slog.New(slog.NewTextHandler(&out, nil)))
	for range 3 {
		for _, image := range []string{"one", "two"} {
			b.Do(gauge.Panicked, image, func() { failAt(image) })
		}
	}
	b.Do(gauge.Panicked, "one", func() {})
	if counted != 6 {
		t.Errorf("counted %d panics, want 6", counted)
	}
	log := out.String()
	for want, n := range map[string]int{"level=ERROR": 2, "at=one": 1, "at=two": 1, `panic="bad one"`: 1, "gauge_test.failAt": 2} {
		if got := strings.Count(log, want); got < n || n == 1 && got > 1 {
			t.Errorf("the log has %q %d times, want %d:\n%s", want, got, n, log)
		}
	}
	if n := strings.Count(log, "\n"); n != 2 {
		t.Errorf("the log has %d lines, want 2:\n%s", n, log)
	}
}

func failAt(image string) { panic("bad " + image) }
