// Package evaluatetest runs commands of evaluate in tests (run.go), on data that it makes
// (folder.go).
package evaluatetest

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/alecthomas/kong"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/internal/progress"
)

// Run runs a command, or a table of them, as the program does.
func Run(t *testing.T, commands any, args ...string) (out string, err error) {
	t.Helper()
	var b bytes.Buffer
	err = RunTo(t, &b, commands, args...)
	return b.String(), err
}

// RunTo is Run with another place for the output.
func RunTo(t *testing.T, out io.Writer, commands any, args ...string) error {
	t.Helper()
	parser, err := kong.New(commands, kong.Name("evaluate"), flags.Vars())
	if err != nil {
		t.Fatal(err)
	}
	k, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return k.Run(&progress.Terminal{Ctx: t.Context(), Out: out})
}

// Figures is Run with --json, whose file it decodes.
func Figures[T any](t *testing.T, commands any, args ...string) (v T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	if out, err := Run(t, commands, append(args, "--json", file)...); err != nil || out == "" {
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

// Results is the form of most files of figures.
type Results struct {
	Results []map[string]any `json:"results"`
}

// Missing are the names of want that got lacks.
func Missing(got map[string]any, want ...string) []string {
	return slices.DeleteFunc(want, func(name string) bool {
		_, there := got[name]
		return there
	})
}
