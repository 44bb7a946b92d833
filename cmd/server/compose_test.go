package main

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"collie/sharedtest"
)

// composed is what the tests read of a Compose file.
type composed struct {
	Services map[string]service
	Volumes  map[string]any
}

// service is one of its services.
type service struct {
	Build       any
	Image       string
	Command     []string
	Entrypoint  []string
	Environment map[string]string
	Ports       []string
	Volumes     []string
	DependsOn   any      `yaml:"depends_on"`
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Healthcheck struct{ Test []string }
	Restart     string
}

// mustCompose reads a Compose file.
func mustCompose(t *testing.T, path string) (file composed) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// The Compose files name volumes, services and ports that are there. Collie's
// services are locked down, and the program takes their command and settings.
func TestCompose(t *testing.T) {
	for path, servers := range map[string][]string{
		"../../deploy/compose.yaml":         {"collie"},
		"../../deploy/cluster/compose.yaml": {"a", "b", "c"},
	} {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			file := mustCompose(t, path)
			var ours []string
			for name, s := range file.Services {
				for _, v := range s.Volumes {
					source, _, _ := strings.Cut(v, ":")
					if _, declared := file.Volumes[source]; !declared && !exists(filepath.Join(filepath.Dir(path), source)) {
						t.Errorf("%s: there is no volume or file %s", name, source)
					}
				}
				for _, other := range names(s.DependsOn) {
					awaited, ok := file.Services[other]
					if !ok {
						t.Errorf("%s depends on %s, which is not there", name, other)
					}
					if how, ok := s.DependsOn.(map[string]any); ok && fmt.Sprint(how[other]) == "map[condition:service_healthy]" && len(awaited.Healthcheck.Test) == 0 {
						t.Errorf("%s waits until %s is healthy, which nothing checks", name, other)
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

// The services of the cluster find each other: names, ports, users, and passwords fit,
// and HAProxy takes the configuration and listens where its port is published. A
// control of each has another name.
func TestComposedCluster(t *testing.T) {
	file := mustCompose(t, "../../deploy/cluster/compose.yaml")
	config, err := os.ReadFile("../../deploy/cluster/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	if wrong := misfits(file, string(config)); len(wrong) > 0 {
		t.Errorf("%q", wrong)
	}
	for old, other := range map[string]string{"server b b:8080": "server b b:8081", "bind :8080": "bind :8081", "server c c:8080": ""} {
		if wrong := misfits(file, strings.Replace(string(config), old, other, 1)); len(wrong) == 0 {
			t.Errorf("%q instead of %q goes unnoticed", other, old)
		}
	}
	for _, name := range []string{"postgres", "bucket"} {
		changed := composed{Services: maps.Clone(file.Services)}
		changed.Services[name+"2"] = changed.Services[name]
		delete(changed.Services, name)
		if len(misfits(changed, string(config))) == 0 {
			t.Errorf("another name for %s goes unnoticed", name)
		}
	}

	program := sharedtest.MustHAProxy(t)
	for from, accepted := range map[string]bool{"": true, "option httpchk": false} {
		text := regexp.MustCompile(`(?m)^( *server \w) \w:`).ReplaceAllString(string(config), "$1 127.0.0.1:")
		if from != "" {
			text = strings.Replace(text, from, "option nothing", 1)
		}
		path := filepath.Join(t.TempDir(), "haproxy.cfg")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "-c", "-f", path).CombinedOutput(); (err == nil) != accepted {
			t.Errorf("HAProxy accepts its configuration: %v, want %v\n%s", err == nil, accepted, out)
		}
	}
}

// misfits says what of a Compose file and of HAProxy's configuration doesn't fit.
func misfits(file composed, config string) (wrong []string) {
	check := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	behind := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ *server \w+ (\w+):(\d+)$`).FindAllStringSubmatch(config, -1) {
		behind[m[1]] = m[2]
	}
	bind := regexp.MustCompile(`(?m)^ *bind :(\d+)$`).FindStringSubmatch(config)
	balancer := file.Services["balancer"]
	check(bind != nil && len(balancer.Ports) == 1 && strings.HasSuffix(balancer.Ports[0], ":"+bind[1]), "HAProxy listens at %q, %q is published", bind, balancer.Ports)
	check(slices.ContainsFunc(balancer.Volumes, func(v string) bool { return strings.HasPrefix(v, "./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg") }), "the balancer's image has another configuration")
	for name, s := range file.Services {
		if s.Build == nil {
			continue
		}
		_, port, _ := net.SplitHostPort(s.Environment["COLLIE_LISTEN"])
		check(behind[name] == port, "%s listens at port %q, and HAProxy asks port %q", name, port, behind[name])
		delete(behind, name)

		place, err := url.Parse(s.Environment["COLLIE_DATABASE"])
		if err != nil {
			return append(wrong, err.Error())
		}
		database := file.Services[place.Hostname()]
		user := database.Environment["POSTGRES_USER"]
		check(user != "" && place.User.Username() == user && place.Path == "/"+user && slices.Contains(database.Healthcheck.Test, user), "%s looks for the database %s", name, place)
		check(secret(s, "PGPASSWORD") == secret(database, "POSTGRES_PASSWORD"), "%s has another password than the database", name)

		files, err := url.Parse(s.Environment["COLLIE_BLOBS"])
		if err != nil {
			return append(wrong, err.Error())
		}
		endpoint, err := url.Parse(files.Query().Get("endpoint"))
		if err != nil {
			return append(wrong, err.Error())
		}
		bucket := file.Services[endpoint.Hostname()]
		begins := strings.Join(bucket.Entrypoint, " ")
		check(strings.Contains(begins, "--port :"+endpoint.Port()+" ") && strings.Contains(begins, "/"+files.Host+" "), "%s looks for the bucket %s", name, files)
		check(secret(s, "AWS_ACCESS_KEY_ID") == secret(bucket, "ROOT_ACCESS_KEY") && secret(s, "AWS_SECRET_ACCESS_KEY") == secret(bucket, "ROOT_SECRET_KEY"), "%s has other keys than the bucket", name)
	}
	check(len(behind) == 0, "HAProxy asks %v, which are no servers", behind)
	return wrong
}

// secret is the value of a service's variable, without the sentence that Compose
// prints when its own is missing.
func secret(s service, variable string) string {
	name, _, _ := strings.Cut(s.Environment[variable], ":")
	return strings.TrimRight(name, "}")
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
