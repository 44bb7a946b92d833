package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"collie/cmd/internal/mapping"
	"collie/cmd/internal/output"
	"collie/segment/export"
	"collie/web/openid"
)

// quiet are streams that nobody reads.
var quiet = streams{&output.Printed{To: io.Discard}, io.Discard}

// parse reads a command line as main does.
func parse(tb testing.TB, args ...string) (*commands, error) {
	tb.Helper()
	var c commands
	k, err := kong.New(&c, append(options(tb.Context(), quiet), kong.Writers(io.Discard, io.Discard))...)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = k.Parse(args)
	return &c, err
}

// serveFlags are the flags of the server itself.
func serveFlags(tb testing.TB) []*kong.Flag {
	tb.Helper()
	k, err := kong.New(&commands{}, options(tb.Context(), quiet)...)
	if err != nil {
		tb.Fatal(err)
	}
	serve := slices.IndexFunc(k.Model.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	return k.Model.Children[serve].Flags
}

// A server that other machines can reach must be told how to keep people out, or
// that it should not.
func TestAccessFlags(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		says      string // empty: it would start
	}{
		{nil, ""},
		{[]string{"--listen", "localhost:1"}, ""},
		{[]string{"--listen", "[::1]:1"}, ""},
		{[]string{"--listen", "8080"}, "ADDRESS:PORT"},
		{[]string{"--listen", "127.0.0.1"}, "ADDRESS:PORT"},
		{[]string{"--listen", "127.0.0.1:65536"}, "ADDRESS:PORT"},
		{[]string{"--listen", ":8080"}, "add --auth"},
		{[]string{"--listen", "0.0.0.0:0"}, "add --auth"},
		{[]string{"--listen", "[::]:0"}, "add --auth"},
		{[]string{"--listen", "192.0.2.1:80"}, "add --auth"},
		{[]string{"--listen", "example.com:80"}, "add --auth"},
		{[]string{"--listen", "localhost.example.com:80"}, "add --auth"},
		{[]string{"--listen", ":8080", "--auth"}, ""},
		{[]string{"--listen", ":8080", "--insecure"}, ""},
		{[]string{"--auth", "--insecure"}, "contradict"},
		{[]string{"--auth", "--origin", "https://collie.example"}, ""},
		{[]string{"--auth", "--origin", "https://collie.example:8443/"}, ""},
		{[]string{"--origin", "https://collie.example"}, "add --auth"},
		{[]string{"--origin", "http://localhost:1234"}, ""},
		{[]string{"--auth", "--origin", "collie.example"}, "https://HOST"},
		{[]string{"--auth", "--origin", "https://collie.example/app"}, "https://HOST"},
		{[]string{"--auth", "--origin", "https://me@collie.example"}, "https://HOST"},
		{[]string{"--auth", "--origin", "ftp://collie.example"}, "https://HOST"},
		{[]string{"--auth", "--origin", "https://collie.example", "--proxy", "10.0.0.0/8,fd00::/8"}, ""},
		{[]string{"--auth", "--origin", "https://collie.example", "--proxy", "10.0.0.1"}, "network"},
		{[]string{"--auth", "--proxy", "10.0.0.1"}, "network"}, // though nothing is trusted without --origin
	} {
		parsed, err := parse(t, c.arguments...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Serve.config(parsed.Serve.Listen)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%q: %v, want %q", c.arguments, err, c.says)
		}
	}
	for given, want := range map[string]string{ // as browsers write it
		"https://Collie.Example":       "https://collie.example",
		"https://collie.example:443":   "https://collie.example",
		"https://collie.example:443/":  "https://collie.example",
		"https://collie.example:":      "https://collie.example",
		"https://collie.example:80":    "https://collie.example:80",
		"http://collie.example:80":     "http://collie.example",
		"https://[2001:DB8::443]":      "https://[2001:db8::443]",
		"https://[2001:db8::443]:443/": "https://[2001:db8::443]",
	} {
		parsed, err := parse(t, "--auth", "--origin", given)
		if err != nil {
			t.Fatal(err)
		}
		if config, err := parsed.Serve.config("127.0.0.1:1"); err != nil || config.Origin != want || len(config.Proxies) != 2 {
			t.Errorf("%s: %+v, %v", given, config, err)
		}
	}
}

// An empty folder, as an environment file can have it, is refused by its name before
// anything is made.
func TestEmptyDataFolder(t *testing.T) {
	t.Setenv("COLLIE_DATA", "")
	parsed, err := parse(t, "--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed.Serve.Run(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "COLLIE_DATA is empty") {
		t.Errorf("got %v", err)
	}
}

func TestHealthyAddress(t *testing.T) {
	c := &healthyCommand{Listen: "127.0.0.1:65536"}
	if err := c.Run(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "ADDRESS:PORT") {
		t.Errorf("got %v", err)
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	c.Listen = secure.Listener.Addr().String()
	if err := c.Run(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "speaks HTTPS; give") {
		t.Errorf("a server with HTTPS: %v", err)
	}
	secure.Close()
	if err := c.Run(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "no server answers at "+c.Listen) {
		t.Errorf("no server: %v", err)
	}
}

// Commands that need data say what is wrong with the folder, and how to name another.
func TestNoData(t *testing.T) {
	empty := t.TempDir()
	file := filepath.Join(empty, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, says := range map[string]string{
		empty: "collie.db doesn't exist: name the folder of a server with --data or COLLIE_DATA",
		file:  "--data " + file + " is a file; name a folder",
	} {
		if _, err := openExisting(t.Context(), dataFlag{Data: folder}, anyPhoto); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", folder, err)
		}
		if _, err := existingDatabase(t.Context(), dataFlag{Data: folder}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the database of %s: %v", folder, err)
		}
	}
}

// A move of files says where the records have gone, whatever the folder is called.
func TestMoveOfFilesAlone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "100%data")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, sharedFile), []byte("postgres://db/collie\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	want := "the records of " + folder + " are in the database postgres://db/collie; begin with: server move database --back --data " + folder + " "
	if err := (&dataFlag{Data: folder, Blobs: "s3://b"}).move(t.Context(), nil); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// A file that doesn't exist is named before any of the others is imported.
func TestMissingImport(t *testing.T) {
	folder := t.TempDir()
	parsed, err := parse(t, "import", folder, filepath.Join(folder, "missing.zip"), "--project", "Beach", "--data", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed.Import.Run(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "missing.zip") {
		t.Errorf("got %v", err)
	}
}

// --map takes pairs one by one or between commas, and any name on either side.
func TestMapFlag(t *testing.T) {
	for _, tt := range []struct {
		flags []string
		want  mapping.Classes // nil is refused
	}{
		{[]string{"1=road", "2=", "3= side walk "}, mapping.Classes{"1": "road", "2": "", "3": " side walk "}},
		{[]string{"1=road,2=,car=Car", "7=bus"}, mapping.Classes{"1": "road", "2": "", "car": "Car", "7": "bus"}},
		{[]string{`1=road\, wet`, `a\,b=c`, `back\slash=\`}, mapping.Classes{"1": "road, wet", "a,b": "c", `back\slash`: `\`}},
		{[]string{"1=a=b", `2=a\=b`}, mapping.Classes{"1": "a=b", "2": `a\=b`}},
		{[]string{`a\=b=c`, `a\=\=b\,=c=d,2=`}, mapping.Classes{"a=b": "c", "a==b,": "c=d", "2": ""}},
		{[]string{"road"}, nil},
		{[]string{`1\=road`}, nil},
	} {
		arguments := []string{"import", "masks.zip", "--project", "Beach"}
		for _, flag := range tt.flags {
			arguments = append(arguments, "--map", flag)
		}
		parsed, err := parse(t, arguments...)
		switch {
		case tt.want == nil:
			if err == nil || !strings.Contains(err.Error(), "VALUE=CLASS") {
				t.Errorf("%q: %v", tt.flags, err)
			}
		case err != nil:
			t.Errorf("%q: %v", tt.flags, err)
		default:
			if d := cmp.Diff(tt.want, parsed.Import.Map); d != "" {
				t.Errorf("%q (-want +got):\n%s", tt.flags, d)
			}
		}
	}
}

// An issuer that no provider can have is refused before a user is linked to it.
func TestLinkedIssuer(t *testing.T) {
	for issuer, says := range map[string]string{"nope": "--issuer", "http://login.example": "--issuer", "https://login.example": "doesn't exist"} {
		parsed, err := parse(t, "users", "link", "ann", "subject", "--issuer", issuer, "--data", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := parsed.Users.Link.Run(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", issuer, err, says)
		}
	}
}

// An empty path in an environment file means no file, not the current folder.
func TestEmptyPaths(t *testing.T) {
	for _, name := range []string{"COLLIE_TLS_CERT", "COLLIE_TLS_KEY", "COLLIE_TLS_ACME_CA", "COLLIE_OPENID_SECRET_FILE", "COLLIE_AFFINITIES"} {
		t.Setenv(name, "")
	}
	parsed, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	s := parsed.Serve
	for _, path := range []string{s.TLSCert, s.TLSKey, s.TLSRoots, s.OpenIDSecretFile, s.Affinities} {
		if path != "" {
			t.Errorf("an empty path is %q", path)
		}
	}
}

// What is missing for a provider, or contradicts it, is said before anything
// starts, with what the provider has to know.
func TestOpenIDFlags(t *testing.T) {
	secret, empty := filepath.Join(t.TempDir(), "secret"), filepath.Join(t.TempDir(), "empty")
	for file, content := range map[string]string{secret: "hush\n", empty: "\n"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const with = "--auth --origin https://collie.example --openid-issuer https://login.example/x --openid-client collie "
	for _, c := range []struct{ flags, variable, says string }{
		{with, "", ""},
		{with, "hush", ""},
		{with + "--openid-secret-file " + secret, "", ""},
		{"", "", ""},
		{"--openid-client x", "", "add --openid-issuer"},
		{"--openid-users x", "", "add --openid-issuer"},
		{strings.Replace(with, "--auth", "", 1), "", "needs --auth"},
		{strings.Replace(with, "--origin https://collie.example", "", 1), "", openid.CallbackPath},
		{strings.Replace(with, "--openid-client collie", "", 1), "", "https://collie.example" + openid.CallbackPath},
		{strings.Replace(with, "https://login", "http://login", 1), "", "https://"},
		{strings.Replace(with, "https://login", "login", 1), "", "https://"},
		{with + "--openid-secret-file " + secret, "hush", "contradict"},
		{with + "--openid-secret-file " + empty, "", "is empty"},
		{with + "--openid-secret-file " + empty + "x", "", "no such file"},
	} {
		t.Setenv("COLLIE_OPENID_SECRET", c.variable)
		parsed, err := parse(t, strings.Fields(c.flags)...)
		if err != nil {
			t.Fatal(err)
		}
		s := parsed.Serve
		provider, err := s.provider(s.Auth, s.Origin, slog.New(slog.DiscardHandler))
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", c.flags, err, c.says)
		}
		if provider != nil && provider.Label() != "login.example" {
			t.Errorf("the label is %q", provider.Label())
		}
	}
}

// Only a server that can have others drains by itself.
func TestDrainTime(t *testing.T) {
	less, none, some := -time.Nanosecond, time.Duration(0), time.Minute
	for _, c := range []struct {
		flag   *time.Duration
		others bool
		want   time.Duration
		valid  bool
	}{{nil, false, 0, true}, {nil, true, 5 * time.Second, true}, {&none, true, 0, true}, {&some, false, time.Minute, true}, {&less, true, less, false}} {
		f := drainFlag{c.flag}
		if got, err := f.time(c.others), f.Validate(); got != c.want || (err == nil) != c.valid {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

func TestSplitFlag(t *testing.T) {
	for flag, want := range map[string]*export.Split{
		"80,20": {By: "share", Train: new(80), Val: new(20), Seed: 3}, "70, 20, 10": {By: "share", Train: new(70), Val: new(20), Test: new(10), Seed: 3},
	} {
		c := exportCommand{Split: flag, Seed: 3}
		if got, err := c.split(); err != nil || !cmp.Equal(got, want) {
			t.Errorf("--split %q: %+v, %v", flag, got, err)
		}
	}
	for flag, want := range map[string]*export.Split{"": nil, "name": {By: "name"}} {
		c := exportCommand{Split: flag}
		if got, err := c.split(); err != nil || !cmp.Equal(got, want) {
			t.Errorf("--split %q: %+v, %v", flag, got, err)
		}
		c.Seed = 3
		if _, err := c.split(); err == nil || !strings.Contains(err.Error(), "--seed") {
			t.Errorf("--split %q takes a seed without a use for it: %v", flag, err)
		}
	}
	for _, flag := range []string{"half", "1,2,3,4", "80;20"} {
		c := exportCommand{Split: flag}
		if _, err := c.split(); err == nil {
			t.Errorf("--split %q is accepted", flag)
		}
	}
}
