// Package mapping has the flags that say what values in masks become.
package mapping

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// Flags are the flags, for commands to embed.
type Flags struct {
	Map       Classes `placeholder:"VALUE=CLASS" help:"What values in masks become: names of classes in the data set or, without names, indices; without a class, undecided. Classes that the project lacks are added with the masks that use them. Repeat it for more; write a comma in a name as \\, and an equals sign in VALUE as \\=."`
	Numbers   string  `default:"classes" enum:"classes,objects" help:"What the numbers in masks as PNG or TIFF are: classes, or objects (label images). All objects have the class that --map objects=CLASS says, or in a project of two classes the second one."`
	Names     string  `default:"project" enum:"project,voc" help:"What numbers without a name or a mapping mean: positions in the project's list of classes (project), or the classes of PASCAL VOC (voc)."`
	Uncovered string  `default:"background" enum:"background,undecided" help:"What pixels outside every shape or object become: background or undecided."`
}

// Classes are the class of each value, empty for undecided; on the command line, pairs
// VALUE=CLASS, divided by commas.
type Classes map[string]string

// UnmarshalText adds pairs.
func (c *Classes) UnmarshalText(text []byte) error {
	if *c == nil {
		*c = Classes{}
	}
	for _, pair := range kong.SplitEscaped(string(text), ',') {
		at := equals.FindStringIndex(pair)
		if at == nil {
			return fmt.Errorf("expected VALUE=CLASS but got %q", pair)
		}
		value := pair[:at[1]-1]
		(*c)[strings.ReplaceAll(value, `\=`, "=")] = pair[at[1]:]
	}
	return nil
}

// equals finds the first equals sign without a backslash before it.
var equals = regexp.MustCompile(`(^|[^\\])=`)

// MarshalJSON writes what the API takes: null is undecided.
func (c Classes) MarshalJSON() ([]byte, error) {
	classes := make(map[string]*string, len(c))
	for value, class := range c {
		if classes[value] = &class; class == "" {
			classes[value] = nil
		}
	}
	return json.Marshal(classes)
}
