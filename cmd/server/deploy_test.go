package main

import (
	"os"
	"regexp"
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

// setting is a line of the service's settings that systemd and shells read alike.
var setting = regexp.MustCompile(`^#([A-Z_]+)=(?:([\w.:/-]*)|'([^']*)')$`)

// Each setting that the service's file suggests is a variable of the server, and a shell
// that reads the file gets the same value.
func TestSettingsOfService(t *testing.T) {
	text, err := os.ReadFile("../../deploy/collie.env")
	if err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); !strings.Contains(line, "=") || strings.HasPrefix(line, "# ") {
			continue
		}
		m := setting.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("systemd or a shell reads something else from %q", line)
			continue
		}
		if m[1] != "COLLIE_OPENID_SECRET" { // no flag, so that nobody sees it
			environment[m[1]] = m[2] + m[3]
		}
	}
	c, err := configured(t, nil, environment)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Serve.Auth || !strings.HasSuffix(c.Serve.Blobs, "&region=eu-central-1") || c.Serve.Database == "" || len(environment) < 10 {
		t.Errorf("%d settings: %+v", len(environment), c.Serve)
	}
}
