// Package static holds what browsers are given: ES modules, styles and the icon, in
// the folders that README.md describes. The modules are checked with `npm run check`
// and tested with `npm test` in this folder.
//
// Each page loads one module and one style sheet. The server joins them from the files
// that they import when it is first asked for a page. These files are served, too, for
// developer tools and tests.
//
// One hash of all files is part of every address. Browsers keep what they have
// fetched for as long as they like, and a page never gets the files of two versions.
// A change to one file changes all addresses, which costs each browser up to 170 kB
// after an upgrade.
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
	"slices"
	"strings"
	"sync"
)

//go:embed annotate canvas choosing classes evidence exchange project superpixels tools transfer ui
var folders embed.FS

// sources holds the files as they are written, by path, such as "ui/base.css". The
// tests of the modules, which lie beside them, are left out.
var sources = served(folders)

// all are the files that browsers can ask for.
var all = sync.OnceValue(func() *site {
	bundles, err := bundle(sources)
	if err != nil {
		panic("static: " + err.Error()) // the files are part of the program
	}
	s := &site{content: maps.Clone(sources), packed: map[string]func() []byte{}}
	maps.Copy(s.content, bundles)
	s.version = version(s.content)
	for name, content := range s.content {
		s.packed[name] = sync.OnceValue(func() []byte { return pack(content) })
	}
	return s
})

// site is a set of files by path.
type site struct {
	version string
	content map[string][]byte
	packed  map[string]func() []byte
}

// Version names the content of all files.
func Version() string { return all().version }

// Content returns the content of a file, nil when there is no such file. Callers must
// not change it. Safe for concurrent use, like all functions here.
func Content(name string) []byte { return all().content[name] }

// Packed returns the content of a file as a gzip stream, packed as well as gzip can
// when it is first asked for; nil when there is no such file. Callers must not change it.
func Packed(name string) []byte {
	if packed := all().packed[name]; packed != nil {
		return packed()
	}
	return nil
}

// Address returns where browsers find a file. It panics when there is no such
// file.
func Address(name string) string {
	if Content(name) == nil {
		panic("static: no file " + name)
	}
	return "/static/" + Version() + "/" + name
}

func pack(content []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level exists
	_, _ = z.Write(content)
	_ = z.Close() // a buffer takes everything
	return out.Bytes()
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
