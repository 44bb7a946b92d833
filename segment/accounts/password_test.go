package accounts

import (
	"context"
	"testing"

	"collie/segment"
	"collie/segment/queue"
)

func TestHash(t *testing.T) {
	h := newHasher()
	one, err := h.hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	two, err := h.hash(t.Context(), "correct horse")
	if err != nil || one == two {
		t.Errorf("two hashes of one password are the same: %v", err)
	}
	for _, c := range []struct {
		password, hash string
		want           bool
	}{
		{"correct horse", one, true},
		{"correct horse", two, true},
		{"correct hors", one, false},
		{"", one, false},
		{"correct horse", "", false},
		{"", "", false},
		{"", h.dummy, false},
		// From the test of the reference implementation, P-H-C/phc-winner-argon2.
		{"password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", true},
		{"Password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", false},
	} {
		if got, err := h.matches(t.Context(), c.password, c.hash); got != c.want || err != nil {
			t.Errorf("matches(%q, %q) = %v, %v", c.password, c.hash, got, err)
		}
	}
	for _, bad := range []string{
		"x", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "$argon2id$v=16$m=1,t=1,p=1$AA$AA",
		"$argon2id$v=19$m=8,t=0,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$",
		"$argon2id$v=19$m=8,t=1,p=1$!$AAAA", "$argon2id$v=19$m=8,t=1,p=1$AAAA$!", "$argon2id$v=19$nonsense$AAAA$AAAA",
	} {
		if ok, err := h.matches(t.Context(), "", bad); ok || err == nil {
			t.Errorf("the hash %q: %v, %v", bad, ok, err)
		}
	}
}

// A bounded number of hashes wait for their turn, and those who give up leave.
func TestTurns(t *testing.T) {
	h := newHasher()
	h.turns = queue.New(1, maxWaiting)
	done, err := enter(t.Context(), h.turns)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan error)
	for range maxWaiting + 3 {
		go func() {
			_, err := enter(ctx, h.turns)
			answers <- err
		}()
	}
	for range 3 {
		if err := <-answers; segment.KindOf(err) != segment.Busy {
			t.Errorf("one too many: %v", err)
		}
	}
	cancel()
	for range maxWaiting {
		if err := <-answers; err != context.Canceled {
			t.Errorf("who left: %v", err)
		}
	}
	done()
}

func BenchmarkHash(b *testing.B) {
	h := newHasher()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.hash(b.Context(), "correct horse"); err != nil {
			b.Fatal(err)
		}
	}
}
