package progress

import (
	"testing"

	"github.com/alecthomas/kong"
)

func TestNoEmptyList(t *testing.T) {
	for arg, ok := range map[string]bool{"--shares=": false, "--shares=1,2": true, "--name=": true} {
		var flags struct {
			Shares []float64 `default:"0.5"`
			Name   string
		}
		parser, err := kong.New(&flags)
		if err != nil {
			t.Fatal(err)
		}
		command, err := parser.Parse([]string{arg})
		if err != nil {
			t.Fatal(err)
		}
		if err := noEmptyList(command); (err == nil) != ok {
			t.Errorf("%s: %v", arg, err)
		}
	}
}
