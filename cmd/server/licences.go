package main

import (
	_ "embed"
	"io"
)

//go:generate go run ../internal/inventory -licences licences.txt

// licences lists every module in the program with the text of its licence.
//
//go:embed licences.txt
var licences string

// licencesCommand prints the licences of everything in this program.
type licencesCommand struct{}

// Run prints them.
func (licencesCommand) Run(out streams) error {
	_, err := io.WriteString(out.stdout, licences)
	return err
}
