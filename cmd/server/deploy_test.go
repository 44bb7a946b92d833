package main

import (
	"os"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// lintDockerfile returns the stages of a Dockerfile, and what Docker's own parser
// and linter say about it.
func lintDockerfile(t *testing.T, text string) (stages []instructions.Stage, says []string) {
	t.Helper()
	read, err := parser.Parse(strings.NewReader(text))
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, w := range read.Warnings {
		says = append(says, w.Short)
	}
	rules := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) { says = append(says, rule+": "+message) }})
	stages, _, err = instructions.Parse(read.AST, rules)
	if err != nil {
		says = append(says, err.Error())
	}
	return stages, says
}

// The Dockerfile has nothing that its linter complains about, and ends as a user
// without rights on an empty image that checks its own health. A control has
// mistakes.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages, says := lintDockerfile(t, string(text))
	if len(says) > 0 || len(stages) != 2 {
		t.Fatalf("%d stages, and the linter says %q", len(stages), says)
	}
	last := stages[1]
	has := map[string]string{}
	for _, c := range last.Commands {
		switch c := c.(type) {
		case *instructions.UserCommand:
			has["user"] = c.User
		case *instructions.EntrypointCommand:
			has["entrypoint"] = strings.Join(c.CmdLine, " ")
		case *instructions.HealthCheckCommand:
			has["health"] = strings.Join(c.Health.Test, " ")
		case *instructions.VolumeCommand:
			has["volume"] = strings.Join(c.Volumes, " ")
		}
	}
	for what, want := range map[string]string{"user": "65532:65532", "entrypoint": "/collie-server", "health": "CMD /collie-server healthy", "volume": "/data"} {
		if has[what] != want {
			t.Errorf("%s %q, want %q", what, has[what], want)
		}
	}
	if last.BaseName != "scratch" {
		t.Errorf("the image is built on %s", last.BaseName)
	}
	for bad, want := range map[string]string{
		"from scratch AS Build\nCOPY . /": "Casing",
		"FROM scratch\nCPOY . /":          "CPOY",
		"FROM scratch\nMAINTAINER ann":    "MaintainerDeprecated",
	} {
		if _, says := lintDockerfile(t, bad); !strings.Contains(strings.Join(says, "\n"), want) {
			t.Errorf("%q: the linter says %q, want %s", bad, says, want)
		}
	}
}
