package collie_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says which of our own packages each package may use, directly or
// through others: cmd → web → (segment, storage, templates), storage → segment,
// segment → (superpixels, crf, herding), herding → crf. A name stands for the
// package and those below it.
var arrows = map[string][]string{
	"cmd":         {"web", "storage", "segment", "templates", "static", "superpixels", "herding", "crf"},
	"web":         {"storage", "segment", "templates", "static", "superpixels", "herding", "crf"},
	"storage":     {"segment", "superpixels", "herding", "crf"},
	"segment":     {"superpixels", "herding", "crf"},
	"herding":     {"crf"},
	"superpixels": {},
	"crf":         {},
	"templates":   {},
	"static":      {},
	"sharedtest":  {},
}

// engine packages use the standard library and gonum, nothing else.
var engine = []string{"superpixels", "crf", "herding"}

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
		{"segment", "collie/storage/sqlite", true},
		{"segment", "collie/web", true},
		{"storage/blob", "collie/segment", false},
		{"templates", "collie/segment", true},
		{"herding", "collie/crf", false},
		{"crf", "collie/herding", true},
		{"crf", "gonum.org/v1/gonum/mat", false},
		{"crf", "github.com/go-chi/chi/v5", true},
		{"crf", "vendor/golang.org/x/crypto/chacha20", false},
		{"newcomer", "fmt", true},
	} {
		if got := violations(c.pkg, []string{"fmt", c.dep}); (len(got) > 0) != c.wrong {
			t.Errorf("violations(%s → %s) = %q, want some: %v", c.pkg, c.dep, got, c.wrong)
		}
	}
}

// violations lists what a package uses against the arrows.
func violations(pkg string, deps []string) (wrong []string) {
	from, _, _ := strings.Cut(pkg, "/")
	allowed, ok := arrows[from]
	if !ok {
		return []string{"package " + pkg + " is not in the table of arrows"}
	}
	for _, dep := range deps {
		own, isOwn := strings.CutPrefix(dep, "collie/")
		to, _, _ := strings.Cut(own, "/")
		switch {
		case isOwn && to != from && !slices.Contains(allowed, to):
			wrong = append(wrong, pkg+" uses "+own+", against the arrows")
		case !isOwn && slices.Contains(engine, from) && isModule(dep) && !strings.HasPrefix(dep, "gonum.org/v1/gonum/"):
			wrong = append(wrong, pkg+" uses "+dep+"; the engine uses the standard library and gonum only")
		}
	}
	return wrong
}

// imports returns, for each package of the module, all that it depends on.
func imports(t *testing.T) map[string][]string {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Deps}} {{.}}{{end}}`, "./...").Output()
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
