package version

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// Flag adds the flag --version, which prints the version and ends the program.
var Flag = kong.Embed(&struct {
	Version flag `help:"Print the version."`
}{})

type flag bool

// BeforeReset prints the version before anything else of the command line counts.
func (flag) BeforeReset(app *kong.Kong) error {
	if _, err := fmt.Fprintln(app.Stdout, Text()); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}
