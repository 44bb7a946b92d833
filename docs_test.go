package collie_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testDeclared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	testNamed    = regexp.MustCompile("`([a-z0-9/]+)`|\\b(Test[A-Z]\\w*)") // with the package before it
	link         = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^):]+))?\)`)     // not to other sites
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unlinked     = regexp.MustCompile(`[^\p{L}\p{N} _-]`) // what links to a heading leave out
)

// docs/reliability.md says which test shows each promise: it is in the package that is
// named before it, or in one below, as all stores have theirs.
func TestPromisesHaveTests(t *testing.T) {
	declared := testsByPackage(t)
	count := 0
	for row := range strings.Lines(text(t, "docs/reliability.md")) {
		cells := strings.Split(row, " | ")
		if len(cells) < 3 {
			continue
		}
		pkg := ""
		for _, m := range testNamed.FindAllStringSubmatch(cells[1], -1) {
			if m[2] == "" {
				pkg = m[1]
				continue
			}
			count++
			if !slices.ContainsFunc(declared[m[2]], func(in string) bool { return within(in, pkg+"/...") }) {
				t.Errorf("docs/reliability.md names %s of %q; tests of that name are in %q", m[2], pkg, declared[m[2]])
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d tests found", count)
	}
}

// testsByPackage returns the packages that have a test of each name.
func testsByPackage(t *testing.T) map[string][]string {
	t.Helper()
	declared := map[string][]string{}
	for _, name := range files(t, ".go") {
		for _, m := range testDeclared.FindAllStringSubmatch(text(t, name), -1) {
			declared[m[1]] = append(declared[m[1]], filepath.ToSlash(filepath.Dir(name)))
		}
	}
	return declared
}

// Links between pages and within them lead to files and headings that exist.
func TestLinksBetweenPages(t *testing.T) {
	count := 0
	for _, page := range files(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(text(t, page), -1) {
			count++
			to := page
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if m[2] != "" && !slices.Contains(anchors(t, to), m[2]) {
				t.Errorf("%s: %s has no heading for #%s", page, to, m[2])
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d links found", count)
	}
}

// anchors are the ends of links to the headings of a page.
func anchors(t *testing.T, page string) (all []string) {
	t.Helper()
	for _, m := range heading.FindAllStringSubmatch(text(t, page), -1) {
		all = append(all, strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

// files lists what is ours below this folder by the end of its name.
func files(t *testing.T, end string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, end) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// text is the content of a file.
func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
