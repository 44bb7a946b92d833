package collie_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows says which of our own packages each package imports: cmd → web →
// segment/workspace → segment/learner → segment/annotation → (segment/timeline,
// segment/engine) → segment; storage → segment; segment/engine → (superpixels,
// herding, crf); herding → crf. A name that ends in /... stands for a package and
// those below it, which may import each other; for a package the longest name counts.
var arrows = map[string][]string{
	"cmd/...":                  {"web/...", "storage/...", "segment/...", "superpixels/...", "herding/...", "crf/..."},
	"cmd/collie":               {"cmd/internal/help", "cmd/internal/mapping", "cmd/internal/output", "cmd/internal/remarks", "cmd/internal/version", "segment/archive/zipnames", "segment/beside", "storage/disk"}, // it speaks the interface, like anybody's program
	"cmd/server/...":           {"web/...", "storage/...", "segment/...", "cmd/internal/help", "cmd/internal/mapping", "cmd/internal/output", "cmd/internal/remarks", "cmd/internal/version"},                      // nothing of what only measuring needs
	"cmd/internal/help":        {},
	"cmd/internal/mapping":     {},
	"cmd/internal/output":      {},
	"cmd/internal/remarks":     {},
	"cmd/internal/version":     {},
	"web/...":                  {"segment/...", "templates", "static"},
	"web/live":                 {"web/wire", "web/panics", "segment", "segment/access", "segment/annotation", "segment/engine", "segment/gauge", "segment/workspace"},
	"web/wire":                 {"web/openapi", "segment"},
	"web/problem":              {"web/wire", "segment", "segment/workspace"},
	"web/query":                {"web/openapi", "segment"},
	"web/panics":               {},
	"web/scratch":              {"segment", "segment/ledger", "segment/reserve"},
	"web/answers":              {"segment", "segment/access", "segment/ledger", "templates", "web/problem"},
	"web/people":               {"web/answers", "web/live", "web/openid", "web/problem", "web/query", "templates", "segment", "segment/access", "segment/accounts", "segment/audit", "segment/workspace"},
	"web/openapi":              {},
	"web/metrics":              {"segment/gauge", "segment/schedule", "segment/workspace"},
	"web/openid":               {"segment", "segment/access", "segment/accounts"},
	"web/openid/openidtest":    {},
	"storage/...":              {"tempfile", "segment", "segment/access", "segment/accounts", "segment/audit", "segment/job", "segment/reserve"},
	"storage/postgres/...":     {"storage/row", "segment", "segment/access", "segment/accounts", "segment/audit", "segment/job"}, // not the other databases
	"storage/s3/s3test":        {"sharedtest"},
	"storage/workspacetest":    {"segment/...", "storage/..."}, // opens workspaces for tests
	"segment":                  {"segment/access", "segment/audit", "segment/palette"},
	"segment/timeline":         {"segment", "superpixels/..."},
	"segment/affinity":         {"superpixels/...", "crf/..."},
	"segment/affinity/fit":     {"segment", "segment/affinity", "superpixels/..."},
	"segment/chooser":          {"crf"},
	"segment/engine":           {"segment", "segment/affinity", "segment/chooser", "segment/schedule", "superpixels/...", "herding/...", "crf/..."},
	"segment/assistant":        {"segment", "segment/affinity", "segment/timeline", "segment/engine", "superpixels/..."},
	"segment/annotation":       {"segment", "segment/access", "segment/assistant", "segment/engine", "segment/gauge", "segment/guard", "segment/learn", "segment/ledger", "segment/timeline", "superpixels/..."},
	"segment/learner":          {"segment", "segment/access", "segment/annotation", "segment/engine", "segment/gauge", "segment/guard", "segment/learn", "segment/photo", "segment/schedule", "superpixels/..."},
	"segment/workspace":        {"segment", "segment/annotation", "segment/learner", "segment/audit", "segment/guard", "segment/gauge", "segment/assistant", "segment/affinity", "segment/timeline", "segment/engine", "segment/learn", "segment/access", "segment/ledger", "segment/photo", "segment/reserve", "segment/schedule", "superpixels/..."},
	"segment/access":           {},
	"segment/guard":            {"segment", "segment/access"},
	"segment/gauge":            {},
	"segment/audit":            {"segment/access"},
	"segment/accounts":         {"segment", "segment/access", "segment/audit", "segment/queue"},
	"segment/archive":          {"segment", "segment/archive/zipnames"},
	"segment/archive/zipnames": {},
	"segment/backup":           {"segment"},
	"segment/beside":           {},
	"segment/export":           {"segment", "segment/access", "segment/annotation", "segment/workspace", "segment/engine", "segment/export/zipfile", "segment/backup", "segment/mask/...", "segment/photo", "segment/rle", "superpixels/..."},
	"segment/export/jobs":      {"segment", "segment/access", "segment/export", "segment/job"},
	"segment/export/zipfile":   {"tempfile", "segment", "segment/archive/zipnames", "segment/reserve"}, // archives without a project
	"segment/job":              {"segment"},
	"segment/importer":         {"segment", "segment/annotation", "segment/workspace", "segment/access", "segment/archive", "segment/backup", "segment/export", "segment/importer/dataset", "segment/importer/npz", "segment/labelset", "segment/mask", "segment/timeline", "disjoint", "superpixels/..."},
	"segment/importer/dataset": {"segment", "segment/archive", "segment/backup", "segment/beside", "segment/labelset", "segment/mask", "segment/photo", "segment/rle"}, // formats without a workspace
	"segment/importer/npz":     {"segment", "segment/archive", "superpixels/...", "crf/..."},
	"segment/labelset":         {"segment"},
	"segment/learn":            {"segment", "segment/affinity", "segment/affinity/fit", "segment/engine", "segment/schedule", "segment/simulate", "superpixels/...", "crf/..."},
	"segment/ledger":           {"segment/access"},
	"segment/mask":             {"segment", "superpixels/..."},
	"segment/mask/regions":     {"segment", "segment/mask", "segment/rle", "disjoint", "superpixels/..."},
	"segment/mask/masktest":    {"segment", "segment/mask", "superpixels/..."}, // makes masks for tests
	"segment/palette":          {},
	"segment/photo/...":        {"segment", "segment/ledger"},
	"segment/queue":            {},
	"segment/reserve":          {"segment"},
	"segment/rle":              {},
	"segment/sample":           {"segment"},
	"segment/schedule":         {"segment/queue"},
	"segment/simulate":         {"segment", "segment/affinity", "segment/assistant", "segment/timeline", "segment/engine", "segment/photo", "superpixels/...", "herding/...", "crf/..."},
	"herding/...":              {"crf/...", "disjoint"},
	"superpixels/...":          {"disjoint"},
	"crf/...":                  {"disjoint"},
	"disjoint":                 {},
	"tempfile":                 {},
	"templates":                {"static"},
	"static":                   {},
	"sharedtest":               {},

	"cmd/evaluate/internal/flags":      measuring,
	"cmd/evaluate/internal/results":    measuring,
	"cmd/evaluate/internal/scene":      measuring,
	"cmd/evaluate/internal/paper":      experiment,
	"cmd/evaluate/internal/hypotheses": experiment,
	"cmd/evaluate/internal/gestures":   experiment,
	"cmd/evaluate/internal/project":    experiment,
	"cmd/evaluate/internal/parts":      experiment,
}

// Experiments don't import each other, and what they share doesn't either.
var (
	measuring  = []string{"cmd/internal/...", "segment/...", "superpixels/...", "herding/...", "crf/..."}
	experiment = slices.Concat(measuring, []string{"cmd/evaluate/internal/flags", "cmd/evaluate/internal/results", "cmd/evaluate/internal/scene"})
)

// engine packages use the standard library and gonum, nothing else.
var engine = []string{"superpixels/...", "crf/...", "herding/...", "disjoint"}

// clients are modules that speak with other servers, and the only packages that
// import them.
var clients = map[string]string{
	"github.com/jackc/pgx/v5":      "storage/postgres",
	"github.com/minio/minio-go/v7": "storage/s3",
}

func TestImportArrows(t *testing.T) {
	for pkg, deps := range imports(t) {
		for _, v := range violations(pkg, deps) {
			t.Error(v)
		}
	}
}

func TestViolationsAreFound(t *testing.T) {
	for _, c := range []struct {
		pkg, dep string
		wrong    bool
	}{
		{"segment/export", "collie/superpixels", false},
		{"segment/export", "collie/segment/workspace", false},
		{"segment", "collie/segment/timeline", true},
		{"segment", "collie/superpixels", true},
		{"segment/timeline", "collie/segment", false},
		{"segment/timeline", "collie/segment/engine", true},
		{"segment/engine", "collie/herding/methods", false},
		{"segment/engine", "collie/segment/timeline", true},
		{"segment/engine", "collie/segment/workspace", true},
		{"segment/workspace", "collie/segment/timeline", false},
		{"segment/workspace", "collie/segment/annotation", false},
		{"segment/workspace", "collie/segment/export", true},
		{"segment/annotation", "collie/segment/timeline", false},
		{"segment/annotation", "collie/segment/workspace", true},
		{"segment/annotation", "collie/segment/learner", true},
		{"segment/learner", "collie/segment/annotation", false},
		{"segment/learner", "collie/segment/workspace", true},
		{"segment/workspace", "collie/storage/sqlite", true},
		{"segment/newcomer", "fmt", true},
		{"storage/sqlite", "collie/segment/workspace", true},
		{"storage/workspacetest", "collie/segment/workspace", false},
		{"web", "collie/storage/sqlite", true},
		{"web/live", "collie/segment/workspace", false},
		{"web/live", "collie/web/wire", false},
		{"web/live", "collie/web", true},
		{"web/wire", "collie/web/live", true},
		{"web", "collie/web/live", false},
		{"cmd/server", "collie/web", false},
		{"cmd/server", "collie/cmd/internal/measure", true},
		{"cmd/collie", "collie/segment", true},
		{"cmd/evaluate", "collie/cmd/internal/measure", false},
		{"cmd/evaluate/internal/paper", "collie/cmd/evaluate/internal/scene", false},
		{"cmd/evaluate/internal/paper", "collie/cmd/evaluate/internal/gestures", true},
		{"cmd/evaluate/internal/scene", "collie/cmd/evaluate/internal/flags", true},
		{"segment", "collie/storage/sqlite", true},
		{"segment", "collie/web", true},
		{"storage/blob", "collie/segment", false},
		{"storage/s3", "github.com/minio/minio-go/v7/pkg/credentials", false},
		{"storage/cache", "github.com/minio/minio-go/v7", true},
		{"cmd/server", "github.com/minio/minio-go/v7", true},
		{"templates", "collie/segment", true},
		{"herding", "collie/crf", false},
		{"crf", "collie/herding", true},
		{"crf", "gonum.org/v1/gonum/mat", false},
		{"crf", "github.com/go-chi/chi/v5", true},
		{"crf", "vendor/golang.org/x/crypto/chacha20", false},
		{"storage/postgres", "github.com/jackc/pgx/v5/pgxpool", false},
		{"storage/postgres", "collie/storage/sqlite", true},
		{"storage/row", "github.com/jackc/pgx/v5", true},
		{"cmd/server", "github.com/jackc/pgx/v5", true},
		{"newcomer", "fmt", true},
	} {
		if got := violations(c.pkg, []string{"fmt", c.dep}); (len(got) > 0) != c.wrong {
			t.Errorf("violations(%s → %s) = %q, want some: %v", c.pkg, c.dep, got, c.wrong)
		}
	}
}

// violations lists what a package imports against the arrows.
func violations(pkg string, imports []string) (wrong []string) {
	from, ok := room(pkg)
	if !ok {
		return []string{"package " + pkg + " is not in the table of arrows"}
	}
	for _, dep := range imports {
		own, isOwn := strings.CutPrefix(dep, "collie/")
		switch {
		case isOwn && !within(own, from) && !slices.ContainsFunc(arrows[from], func(to string) bool { return within(own, to) }):
			wrong = append(wrong, pkg+" imports "+own+", against the arrows")
		case !isOwn && slices.Contains(engine, from) && isModule(dep) && !strings.HasPrefix(dep, "gonum.org/v1/gonum/"):
			wrong = append(wrong, pkg+" imports "+dep+"; the engine uses the standard library and gonum only")
		}
		for module, only := range clients {
			if within(dep, module+"/...") && pkg != only {
				wrong = append(wrong, pkg+" imports "+dep+", as only "+only+" does")
			}
		}
	}
	return wrong
}

// room returns the longest name in the table of arrows that stands for a package.
func room(pkg string) (name string, ok bool) {
	for candidate := range arrows {
		if within(pkg, candidate) && len(candidate) > len(name) {
			name, ok = candidate, true
		}
	}
	return name, ok
}

// within reports whether a name in the table of arrows stands for a package.
func within(pkg, name string) bool {
	tree, isTree := strings.CutSuffix(name, "/...")
	return pkg == tree || isTree && strings.HasPrefix(pkg, tree+"/")
}

// The packages that the Makefile tests without the race detector start no
// goroutine, and share nothing between those of others but memory in a sync.Pool;
// the tests of that run with the detector, too.
func TestPlainPackagesStartNoGoroutine(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, line, ok := strings.Cut(string(makefile), "\nplain = ")
	line, _, _ = strings.Cut(line, "\n")
	if !ok || line == "" {
		t.Fatal("the Makefile has no list of plain packages")
	}
	files := 0
	for _, name := range strings.Fields(line) {
		root := strings.TrimSuffix(name, "/...")
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, i := range f.Imports {
				renamed := i.Path.Value == `"sync"` && i.Name != nil
				if renamed || i.Path.Value == `"sync/atomic"` {
					t.Errorf("%s imports %s", path, i.Path.Value)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s starts a goroutine", path)
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "sync" && n.Sel.Name != "Pool" {
						t.Errorf("%s uses sync.%s", path, n.Sel.Name)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 30 {
		t.Errorf("only %d files found", files)
	}
}

// imports returns, for each package of the module, what it imports.
func imports(t *testing.T) map[string][]string {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name, ok := strings.CutPrefix(fields[0], "collie/")
		if !ok {
			continue // this package, which holds only tests
		}
		all[name] = fields[1:]
	}
	if len(all) < 5 {
		t.Fatalf("only %d packages found", len(all))
	}
	return all
}

// isModule reports whether a package comes from another module rather than the
// standard library, also where that holds copies of modules (vendor/…).
func isModule(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}
