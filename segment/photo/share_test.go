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
	for waiting := 0; waiting < gate.limits.Queue; time.Sleep(time.Millisecond) {
		gate.memory.mu.Lock()
		waiting = gate.memory.waiting
		gate.memory.mu.Unlock()
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
	if gate.memory.waiting != 0 || gate.memory.held != 0 || !gate.memory.free.TryAcquire(gate.limits.Memory) {
		t.Error("not all of the memory came back")
	}
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
	for waiting := 0; waiting < 1; time.Sleep(time.Millisecond) {
		gate.receiving.mu.Lock()
		waiting = gate.receiving.waiting
		gate.receiving.mu.Unlock()
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

// TestWaitingBytes checks that large files fill the queue sooner.
func TestWaitingBytes(t *testing.T) {
	m := newShare(1, 32, 1000)
	if err := m.acquire(t.Context(), 1, 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- m.acquire(ctx, 1, 1000) }()
	for waiting := 0; waiting < 1; time.Sleep(time.Millisecond) {
		m.mu.Lock()
		waiting = m.waiting
		m.mu.Unlock()
	}
	if err := m.acquire(t.Context(), 1, 1); reasonOf(err) != Busy {
		t.Errorf("more bytes than may wait: %v", err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
