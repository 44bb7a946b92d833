package templates

import (
	"context"
	"strings"
	"testing"
)

// TestAnnotateClasses: the names of the classes are on the page before its scripts
// have opened the image.
func TestAnnotateClasses(t *testing.T) {
	var b strings.Builder
	if err := Annotate(AnnotateView{Classes: []Class{{ID: 0, Name: "dry stone wall", Color: "#112233"}}, Rest: "null"}).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), ">dry stone wall</span>") {
		t.Error("the page doesn't show the class")
	}
}
