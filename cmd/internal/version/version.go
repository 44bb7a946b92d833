// Package version says which release a program is.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Set by the release build: -ldflags "-X collie/cmd/internal/version.version=v1.2.3
// -X collie/cmd/internal/version.commit=…". They are flags instead of the build's
// own record of its repository, so that the same source gives the same bytes in
// any folder.
var (
	version string
	commit  string
)

// Text is one line such as "collie v1.2.3 (commit 0123abc, go1.26.0, linux/amd64)".
func Text() string {
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
