package main

import (
	"strings"
	"testing"
)

// TestURL: the address of the server or of its API, as people copy them.
func TestURL(t *testing.T) {
	for given, want := range map[string]string{
		"https://collie.example.org":         "https://collie.example.org",
		"https://collie.example.org/":        "https://collie.example.org",
		"https://collie.example.org/api":     "https://collie.example.org",
		"https://collie.example.org/api/v1/": "https://collie.example.org",
		"https://example.org/collie":         "https://example.org/collie",
	} {
		s, err := newServer(given, "collie_x\r\n")
		if err != nil {
			t.Fatal(err)
		}
		if s.token != "collie_x" {
			t.Errorf("the token from a file is %q", s.token)
		}
		if s.url != want {
			t.Errorf("--url %s asks %s, want %s", given, s.url, want)
		}
	}
}

// What is not one token is named, but not shown: it can be two of them.
func TestToken(t *testing.T) {
	for _, token := range []string{"collie_x collie_y", "collie_x\nadmin", "collie_ü"} {
		if _, err := newServer("https://collie.example.org", token); err == nil || !strings.Contains(err.Error(), "COLLIE_TOKEN is not one API token") || strings.Contains(err.Error(), "collie_") {
			t.Errorf("the token %q: %v", token, err)
		}
	}
}
