package static

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// entries are what the pages begin with: a module and a style sheet of that name,
// or one of them.
var entries = []string{"annotate/annotate", "project/project", "project/start", "project/trash", "ui/login", "ui/problem", "ui/reference"}

// bundle joins each entry with all that it imports, directly or through others, into
// one file, such as "pages/annotate.js", without comments and spaces. Beside it lies its
// source map, which leads a browser's developer tools to the files as they were written.
func bundle(files map[string][]byte) (map[string][]byte, error) {
	root, err := filepath.Abs("/") // of folders that exist only here
	if err != nil {
		return nil, err
	}
	outdir := filepath.Join(root, "pages")
	result := api.Build(api.BuildOptions{
		EntryPoints: entryFiles(files), EntryNames: "[name]", AbsWorkingDir: root, Outdir: outdir,
		Bundle: true, Format: api.FormatESModule, Target: api.ESNext, Charset: api.CharsetUTF8, MinifyWhitespace: true,
		Sourcemap: api.SourceMapLinked, SourcesContent: api.SourcesContentExclude,
		Plugins: []api.Plugin{reader(root, files)},
	})
	if problems := slices.Concat(result.Errors, result.Warnings); len(problems) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(problems, api.FormatMessagesOptions{}), ""))
	}
	bundles := map[string][]byte{}
	for _, f := range result.OutputFiles {
		bundles["pages/"+filepath.Base(f.Path)] = f.Contents
	}
	return bundles, nil
}

// entryFiles are the modules and style sheets of the entries.
func entryFiles(files map[string][]byte) (names []string) {
	for _, entry := range entries {
		for _, ext := range []string{".js", ".css"} {
			if _, ok := files[entry+ext]; ok {
				names = append(names, entry+ext)
			}
		}
	}
	return names
}

// reader gives the bundler the files below root instead of those of the disk.
func reader(root string, files map[string][]byte) api.Plugin {
	const all = "."
	return api.Plugin{Name: "embedded", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: all}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: filepath.Join(a.ResolveDir, filepath.FromSlash(a.Path))}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: all}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			name, err := filepath.Rel(root, a.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			name = filepath.ToSlash(name)
			content, ok := files[name]
			if !ok {
				return api.OnLoadResult{}, fmt.Errorf("%s is not served", name)
			}
			text, loader := string(content), api.LoaderJS
			if path.Ext(name) == ".css" {
				loader = api.LoaderCSS
			}
			return api.OnLoadResult{Contents: &text, Loader: loader, ResolveDir: filepath.Dir(a.Path)}, nil
		})
	}}
}
