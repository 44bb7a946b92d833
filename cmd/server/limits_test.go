package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment/accounts"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/web"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/limits.md")

// TestLimitsInDocs compares the table in docs/limits.md with the flags.
func TestLimitsInDocs(t *testing.T) {
	var table strings.Builder
	table.WriteString("| flag | environment | default | bounds |\n| --- | --- | --- | --- |\n")
	for _, f := range serveFlags(t) {
		if f.Group != nil && f.Group.Key == "limits" {
			fmt.Fprintf(&table, "| `--%s` | `%s` | %s | %s |\n", f.Name, strings.Join(f.Envs, " "), f.Default, f.Help)
		}
	}
	const begin, end = "<!-- flags -->\n", "<!-- end of flags -->\n"
	name := filepath.Join("..", "..", "docs", "limits.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/limits.md has no place for the table")
	}
	if old == table.String() {
		return
	}
	if !*update {
		t.Fatalf("docs/limits.md does not say what the flags say; go test ./cmd/server -run LimitsInDocs -update rewrites it. Wanted:\n%s", table.String())
	}
	if err := os.WriteFile(name, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The flags cover every limit of the packages, and their defaults are the
// packages' own.
func TestDefaultsAgree(t *testing.T) {
	c, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]struct{ got, want any }{
		"web":      {c.Serve.web(), (web.Limits{}).OrDefault()},
		"photo":    {c.Serve.photo().OrDefault(), (photo.Limits{}).OrDefault()},
		"accounts": {c.Serve.accounts().OrDefault(), (accounts.Limits{}).OrDefault()},
	} {
		if diff := cmp.Diff(l.want, l.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if c.Serve.MaxImages != workspace.DefaultImages {
		t.Errorf("%d images, want %d", c.Serve.MaxImages, workspace.DefaultImages)
	}
}

func TestLimitFlags(t *testing.T) {
	t.Setenv("COLLIE_MAX_SIDE", "2000")
	c, err := parse(t, "--max-file=1.5MiB", "--max-megapixels=0.5", "--upload-queue=3", "--idle-timeout=2m")
	if err != nil {
		t.Fatal(err)
	}
	got := c.Serve.photo()
	if got.Bytes != 3<<19 || got.Pixels != 500_000 || got.Side != 2000 || got.Queue != 3 || c.Serve.IdleTimeout.Minutes() != 2 {
		t.Errorf("limits %+v", c.Serve.serveLimits)
	}
	if c, err = parse(t, "--max-side=100000", "--max-megapixels=1000"); err != nil {
		t.Fatal(err)
	}
	if got = c.Serve.photo(); got.Side != 65536 || got.Pixels != 1<<26 { // what can be stored
		t.Errorf("the highest limits are %+v", got)
	}
	for _, wrong := range []string{"--max-file=0", "--max-side=-1", "--max-megapixels=NaN", "--max-megapixels=0", "--max-megapixels=1e9", "--zip-ratio=0", "--upload-queue=0", "--stall-timeout=0s", "--max-file=many", "--max-file=1e30", "--memory=4", "--ping-interval=45s", "--pong-timeout=19s"} {
		if _, err := parse(t, wrong); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"0": 0, "1": 1, "512B": 512, "64KiB": 64 << 10, "1.5 GiB": 3 << 29, "2TiB": 2 << 40, "3kB": 3000, "2MB": 2e6, "1GB": 1e9} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q is %d, %v, want %d", text, s, err, want)
		}
		var again size
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("%d is written %q and read as %d, %v", s, s, again, err)
		}
	}
	for _, text := range []string{"", "x", "-1", "1 EiB", "NaN", "9e18KiB", "1MiB2"} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %d", text, s)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	if got := (uploadLimits{Memory: 300 << 20}).applyMemory(); got != 300<<20 || debug.SetMemoryLimit(-1) != 300<<20 {
		t.Errorf("as the flag says: %v", got)
	}
	if got := (uploadLimits{}).applyMemory(); got <= 0 || got > 1<<30 || debug.SetMemoryLimit(-1) != int64(got) {
		t.Errorf("without a flag: %v", got)
	}
}
