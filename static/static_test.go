package static

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A module that is not listed would be missing from the program only.
func TestEveryModuleIsEmbedded(t *testing.T) {
	files, err := filepath.Glob("modules/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules found: %v", err)
	}
	for _, name := range files {
		_, err := fs.Stat(FS, filepath.ToSlash(name))
		if isTest := strings.HasSuffix(name, ".test.js"); (err == nil) == isTest {
			t.Errorf("%s: embedded is %t", name, err == nil)
		}
	}
}

// What a module imports must be there under exactly that name.
func TestImports(t *testing.T) {
	imports := regexp.MustCompile(`(?m)^(?:import|export) .*from '\./([^']+)';$`)
	files, err := fs.Glob(FS, "modules/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := fs.ReadFile(FS, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range imports.FindAllStringSubmatch(string(b), -1) {
			if _, err := fs.Stat(FS, "modules/"+m[1]); err != nil {
				t.Errorf("%s imports %s, which does not exist", name, m[1])
			}
		}
	}
}
