package main

import "testing"

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
