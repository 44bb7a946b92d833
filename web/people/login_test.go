package people

import (
	"testing"
	"time"
)

func TestLoginLeadsNowhereElse(t *testing.T) {
	for next, want := range map[string]string{
		"":                     "/",
		"/":                    "/",
		"/images/x?a=b#c":      "/images/x?a=b#c",
		"//evil.example":       "/",
		"/\\evil.example":      "/",
		"https://evil.example": "/",
		"javascript:alert(1)":  "/",
		"images/x":             "/",
		"/login?next=/login":   "/",
		"/%zz":                 "/",
		"/\tx":                 "/",
	} {
		if got := local(next); got != want {
			t.Errorf("local(%q) = %q, want %q", next, got, want)
		}
	}
}

func TestInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Second: "in a minute", time.Minute: "in a minute", time.Minute + 1: "in 2 minutes", 15 * time.Minute: "in 15 minutes"} {
		if got := inWords(d); got != want {
			t.Errorf("inWords(%v) = %q, want %q", d, got, want)
		}
	}
}
