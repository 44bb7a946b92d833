// Package results has what the experiments write: the file of figures (output.go) and
// diagrams (diagram.go).
package results

import (
	"encoding/json"
	"fmt"
	"os"

	"collie/cmd/internal/progress"
	"collie/cmd/internal/version"
	"collie/segment"
	"collie/segment/engine"
)

// Output is the flag for a file of figures, which all commands have.
type Output struct {
	JSON string `name:"json" type:"path" placeholder:"FILE" help:"Write the figures to this file, too (fractions, not per cent)."`
}

// Validate refuses a file that can't be written.
func (o Output) Validate() error { return progress.ResultFile("--json", o.JSON) }

// made says how figures came about.
type made struct {
	Version    string            `json:"version"`
	Arguments  []string          `json:"arguments"` // of the program
	Parameters engine.Parameters `json:"parameters"`
}

// Write stores figures, an object, as JSON when a file was asked for, with how they were made.
func (o Output) Write(figures any) error {
	if o.JSON == "" {
		return nil
	}
	parts := map[string]json.RawMessage{} // keeps the order of each part's fields
	for _, v := range []any{figures, map[string]any{"made": made{version.Text(), os.Args[1:], engine.DefaultParameters}}} {
		b, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(b, &parts)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", o.JSON, err)
		}
	}
	b, err := json.MarshalIndent(parts, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", o.JSON, err)
	}
	return progress.WriteResult(o.JSON, append(b, '\n'))
}

// Draws says in a table's title how often clicks or errors were drawn.
func Draws(n int) string { return segment.Counted(n, "draw") }

// Spread is a standard deviation over draws in per cent; a single draw has none.
func Spread(sd float64, draws int) string {
	if draws < 2 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*sd)
}
