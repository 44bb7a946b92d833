package static

import (
	"encoding/json"
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
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(sources))); diff != "" {
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
	for name := range sources {
		if strings.HasSuffix(name, ".test.js") || strings.Contains(name, "node_modules") || strings.HasSuffix(name, ".json") {
			t.Errorf("%s is served", name)
		}
	}
}

// imported matches what modules and style sheets import, types included.
var imported = regexp.MustCompile(`(?m)(?:\bfrom |^import |@import |\bimport\()'([^']+)'`)

// A file imports from its own folder and from those before it.
func TestImportsFollowTheOrder(t *testing.T) {
	found := 0
	for name, content := range sources {
		for _, m := range imported.FindAllSubmatch(content, -1) {
			target := path.Join(path.Dir(name), string(m[1]))
			if slices.Index(order, path.Dir(target)) > slices.Index(order, path.Dir(name)) {
				t.Errorf("%s imports %s, against the order of the folders", name, target)
			}
			found++
		}
	}
	if found < 300 {
		t.Errorf("only %d imports found", found)
	}
}

// Every module but early.js, which is a plain script, is part of a page, and so is every
// style sheet. The source map of a page names its parts by their addresses.
func TestEverythingIsUsed(t *testing.T) {
	used := map[string]bool{"ui/early.js": true}
	for name, content := range all().content {
		if path.Ext(name) != ".map" {
			continue
		}
		var of struct{ Sources []string }
		if err := json.Unmarshal(content, &of); err != nil {
			t.Fatal(name, err)
		}
		for _, source := range of.Sources {
			used[path.Join(path.Dir(name), source)] = true
		}
	}
	for name := range sources {
		if path.Ext(name) != ".svg" && !used[name] {
			t.Errorf("no page imports %s", name)
		}
	}
	for name := range used {
		if sources[name] == nil {
			t.Errorf("a source map names %s, which is not served", name)
		}
	}
}

func TestBundles(t *testing.T) {
	files := map[string][]byte{
		"ui/login.js":    []byte("// Signs in.\nimport { shown } from '../tools/shown.js';\n\nshown('Größe');\n"),
		"tools/shown.js": []byte("/** @param {string} text */\nexport function shown(text) { document.title = text; }\nexport const unused = 1;\n"),
		"ui/login.css":   []byte("@import './base.css';\n\n.login { color: red; }\n"),
		"ui/base.css":    []byte("/* First. */\np { margin: 0; }\n"),
	}
	got, err := bundle(files)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"pages/login.js":  "function shown(text){document.title=text}shown(\"Größe\");\n//# sourceMappingURL=login.js.map\n",
		"pages/login.css": "p{margin:0}.login{color:red}\n/*# sourceMappingURL=login.css.map */\n",
	}
	for name, content := range want {
		if diff := cmp.Diff(content, string(got[name])); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if names := slices.Sorted(maps.Keys(got)); len(names) != 4 {
		t.Errorf("the bundles are %q, want two and their source maps", names)
	}
	for broken, want := range map[string]string{
		"import './missing.js';\n": "ui/missing.js is not served",
		"let = ;\n":                `Unexpected ";"`,
	} {
		files["ui/login.js"] = []byte(broken)
		if _, err := bundle(files); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ui/login.js:1:") {
			t.Errorf("%q: error %v, want %q and the place", broken, err, want)
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
