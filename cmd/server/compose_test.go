package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// composed is what the tests read of a Compose file.
type composed struct {
	Services map[string]struct {
		Build       any
		Image       string
		Command     []string
		Environment map[string]string
		Ports       []string
		Volumes     []string
		DependsOn   any      `yaml:"depends_on"`
		ReadOnly    bool     `yaml:"read_only"`
		CapDrop     []string `yaml:"cap_drop"`
		SecurityOpt []string `yaml:"security_opt"`
		Restart     string
	}
	Volumes map[string]any
}

// The Compose files name volumes, services and ports that are there. Collie's
// services are locked down, and the program takes their command and settings.
func TestCompose(t *testing.T) {
	for path, servers := range map[string][]string{
		"../../deploy/compose.yaml":         {"collie"},
		"../../deploy/cluster/compose.yaml": {"a", "b", "c"},
	} {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var file composed
			if err := yaml.Unmarshal(text, &file); err != nil {
				t.Fatal(err)
			}
			var ours []string
			for name, s := range file.Services {
				for _, v := range s.Volumes {
					source, _, _ := strings.Cut(v, ":")
					if _, declared := file.Volumes[source]; !declared && !exists(filepath.Join(filepath.Dir(path), source)) {
						t.Errorf("%s: there is no volume or file %s", name, source)
					}
				}
				for _, other := range names(s.DependsOn) {
					if _, ok := file.Services[other]; !ok {
						t.Errorf("%s depends on %s, which is not there", name, other)
					}
				}
				if s.Restart != "unless-stopped" {
					t.Errorf("%s restarts %q", name, s.Restart)
				}
				if s.Build == nil {
					continue
				}
				ours = append(ours, name)
				if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}) {
					t.Errorf("%s is not locked down: %+v", name, s)
				}
				c, err := configured(t, s.Command, s.Environment)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if _, err := configured(t, append([]string{"--no-such-flag"}, s.Command...), s.Environment); err == nil {
					t.Error("a wrong flag is accepted")
				}
				if !c.Serve.Auth {
					t.Errorf("%s lets everybody in", name)
				}
				for _, port := range s.Ports {
					inside := port[strings.LastIndex(port, ":"):]
					if !strings.HasSuffix(s.Environment["COLLIE_LISTEN"], inside) && !strings.HasSuffix(s.Environment["COLLIE_LISTEN_HTTP"], inside) {
						t.Errorf("%s publishes %s, where nothing listens", name, port)
					}
				}
			}
			if slices.Sort(ours); !slices.Equal(ours, servers) {
				t.Errorf("Collie's services are %q, want %q", ours, servers)
			}
		})
	}
}

// names are the names in a list or the keys of a map.
func names(list any) (all []string) {
	switch list := list.(type) {
	case []any:
		for _, name := range list {
			all = append(all, name.(string))
		}
	case map[string]any:
		all = slices.Collect(maps.Keys(list))
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// wanted matches what Compose takes from its own environment, perhaps with the
// sentence that it prints when that is missing.
var wanted = regexp.MustCompile(`\$\{\w+(:\?[^}]*)?\}`)

// configured parses a service's command in its environment.
func configured(t *testing.T, command []string, environment map[string]string) (*commands, error) {
	t.Helper()
	var known []string
	for _, f := range serveFlags(t) {
		known = append(known, f.Envs...)
	}
	for name, value := range environment {
		if strings.HasPrefix(name, "COLLIE_") && !slices.Contains(known, name) {
			t.Errorf("no flag reads the variable %s", name)
		}
		t.Setenv(name, wanted.ReplaceAllString(value, "collie.example.org"))
	}
	return parse(t, command...)
}
