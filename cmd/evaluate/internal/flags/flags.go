// Package flags has what the command lines of the experiments share: the flags of a data
// folder, and checks of values.
package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"collie/crf"
	"collie/herding"
	"collie/herding/choose"
	"collie/herding/methods"
	"collie/segment/simulate"
)

// Vars are what the help texts and defaults of all commands refer to.
func Vars() kong.Vars {
	return kong.Vars{
		"methods": strings.Join(methods.Names(), ", "), "clicked": strings.Join(simulate.Methods, ","), "wider": fmt.Sprint(choose.Wider),
	}
}

// Images says which images a command works on.
type Images struct {
	Data    string `required:"" type:"path" placeholder:"DIR" help:"Folder with images/ID.jpg, .png or .tif and masks/ID.png."`
	Limit   int    `placeholder:"N" help:"Use the first N images only, in the order of index.tsv or of their names."`
	Classes int    `default:"21" help:"Number of classes; masks hold the indices 0 to one less, and 255 for void."`
}

// CheckClasses refuses a number of classes below the least, or above that of models.
func (i Images) CheckClasses(least int) error {
	return Within("--classes", least, crf.MaxLabels, i.Classes)
}

// OneClass is the error of a folder whose clicks leave no choice.
func (i Images) OneClass(flag, dir string) error {
	return fmt.Errorf("%s %s: no image%s has clicks on two classes, so there is nothing to choose from", flag, dir, i.Among())
}

// Among says, after 'image', which of a folder's images a command uses.
func (i Images) Among() string {
	if i.Limit == 0 {
		return ""
	}
	return fmt.Sprintf(" among the first %d (--limit)", i.Limit)
}

// Apart refuses the folder of --data under another flag: what is learned from images says
// nothing when it is measured on the same ones.
func (i Images) Apart(flag, dir string) error {
	other, err := os.Stat(dir)
	if err != nil {
		return nil // reported when its images are read
	}
	if own, err := os.Stat(i.Data); err == nil && os.SameFile(own, other) {
		return fmt.Errorf("%s %s is also the folder of --data: choose a folder of other images to learn from", flag, dir)
	}
	return nil
}

// ArraysOf is the file with the scores or embeddings of an image.
func ArraysOf(dir, id string) string { return filepath.Join(dir, id+".npz") }

// HaveArrays refuses a folder that has no such file for one of the images, before the work.
func HaveArrays(flag, dir string, list []simulate.Picture) error {
	for _, p := range list {
		if _, err := os.Stat(ArraysOf(dir, p.ID)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s %s has no %s.npz; every image needs a file of its name", flag, dir, p.ID)
		} else if err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
	}
	return nil
}

// AtLeast refuses the values of a flag that are below a number.
func AtLeast(flag string, least int, values ...int) error {
	for _, v := range values {
		if v < least {
			return fmt.Errorf("%s %d: must be at least %d", flag, v, least)
		}
	}
	return nil
}

// Within refuses the values of a flag that are not between two numbers.
func Within[T int | float64](flag string, low, high T, values ...T) error {
	for _, v := range values {
		if !(v >= low && v <= high) {
			return fmt.Errorf("%s %v: must be from %v to %v", flag, v, low, high)
		}
	}
	return nil
}

// Regions refuses a number of superpixels that is no number of them, or that a map of
// 16 bits has no room for; with more an experiment would hardly end.
func Regions(n int) error { return Within("--regions", 1, 1<<16, n) }

// Positive refuses the values of a flag that are not above 0, or too large to compute with.
func Positive(flag string, values ...float64) error {
	for _, v := range values {
		if !(v > 0 && v <= herding.MaxEnergy) {
			return fmt.Errorf("%s %v: must be above 0 and at most %v", flag, v, herding.MaxEnergy)
		}
	}
	return nil
}

// Shares refuses the values of a flag that are not above 0 and at most 1.
func Shares(flag string, values ...float64) error {
	for _, v := range values {
		if !(v > 0 && v <= 1) {
			return fmt.Errorf("%s %v: must be above 0 and at most 1", flag, v)
		}
	}
	return nil
}

// Known refuses names that no method has.
func Known(names ...string) error {
	for _, name := range names {
		if _, err := methods.Find(name); err != nil {
			return err
		}
	}
	return nil
}
