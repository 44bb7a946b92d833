package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Set by the release build: -ldflags "-X main.version=v1.2.3 -X main.commit=…".
// They are flags instead of the build's own record of its repository, so that the
// same source gives the same bytes in any folder.
var (
	version string
	commit  string
)

// versionCommand prints what this program is.
type versionCommand struct{}

// Run prints the version, the commit and the Go version on one line.
func (versionCommand) Run(out streams) error {
	fmt.Fprintln(out.stdout, versionText())
	return nil
}

// versionText is one line such as "collie v1.2.3 (commit 0123abc, go1.26.0, linux/amd64)".
func versionText() string {
	v, c := version, commit
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" {
			v = info.Main.Version
		}
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && c == "" {
				c = setting.Value
			}
		}
	}
	if v == "" || v == "(devel)" {
		v = "development"
	}
	if c == "" {
		c = "unknown"
	}
	return fmt.Sprintf("collie %s (commit %s, %s, %s/%s)", v, c, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
