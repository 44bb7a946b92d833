package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/alecthomas/kong"
)

// evaluate runs the command line of commands, a struct as kong reads it, as the
// program does.
func evaluate(t *testing.T, commands any, args ...string) (out string, err error) {
	t.Helper()
	var b bytes.Buffer
	err = evaluateTo(t, &b, commands, args...)
	return b.String(), err
}

// evaluateTo is evaluate with another place for the output.
func evaluateTo(t *testing.T, out io.Writer, commands any, args ...string) error {
	t.Helper()
	parser, err := kong.New(commands, kong.Name("evaluate"), vars())
	if err != nil {
		t.Fatal(err)
	}
	k, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return k.Run(&terminal{Ctx: t.Context(), Out: out})
}

// figures is evaluate with --json, whose file it decodes.
func figures[T any](t *testing.T, commands any, args ...string) (v T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	if out, err := evaluate(t, commands, append(args, "--json", file)...); err != nil || out == "" {
		t.Fatalf("evaluate %v: output %q, error %v", args, out, err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// results is the form of most files of figures.
type results struct {
	Results []map[string]any `json:"results"`
}

// missing are the names of want that are not among got.
func missing(got map[string]any, want ...string) []string {
	return slices.DeleteFunc(want, func(name string) bool {
		_, there := got[name]
		return there
	})
}
