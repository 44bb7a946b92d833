package photo

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"testing"
	"time"
)

// TestQueue fills the gate: then 32 files wait, the next is refused as Busy, a
// waiting one can leave, and Close lets the others in.
func TestQueue(t *testing.T) {
	file := encodePNG(t, image.NewGray(image.Rect(0, 0, 10, 10)))
	gate := NewGate(Limits{Pixels: 100, Bytes: int64(len(file)), Receiving: 100})
	first, err := gate.Read(t.Context(), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	answers := make(chan error, gate.limits.Queue)
	for i := range gate.limits.Queue {
		wait := t.Context()
		if i == 0 {
			wait = ctx
		}
		go func() {
			p, err := gate.Read(wait, bytes.NewReader(file))
			if err == nil {
				p.Close()
			}
			answers <- err
		}()
	}
	for gate.memory.Len() <= gate.limits.Queue {
		time.Sleep(time.Millisecond)
	}
	if _, err := gate.Read(t.Context(), bytes.NewReader(file)); reasonOf(err) != Busy {
		t.Errorf("with a full queue: %v", err)
	}
	leave()
	if err := <-answers; !errors.Is(err, context.Canceled) {
		t.Errorf("the one that left: %v", err)
	}
	first.Close()
	first.Close() // does nothing
	for range gate.limits.Queue - 1 {
		if err := <-answers; err != nil {
			t.Errorf("one that waited: %v", err)
		}
	}
	all, err := gate.memory.Join(gate.limits.Memory, 0)
	if err != nil || gate.memory.Len() != 1 {
		t.Fatalf("not all of the memory came back: %v", err)
	}
	all.Leave()
}

// TestReceiving checks that files which take their time to arrive do not take
// more than their places, and that those which wait for a place are few.
func TestReceiving(t *testing.T) {
	gate := NewGate(Limits{Receiving: 2, Queue: 1})
	file := encodePNG(t, image.NewGray(image.Rect(0, 0, 10, 10)))
	answers := make(chan error)
	var senders []*io.PipeWriter
	for range 3 {
		r, w := io.Pipe()
		senders = append(senders, w)
		go func() {
			p, err := gate.Read(t.Context(), r)
			if err == nil {
				p.Close()
			}
			answers <- err
		}()
	}
	for gate.receiving.Len() < len(senders) {
		time.Sleep(time.Millisecond)
	}
	if _, err := gate.Read(t.Context(), bytes.NewReader(file)); reasonOf(err) != Busy {
		t.Errorf("the fourth file: %v", err)
	}
	for _, w := range senders {
		go func() {
			_, err := w.Write(file)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Error(err)
			}
		}()
	}
	for range senders {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}
