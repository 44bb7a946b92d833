package photo

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"testing"
	"time"

	"collie/segment/photo/phototest"
)

// TestQueue fills the gate: then 32 files wait, the next is refused as Busy, a
// waiting one can leave, and Close lets the others in.
func TestQueue(t *testing.T) {
	file := phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 10, 10)))
	gate := NewGate(Limits{Pixels: 100, Bytes: int64(len(file))})
	first, err := gate.Read(t.Context(), bytes.NewReader(file), nil)
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
			p, err := gate.Read(wait, bytes.NewReader(file), nil)
			if err == nil {
				p.Close()
			}
			answers <- err
		}()
	}
	for gate.memory.Waiting() < gate.limits.Queue {
		time.Sleep(time.Millisecond)
	}
	if _, err := gate.Read(t.Context(), bytes.NewReader(file), nil); reasonOf(err) != Busy {
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
	if !gate.memory.Idle() {
		t.Error("not all of the memory came back")
	}
}

// TestStreams checks that a stalled file takes one of a few places and no memory,
// and that files that have arrived need no place.
func TestStreams(t *testing.T) {
	gate := NewGate(Limits{Queue: 1})
	file := phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 10, 10)))
	answers := make(chan error)
	var senders []*io.PipeWriter
	for range streams + 1 {
		r, w := io.Pipe()
		senders = append(senders, w)
		go func() {
			p, err := gate.Read(t.Context(), r, nil)
			if err == nil {
				p.Close()
			}
			answers <- err
		}()
	}
	for gate.streams.Waiting() < 1 {
		time.Sleep(time.Millisecond)
	}
	if !gate.memory.Idle() {
		t.Error("what has not arrived takes memory")
	}
	if _, err := gate.Read(t.Context(), io.MultiReader(bytes.NewReader(file)), nil); reasonOf(err) != Busy {
		t.Errorf("one stream too many: %v", err)
	}
	p, err := gate.Read(t.Context(), bytes.NewReader(file), nil)
	if err != nil {
		t.Fatalf("a file that has arrived: %v", err)
	}
	p.Close()
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

// TestMemory checks that images decoded elsewhere count like photographs.
func TestMemory(t *testing.T) {
	file := phototest.MustPNG(t, image.NewGray(image.Rect(0, 0, 10, 10)))
	gate := NewGate(Limits{Pixels: 100, Bytes: int64(len(file)), Queue: 1})
	give, err := gate.Memory(t.Context(), gate.limits.Memory)
	if err != nil {
		t.Fatal(err)
	}
	answer := make(chan error)
	go func() {
		p, err := gate.Read(t.Context(), bytes.NewReader(file), nil)
		if err == nil {
			p.Close()
		}
		answer <- err
	}()
	for gate.memory.Waiting() < 1 {
		time.Sleep(time.Millisecond)
	}
	if _, err := gate.Memory(t.Context(), 1); reasonOf(err) != Busy {
		t.Errorf("with a full queue: %v", err)
	}
	give()
	if err := <-answer; err != nil {
		t.Error(err)
	}
	if give, err = gate.Memory(t.Context(), gate.limits.Memory+1); err != nil {
		t.Fatalf("more than there is: %v", err)
	}
	give()
}
