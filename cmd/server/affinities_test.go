package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/segment/affinity"
)

// A file of affinities that can't be used keeps the server from starting, and
// leaves no data folder behind.
func TestRefusesBadAffinities(t *testing.T) {
	good := string(affinity.Default().Encode())
	for name, c := range map[string]struct{ text, want string }{
		"truncated":       {good[:len(good)/2], "line"},
		"another version": {strings.Replace(good, "affinities 1", "affinities 9", 1), "version"},
		"NaN":             {strings.Replace(good, "edge bias ", "edge bias NaN\nedge bias ", 1), "NaN"},
		"not affinities":  {"hello", "not a file of affinities"},
		"too large":       {good + strings.Repeat("#", 1<<20), "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			file, folder := filepath.Join(t.TempDir(), "affinities.txt"), filepath.Join(t.TempDir(), "data")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			parsed, err := parse(t, "--listen", "127.0.0.1:0", "--data", folder, "--affinities", file)
			if err != nil {
				t.Fatal(err)
			}
			err = parsed.Serve.Run(t.Context(), quiet)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) {
				t.Errorf("error %v, want one with the file's name and %q", err, c.want)
			}
			if _, err := os.Stat(folder); err == nil {
				t.Error("the data folder was made")
			}
		})
	}
	missing := affinitiesFlag{filepath.Join(t.TempDir(), "none")}
	if _, err := missing.read(); err == nil || !strings.Contains(err.Error(), "--affinities") {
		t.Errorf("a missing file: %v", err)
	}
}
