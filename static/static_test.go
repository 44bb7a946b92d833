package static

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// order lists the folders; a module imports only from its own and from those
// before it.
var order = []string{"ui", "superpixels", "evidence", "canvas", "tools", "classes", "project", "annotate"}

// Every module, style and icon in this folder is served, and nothing else.
func TestFilesAreServed(t *testing.T) {
	var want []string
	for _, folder := range order {
		names, err := filepath.Glob(folder + "/*")
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", folder, len(names), err)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, ".test.js") {
				want = append(want, filepath.ToSlash(name))
			}
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(Files))); diff != "" {
		t.Error("served (+) and in the folders (-):\n", diff)
	}
	all, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.IsDir() && !slices.Contains(append(order, "testdata", "node_modules"), e.Name()) {
			t.Errorf("folder %s is not in the order of imports", e.Name())
		}
	}
}

func TestTestsAndToolsAreNotServed(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("x")}
	got := served(fstest.MapFS{
		"ui/dom.js": file, "ui/dom.test.js": file, "ui/base.css": file, "ui/icon.svg": file, "ui/README.md": file,
		"ui/package.json": file, "ui/tsconfig.json": file,
	})
	want := []string{"ui/base.css", "ui/dom.js", "ui/icon.svg"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Error(diff)
	}
	for name := range Files {
		if strings.HasSuffix(name, ".test.js") || strings.Contains(name, "node_modules") || strings.HasSuffix(name, ".json") {
			t.Errorf("%s is served", name)
		}
	}
}

// What a module imports exists, and lies in its folder or in one before it.
func TestImports(t *testing.T) {
	imports := regexp.MustCompile(`(?m)^(?:import|export) .*from '([^']+)';$`)
	for name, content := range Files {
		for _, m := range imports.FindAllStringSubmatch(string(content), -1) {
			target := path.Join(path.Dir(name), m[1])
			if _, ok := Files[target]; !ok {
				t.Errorf("%s imports %s, which does not exist", name, m[1])
			}
			if slices.Index(order, path.Dir(target)) > slices.Index(order, path.Dir(name)) {
				t.Errorf("%s imports %s, against the order of the folders", name, target)
			}
		}
	}
}
