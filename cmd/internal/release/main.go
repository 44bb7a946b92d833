// Command release builds what is published: an archive per platform with the
// programs, their licence and documentation, Debian packages, a bill of materials
// and a list of checksums.
//
//	go run ./cmd/internal/release -version v1.2.3 -commit HASH -out dist
//
// The same source, version, commit and Go version give the same bytes in any
// folder on any machine.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	version   = flag.String("version", "", "`version` of the release, like v1.2.3")
	commit    = flag.String("commit", "", "`hash` of the commit that is built")
	out       = flag.String("out", "dist", "`folder` for the archives; must be empty or not exist")
	platforms = flag.String("platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64", "`list` of GOOS/GOARCH")
)

// documents go into every archive beside the programs, and so does what is in docs,
// to which they link.
var documents = []string{
	"README.md", "CHANGELOG.md", "LICENSE", "NOTICE", "SECURITY.md", "python/collie.py",
	"deploy/collie.service", "deploy/collie.env", "deploy/cluster/haproxy.cfg",
}

// programs are what an archive holds, and where their source is.
var programs = []struct{ name, source string }{{"collie-server", "./cmd/server"}, {"collie", "./cmd/collie"}}

var versionPattern = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	if !versionPattern.MatchString(*version) || *commit == "" {
		return fmt.Errorf("give -version like v1.2.3 (not %q) and -commit", *version)
	}
	if entries, err := os.ReadDir(*out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", *out)
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "collie-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for platform := range strings.SplitSeq(*platforms, ",") {
		if err := archive(ctx, work, platform); err != nil {
			return err
		}
	}
	bill := filepath.Join(*out, fmt.Sprintf("collie_%s.spdx.json", *version))
	if err := command(ctx, nil, "go", "run", "./cmd/internal/inventory", "-spdx", bill, "-version", *version); err != nil {
		return err
	}
	return checksums(*out)
}

// archive builds the programs for one platform and packs them.
func archive(ctx context.Context, work, platform string) error {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("platform %q is not GOOS/GOARCH", platform)
	}
	name := fmt.Sprintf("collie_%s_%s_%s", *version, goos, goarch)
	const own = "collie/cmd/internal/version"
	flags := fmt.Sprintf("-s -w -buildid= -X %s.version=%s -X %s.commit=%s", own, *version, own, *commit)
	env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0", "GOAMD64=v1", "GOFLAGS="}
	var files []file
	built := map[string]string{}
	for _, p := range programs {
		binary := filepath.Join(work, name, p.name)
		if goos == "windows" {
			binary += ".exe"
		}
		if err := command(ctx, env, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", binary, p.source); err != nil {
			return err
		}
		files = append(files, file{filepath.Base(binary), binary, 0o755})
		built[p.name] = binary
	}
	if goos == "linux" {
		if err := debian(ctx, goarch, built); err != nil {
			return err
		}
	}
	pages, err := filepath.Glob("docs/*")
	if err != nil {
		return err
	}
	for _, d := range slices.Concat(documents, pages) {
		files = append(files, file{d, d, 0o644})
	}
	path := filepath.Join(*out, name)
	if goos == "windows" {
		return writeZip(path+".zip", name, files)
	}
	return writeTar(path+".tar.gz", name, files)
}

// packager makes Debian packages. It runs at the version given here and is no
// dependency of Collie's.
const packager = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"

// debian packs the programs for one architecture as deploy/nfpm.yaml says.
func debian(ctx context.Context, goarch string, built map[string]string) error {
	env := []string{"GOFLAGS=", "VERSION=" + *version, "ARCH=" + goarch, "BINARY=" + built["collie-server"], "CLIENT=" + built["collie"]}
	return command(ctx, env, "go", "run", packager, "package", "-f", "deploy/nfpm.yaml", "-p", "deb", "-t", *out)
}

func command(ctx context.Context, env []string, name string, arguments ...string) error {
	c := exec.CommandContext(ctx, name, arguments...)
	c.Env = append(os.Environ(), env...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(arguments, " "), err)
	}
	return nil
}

// checksums writes SHA256SUMS, which sha256sum -c reads.
func checksums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(b), e.Name()))
	}
	slices.Sort(lines)
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}
