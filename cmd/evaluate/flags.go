package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"collie/cmd/internal/progress"
	"collie/cmd/internal/version"
	"collie/crf"
	"collie/herding"
	"collie/herding/methods"
	"collie/segment/engine"
	"collie/segment/simulate"
)

// output is what all commands have in common.
type output struct {
	JSON string `name:"json" type:"path" placeholder:"FILE" help:"Write the figures to this file, too (fractions, not per cent)."`
}

// Validate refuses a file that can't be written.
func (o output) Validate() error { return progress.ResultFile("--json", o.JSON) }

// made says how figures came about.
type made struct {
	Version    string            `json:"version"`
	Arguments  []string          `json:"arguments"` // of the program
	Parameters engine.Parameters `json:"parameters"`
}

// write stores figures, an object, as JSON when a file was asked for, with how they were made.
func (o output) write(figures any) error {
	if o.JSON == "" {
		return nil
	}
	parts := map[string]json.RawMessage{} // keeps the order of each part's fields
	for _, v := range []any{figures, map[string]any{"made": made{version.Text(), os.Args[1:], engine.DefaultParameters}}} {
		b, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(b, &parts)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", o.JSON, err)
		}
	}
	b, err := json.MarshalIndent(parts, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", o.JSON, err)
	}
	return progress.WriteResult(o.JSON, append(b, '\n'))
}

// data says which images a command works on.
type data struct {
	Data    string `required:"" type:"path" placeholder:"DIR" help:"Folder with images/ID.jpg, .png or .tif and masks/ID.png."`
	Limit   int    `placeholder:"N" help:"Use the first N images only, in the order of index.tsv or of their names."`
	Classes int    `default:"21" help:"Number of classes; masks hold the indices 0 to one less, and 255 for void."`
}

// check refuses a number of classes below the least, or above that of models.
func (d data) check(least int) error { return within("--classes", least, crf.MaxLabels, d.Classes) }

// oneClass is the error of a folder whose clicks leave no choice.
func (d data) oneClass(flag, dir string) error {
	return fmt.Errorf("%s %s: no image%s has clicks on two classes, so there is nothing to choose from", flag, dir, d.among())
}

// among says, after 'image', which of a folder's images a command uses.
func (d data) among() string {
	if d.Limit == 0 {
		return ""
	}
	return fmt.Sprintf(" among the first %d (--limit)", d.Limit)
}

// apart refuses the folder of --data under another flag: what is learned from images says
// nothing when it is measured on the same ones.
func (d data) apart(flag, dir string) error {
	other, err := os.Stat(dir)
	if err != nil {
		return nil // reported when its images are read
	}
	if own, err := os.Stat(d.Data); err == nil && os.SameFile(own, other) {
		return fmt.Errorf("%s %s is also the folder of --data: choose a folder of other images to learn from", flag, dir)
	}
	return nil
}

// arraysOf is the file with the scores or embeddings of an image.
func arraysOf(dir, id string) string { return filepath.Join(dir, id+".npz") }

// haveArrays refuses a folder that has no such file for one of the images, before the work.
func haveArrays(flag, dir string, list []simulate.Picture) error {
	for _, p := range list {
		if _, err := os.Stat(arraysOf(dir, p.ID)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s %s has no %s.npz; every image needs a file of its name", flag, dir, p.ID)
		} else if err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
	}
	return nil
}

// atLeast refuses the values of a flag that are below a number.
func atLeast(flag string, least int, values ...int) error {
	for _, v := range values {
		if v < least {
			return fmt.Errorf("%s %d: must be at least %d", flag, v, least)
		}
	}
	return nil
}

// within refuses the values of a flag that are not between two numbers.
func within[T int | float64](flag string, low, high T, values ...T) error {
	for _, v := range values {
		if !(v >= low && v <= high) {
			return fmt.Errorf("%s %v: must be from %v to %v", flag, v, low, high)
		}
	}
	return nil
}

// regions refuses a number of superpixels that is no number of them, or that a map of
// 16 bits has no room for; with more an experiment would hardly end.
func regions(n int) error { return within("--regions", 1, 1<<16, n) }

// positive refuses the values of a flag that are not above 0, or too large to compute with.
func positive(flag string, values ...float64) error {
	for _, v := range values {
		if !(v > 0 && v <= herding.MaxEnergy) {
			return fmt.Errorf("%s %v: must be above 0 and at most %v", flag, v, herding.MaxEnergy)
		}
	}
	return nil
}

// shares refuses the values of a flag that are not above 0 and at most 1.
func shares(flag string, values ...float64) error {
	for _, v := range values {
		if !(v > 0 && v <= 1) {
			return fmt.Errorf("%s %v: must be above 0 and at most 1", flag, v)
		}
	}
	return nil
}

// known refuses names that no method has.
func known(names ...string) error {
	for _, name := range names {
		if _, err := methods.Find(name); err != nil {
			return err
		}
	}
	return nil
}
