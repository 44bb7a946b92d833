// Package static holds what browsers are given as it is: ES modules, styles and
// the icon, in the folders that README.md describes. There is no build step; the
// modules are checked with `npm run check` and tested with `npm test` in this
// folder.
package static

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed annotate canvas classes evidence project superpixels tools ui
var folders embed.FS

// Files holds the content of every file that is served, by its path, such as
// "ui/base.css". The tests of the modules, which lie beside them, are left out.
// Callers must not change it.
var Files = served(folders)

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
