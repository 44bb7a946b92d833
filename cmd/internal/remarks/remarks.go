// Package remarks prints the remarks about images in a report, each of them once, with
// the images that it is about.
package remarks

import (
	"fmt"
	"io"
	"strings"
)

// Named is how many images with the same remark, or other things, are named.
const Named = 5

// printed is how many different remarks are printed: figures in them can make those of
// each image different.
const printed = 20

// List collects remarks. The zero value is empty.
type List struct {
	texts []string // in the order in which they came
	names map[string][]string
}

// Add adds a remark about an image, unless its text is empty.
func (l *List) Add(name, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if l.names == nil {
		l.names = map[string][]string{}
	}
	if l.names[text] == nil {
		l.texts = append(l.texts, text)
	}
	l.names[text] = append(l.names[text], name)
}

// Print writes a line for each of the first texts, with the first images that it is
// about, and how many others there are.
func (l *List) Print(w io.Writer) {
	for _, text := range l.texts[:min(len(l.texts), printed)] {
		list := First(l.names[text])
		if len(l.names[text]) > Named {
			list += ", which manifest.json lists"
		}
		fmt.Fprintf(w, "  %s: %s\n", list, text)
	}
	if more := len(l.texts) - printed; more > 0 {
		fmt.Fprintf(w, "  and other remarks, which manifest.json lists: %d\n", more)
	}
}

// First lists the first names and counts the others.
func First(names []string) string {
	list := strings.Join(names[:min(len(names), Named)], ", ")
	if more := len(names) - Named; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
