// Package sharedtest has what tests of many packages need: where data is that is not in
// the repository but in the folder shared next to it, free addresses, frozen programs, a picture.
package sharedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns where a file or folder of the data is, whose name has slashes as
// in "data/voc". Where it is not there, and with -short, the test is skipped.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("skipped with -short: works on ../shared/" + name)
	}
	dir, err := os.Getwd() // of a test, that of its package
	if err != nil {
		tb.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			continue
		}
		path := filepath.Join(filepath.Dir(dir), "shared", filepath.FromSlash(name))
		if _, err := os.Stat(path); err != nil {
			tb.Skipf("needs ../shared/%s beside the checkout, which is not there", name)
		}
		return path
	}
	tb.Fatal("no go.mod above the package")
	return ""
}
