package main

import (
	"fmt"

	"collie/cmd/internal/version"
)

// versionCommand prints what this program is.
type versionCommand struct{}

// Run prints the version, the commit and the Go version on one line.
func (versionCommand) Run(out streams) error {
	fmt.Fprintln(out.stdout, version.Text())
	return nil
}
