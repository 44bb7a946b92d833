package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"collie/segment"
)

// Options say what is exported and how. The zero value of a field means its
// default. The JSON form is used by the interface and the manifest.
type Options struct {
	Images     []string `json:"images,omitempty" doc:"identifiers of the images; the whole project if empty"`
	Drafts     *bool    `json:"drafts,omitempty" doc:"whether to include unfinished images; default true"`
	Approved   bool     `json:"approved,omitempty" doc:"whether to leave out images that are not approved, or have changed since; default false"`
	Guesses    *bool    `json:"guesses,omitempty" doc:"whether an image with nothing but a guess, which nobody has accepted, gets the guess as its labels; default false"`
	Undecided  string   `json:"undecided,omitempty" doc:"what undecided pixels become: 255 (default) or class 0" schema:"enum=void|background"`
	Pictures   *bool    `json:"pictures,omitempty" doc:"whether to include the images, upright and without metadata; default true for voc and yolo only"`
	Objects    string   `json:"objects,omitempty" doc:"what one object is: a connected region (default) or all regions of a class" schema:"enum=region|class"`
	Shapes     string   `json:"shapes,omitempty" doc:"for coco (default polygon, for regions without holes) and labelme (default mask)" schema:"enum=polygon|mask"`
	Background *bool    `json:"background,omitempty" doc:"whether class 0 is written as objects; default false while class 0 is called background or the like, because readers take whatever no object covers for background"`
	Split      *Split   `json:"split,omitempty" doc:"divides the images into sets for training, validation and testing; without it there are none. A backup ignores it"`
	Hypotheses *int     `json:"hypotheses,omitempty" doc:"number of hypotheses, for numpy and hypotheses; default 20" schema:"min=1,max=100"`
}

// chooser chooses the images to export.
type chooser struct {
	options *Options
	wanted  map[string]bool // identifiers of those that have not come yet
}

func (o *Options) chooser() *chooser {
	wanted := make(map[string]bool, len(o.Images))
	for _, id := range o.Images {
		wanted[id] = true
	}
	return &chooser{o, wanted}
}

// take reports whether an image is exported, and if it was asked for why not.
func (c *chooser) take(im *segment.Image) (ok bool, why string) {
	if len(c.options.Images) > 0 && !c.wanted[im.ID] {
		return false, ""
	}
	delete(c.wanted, im.ID)
	if !*c.options.Drafts && im.Status() != segment.StatusDone {
		return false, "It is unfinished, and unfinished images were left out."
	}
	switch {
	case !c.options.Approved:
	case im.Review.Status != segment.Approved:
		return false, "It is not approved, and only approved images were exported."
	case im.Seq > im.Review.Seq:
		return false, "It has changed since it was approved, and only approved images were exported."
	}
	return true, ""
}

// mostMissing is how many missing images an error names.
const mostMissing = 5

// missing returns a NotFound for those that have not come.
func (c *chooser) missing() error {
	if len(c.wanted) == 0 {
		return nil
	}
	var named []string
	for _, id := range slices.Sorted(maps.Keys(c.wanted))[:min(len(c.wanted), mostMissing)] {
		named = append(named, fmt.Sprintf("%.40q", id))
	}
	list := strings.Join(named, ", ")
	if more := len(c.wanted) - len(named); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return segment.Errorf(segment.NotFound, "The project has no image %s.", list)
}
