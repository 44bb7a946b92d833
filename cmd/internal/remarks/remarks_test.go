package remarks_test

import (
	"fmt"
	"strings"
	"testing"

	"collie/cmd/internal/remarks"
)

// Remarks with figures differ for each image: there can be thousands.
func TestManyRemarks(t *testing.T) {
	var said remarks.List
	for i := range 1000 {
		said.Add("a.png", fmt.Sprintf("Pixels more: %d.", i))
	}
	var out strings.Builder
	said.Print(&out)
	if lines := strings.Count(out.String(), "\n"); lines != 21 || !strings.HasSuffix(out.String(), "  and other remarks, which manifest.json lists: 980\n") {
		t.Errorf("%d lines:\n%s", lines, &out)
	}
}
