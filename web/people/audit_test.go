package people

import (
	"os"
	"regexp"
	"testing"

	"collie/segment/audit"
)

// Every action of package audit has words on the page.
func TestDoings(t *testing.T) {
	source, err := os.ReadFile("../../segment/audit/audit.go")
	if err != nil {
		t.Fatal(err)
	}
	actions := regexp.MustCompile(`(?m)^\t\w+ +Action = "([a-z.]+)"`).FindAllSubmatch(source, -1)
	if len(actions) < len(doings) {
		t.Errorf("found %d actions, and words for %d", len(actions), len(doings))
	}
	for _, a := range actions {
		if doings[audit.Action(a[1])] == "" {
			t.Errorf("%s has no words", a[1])
		}
	}
}
