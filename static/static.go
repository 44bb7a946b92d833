// Package static holds what browsers are given as it is: ES modules, styles and
// the icon, in the folders that README.md describes. There is no build step; the
// modules are checked with `npm run check` and tested with `npm test` in this
// folder.
//
// One hash of all files is part of every address. Browsers keep what they have
// fetched for as long as they like, and relative imports between modules lead to
// the same version without being rewritten. A change to one file changes all
// addresses, which costs each browser up to 160 kB after an upgrade.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed annotate canvas choosing classes evidence exchange project superpixels tools transfer ui
var folders embed.FS

// Files holds the content of every file that is served, by its path, such as
// "ui/base.css". The tests of the modules, which lie beside them, are left out.
// Callers must not change it.
var Files = served(folders)

// packed holds every file as gzip packs it best, made when it is first asked for.
var packed = func() map[string]func() []byte {
	all := map[string]func() []byte{}
	for name, content := range Files {
		all[name] = sync.OnceValue(func() []byte {
			var out bytes.Buffer
			z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level exists
			_, _ = z.Write(content)
			_ = z.Close() // a buffer takes everything
			return out.Bytes()
		})
	}
	return all
}()

// Packed returns the content of a file as a gzip stream, nil when there is no such
// file. Callers must not change it. Safe for concurrent use.
func Packed(name string) []byte {
	if p := packed[name]; p != nil {
		return p()
	}
	return nil
}

// Version names the content of all Files.
var Version = version(Files)

// imports holds, for each module, the modules that it imports.
var imports = importsOf(Files)

// Address returns where browsers find a file. It panics when there is no such
// file.
func Address(name string) string {
	if _, ok := Files[name]; !ok {
		panic("static: no file " + name)
	}
	return "/static/" + Version + "/" + name
}

// Preloads returns the addresses of a module and of all that it imports,
// directly or through others, nearest first. A page that names them all lets a
// browser fetch them at once, not level by level as it reads the imports.
func Preloads(module string) []string {
	found := []string{module}
	for i := 0; i < len(found); i++ {
		for _, name := range imports[found[i]] {
			if !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	for i, name := range found {
		found[i] = Address(name)
	}
	return found
}

func served(fsys fs.FS) map[string][]byte {
	files := map[string][]byte{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !serves(name) {
			return err
		}
		files[name], err = fs.ReadFile(fsys, name)
		return err
	})
	if err != nil {
		panic("static: embedded files: " + err.Error()) // they are part of the program
	}
	return files
}

// serves reports whether browsers are given the file with that name.
func serves(name string) bool {
	switch path.Ext(name) {
	case ".js":
		return !strings.HasSuffix(name, ".test.js")
	case ".css", ".svg":
		return true
	}
	return false
}

func version(files map[string][]byte) string {
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		all.Write([]byte(name))
		all.Write(sum[:])
	}
	return hex.EncodeToString(all.Sum(nil)[:8])
}

// importStatement matches static imports and re-exports at the beginning of a
// line, over several lines, too.
var importStatement = regexp.MustCompile(`(?m)^(?:import\s+(?:[^;'"]*?\sfrom\s+)?|export\s+[^;'"]*?\sfrom\s+)['"]([^'"]+)['"]`)

// importsOf reads the import statements of all modules. It panics when a module
// imports what is not served.
func importsOf(files map[string][]byte) map[string][]string {
	graph := map[string][]string{}
	for name, content := range files {
		if path.Ext(name) != ".js" {
			continue
		}
		for _, m := range importStatement.FindAllSubmatch(content, -1) {
			target := path.Join(path.Dir(name), string(m[1]))
			if _, ok := files[target]; !ok {
				panic("static: " + name + " imports " + string(m[1]) + ", which doesn't exist")
			}
			graph[name] = append(graph[name], target)
		}
	}
	return graph
}
