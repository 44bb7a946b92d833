// Package help adds the command help to a program: 'program help command' is
// 'program command --help'.
package help

import "github.com/alecthomas/kong"

// Command adds the command, which the list of commands leaves out.
var Command = kong.Embed(&struct {
	Help command `cmd:"" hidden:"" help:"Explain a command."`
}{})

type command struct {
	Of []string `arg:"" optional:"" help:"The command."`
}

// Run prints the help, which ends the program.
func (c *command) Run(app *kong.Kong) error {
	_, err := app.Parse(append(c.Of, "--help"))
	return err
}
