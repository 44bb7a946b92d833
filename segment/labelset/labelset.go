// Package labelset reads and writes lists of classes in common exchange
// formats: plain text, JSON, and the labelmap.txt of PASCAL VOC data.
package labelset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"collie/segment"
)

// Format is one of the forms.
type Format string

// The formats. Text has a name per line, optionally followed by a colour
// #rrggbb. JSON is a list of names or of objects with name and color, or an
// object that holds such a list as classes. VOC has lines
// name:R,G,B:parts:actions.
const (
	Text Format = "txt"
	JSON Format = "json"
	VOC  Format = "voc"
)

// MaxBytes of a label set: 255 classes need far less.
const MaxBytes = 1 << 20

// Names in labelme that are not classes: pixels outside every shape, and
// ignored pixels.
const (
	LabelmeBackground = "_background_"
	LabelmeIgnore     = "__ignore__"
)

// PASCAL are the classes of PASCAL VOC by index.
var PASCAL = []string{
	"background", "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow", "diningtable",
	"dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor",
}

// Read returns the classes in r, which have passed [segment.NormalizeClasses];
// classes without a colour get none, so that an existing class can keep its
// own. Errors are for people and name the line where there is one.
func Read(r io.Reader, format Format) ([]segment.Class, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading a label set: %w", err)
	}
	if len(b) > MaxBytes {
		return nil, segment.Errorf(segment.TooLarge, "The label set is larger than %d KiB, which is the limit.", MaxBytes>>10)
	}
	if b, _, err = transform.Bytes(unicode.BOMOverride(transform.Nop), b); err != nil { // Windows writes UTF-16, too
		return nil, fmt.Errorf("reading a label set: %w", err)
	}
	var classes []segment.Class
	switch format {
	case Text:
		classes, err = readLines(string(b), textLine)
	case VOC:
		classes, err = readLines(string(b), vocLine)
	case JSON:
		classes, err = readJSON(b)
	default:
		err = segment.Errorf(segment.Unsupported, "A label set must be %s, %s or %s, not %.20q.", Text, JSON, VOC, format)
	}
	if err != nil {
		return nil, err
	}
	checked, err := segment.NormalizeClasses(classes)
	for i := range checked {
		if classes[i].Color == "" {
			checked[i].Color = ""
		}
	}
	return checked, err
}

// Write writes the classes in their order. Text and VOC can't hold line breaks,
// which no class name has; a colon in a name is written as it is and Read finds
// the colour behind the last one.
func Write(w io.Writer, format Format, classes []segment.Class) error {
	out := bufio.NewWriter(w)
	switch format {
	case Text:
		for _, c := range classes {
			fmt.Fprintf(out, "%s %s\n", c.Name, c.Color)
		}
	case VOC:
		fmt.Fprintln(out, "# label:color_rgb:parts:actions")
		for _, c := range classes {
			rgb, err := strconv.ParseUint(strings.TrimPrefix(c.Color, "#"), 16, 24)
			if err != nil {
				return fmt.Errorf("class %q has the colour %q", c.Name, c.Color)
			}
			fmt.Fprintf(out, "%s:%d,%d,%d::\n", c.Name, rgb>>16, rgb>>8&255, rgb&255)
		}
	case JSON:
		list := make([]entry, len(classes))
		for i, c := range classes {
			list[i] = entry{c.Name, c.Color}
		}
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(list); err != nil {
			return err
		}
	default:
		return segment.Errorf(segment.Unsupported, "A label set must be %s, %s or %s, not %.20q.", Text, JSON, VOC, format)
	}
	return out.Flush()
}

// readLines reads a class per line. Empty lines, comments and labelme's name for
// pixels to be ignored are passed over. A line with # in front that has a colour is
// a class, too, for # may begin a class's name.
func readLines(text string, parse func(line string) (segment.Class, error)) ([]segment.Class, error) {
	var classes []segment.Class
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line == LabelmeIgnore {
			continue
		}
		c, err := parse(line)
		if line[0] == '#' && c.Color == "" {
			continue
		}
		if err != nil {
			return nil, segment.Errorf(segment.Unreadable, "Line %d of the label set: %s", number, err)
		}
		if c.Name == LabelmeBackground && c.Color == "" { // with a colour it is a class: labelme writes none
			c.Name = "background"
		}
		if len(classes) == segment.MaxClasses {
			return nil, tooMany()
		}
		classes = append(classes, c)
	}
	return classes, nil
}

// textLine reads a name that a colour may follow.
func textLine(line string) (segment.Class, error) {
	if i := strings.LastIndexAny(line, " \t"); i > 0 && len(line)-i == len(" #rrggbb") && line[i+1] == '#' {
		return segment.Class{Name: strings.TrimSpace(line[:i]), Color: line[i+1:]}, nil
	}
	return segment.Class{Name: line}, nil
}

// vocLine reads name:R,G,B:parts:actions; what follows the name may be missing.
func vocLine(line string) (segment.Class, error) {
	fields := strings.Split(line, ":")
	for len(fields) > 1 && len(fields[len(fields)-1]) == 0 {
		fields = fields[:len(fields)-1]
	}
	if len(fields) == 1 {
		return segment.Class{Name: fields[0]}, nil
	}
	for i := len(fields) - 1; i > 0; i-- {
		if color, ok := parseRGB(fields[i]); ok {
			return segment.Class{Name: strings.Join(fields[:i], ":"), Color: color}, nil
		}
	}
	return segment.Class{}, fmt.Errorf("%.40q is not of the form name:R,G,B:parts:actions with R, G and B from 0 to 255", line)
}

// parseRGB turns "R,G,B" into #rrggbb.
func parseRGB(s string) (string, bool) {
	parts := strings.Split(s, ",")
	if len(parts) != 3 {
		return "", false
	}
	color := "#"
	for _, p := range parts {
		v, err := strconv.ParseUint(strings.TrimSpace(p), 10, 8)
		if err != nil {
			return "", false
		}
		color += fmt.Sprintf("%02x", v)
	}
	return color, true
}

// entry is a class in JSON.
type entry struct {
	Name  string `json:"name"`
	Color string `json:"color,omitempty"`
}

// UnmarshalJSON takes a bare name too.
func (e *entry) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &e.Name)
	}
	type plain entry
	return json.Unmarshal(b, (*plain)(e))
}

// entries are those of a list; classes beyond the most that a project can have
// are not read.
type entries []entry

// UnmarshalJSON reads a list.
func (l *entries) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return errors.Join(err, errors.New("not a list"))
	}
	for d.More() {
		if len(*l) == segment.MaxClasses {
			return tooMany()
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return err
		}
		*l = append(*l, e)
	}
	return nil
}

func tooMany() error {
	return segment.Errorf(segment.Invalid, "The label set has too many classes; the limit is %d.", segment.MaxClasses)
}

// WholeText reports whether all text in JSON is valid UTF-8 without halves of surrogate
// pairs. Package encoding/json puts U+FFFD in place of what is not.
func WholeText(b []byte) bool {
	return jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true))
}

func readJSON(b []byte) ([]segment.Class, error) {
	var list entries
	if err := json.Unmarshal(b, &list); err != nil {
		var object struct {
			Classes entries `json:"classes"`
		}
		switch inside := json.Unmarshal(b, &object); {
		case segment.KindOf(err) != 0:
			return nil, err
		case segment.KindOf(inside) != 0:
			return nil, inside
		case inside != nil || object.Classes == nil:
			return nil, segment.Errorf(segment.Unreadable, `The label set is not a JSON list of names or of {"name": …, "color": …}.`).Because(err)
		}
		list = object.Classes
	}
	if !WholeText(b) {
		return nil, segment.Errorf(segment.Invalid, "The label set contains text that is not valid UTF-8, or half of a surrogate pair. Nothing was changed.")
	}
	classes := make([]segment.Class, len(list))
	for i, e := range list {
		classes[i] = segment.Class{Name: e.Name, Color: e.Color}
	}
	return classes, nil
}
