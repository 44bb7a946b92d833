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
var order = []string{"ui", "superpixels", "evidence", "exchange", "canvas", "tools", "classes", "choosing", "transfer", "project", "annotate"}

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

// A module imports from its own folder and from those before it, types included.
func TestImportsFollowTheOrder(t *testing.T) {
	types := regexp.MustCompile(`import\('([^']+)'\)`)
	for name, content := range Files {
		targets := slices.Clone(imports[name])
		for _, m := range types.FindAllSubmatch(content, -1) {
			targets = append(targets, path.Join(path.Dir(name), string(m[1])))
		}
		for _, target := range targets {
			if slices.Index(order, path.Dir(target)) > slices.Index(order, path.Dir(name)) {
				t.Errorf("%s imports %s, against the order of the folders", name, target)
			}
		}
	}
}

func TestImportStatements(t *testing.T) {
	module := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	files := served(fstest.MapFS{
		"ui/a.js": module("import { b } from './b.js';\nimport {\n  c,\n  d,\n} from '../tools/c.js';\nimport './e.js';\n" +
			"/**\n * import('./no.js')\n */\nconst text = `from './no.js'`;\nexport const d = 'x';\nexport { f } from \"./f.js\";\n"),
		"ui/b.js":    module("export * from './e.js';\n"),
		"tools/c.js": module("import { a } from '../ui/a.js';\n"),
		"ui/e.js":    module("export const e = 1;\n"),
		"ui/f.js":    module(""),
	})
	want := map[string][]string{
		"ui/a.js": {"ui/b.js", "tools/c.js", "ui/e.js", "ui/f.js"}, "ui/b.js": {"ui/e.js"}, "tools/c.js": {"ui/a.js"},
	}
	if diff := cmp.Diff(want, importsOf(files)); diff != "" {
		t.Error(diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("an import of a file that does not exist is accepted")
		}
	}()
	files["ui/b.js"] = []byte("import './missing.js';\n")
	importsOf(files)
}

// Every module but early.js, which is a plain script, is part of a page.
func TestEveryModuleIsUsed(t *testing.T) {
	used := map[string]bool{Address("ui/early.js"): true}
	for _, entry := range []string{"annotate/annotate.js", "project/project.js", "project/start.js", "project/trash.js", "ui/login.js", "ui/problem.js"} {
		for _, address := range Preloads(entry) {
			used[address] = true
		}
	}
	for name := range Files {
		if path.Ext(name) == ".js" && !used[Address(name)] {
			t.Errorf("no page imports %s", name)
		}
	}
}

func TestVersionNamesNamesAndContents(t *testing.T) {
	base := map[string][]byte{"a.js": []byte("1"), "b.js": []byte("2")}
	for _, other := range []map[string][]byte{
		{"a.js": []byte("1"), "b.js": []byte("3")},
		{"a.js": []byte("2"), "b.js": []byte("1")},
		{"a.js": []byte("1"), "c.js": []byte("2")},
		{"a.js": []byte("1")},
	} {
		if version(other) == version(base) {
			t.Errorf("%q and %q have the same version", other, base)
		}
	}
}
