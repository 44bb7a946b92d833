// Package beside tells the photographs of a data set from what lies beside them:
// lists, annotations, and masks, which are pictures, too.
package beside

import (
	"path"
	"slices"
	"strings"
)

// endings are those of lists and annotations.
var endings = []string{".txt", ".json", ".xml", ".yaml", ".yml", ".csv", ".md", ".npz", ".npy"}

// folders are those of masks.
var folders = []string{"SegmentationClass", "SegmentationObject", "masks", "annotations"}

// Others returns which of the names, paths with slashes, are not those of
// photographs: lists and annotations by their endings, and whatever is in a folder for
// masks and has a namesake elsewhere. It returns none if nothing would be left. O(names).
func Others(names []string) map[string]bool {
	others, elsewhere := map[string]bool{}, map[string]bool{}
	var masks []string
	for _, name := range names {
		switch parts := strings.Split(name, "/"); {
		case slices.Contains(endings, strings.ToLower(path.Ext(name))):
			others[name] = true
		case slices.ContainsFunc(parts[:len(parts)-1], func(part string) bool { return slices.Contains(folders, part) }):
			masks = append(masks, name)
		default:
			elsewhere[stem(name)] = true
		}
	}
	for _, name := range masks {
		if elsewhere[stem(name)] {
			others[name] = true
		}
	}
	if len(others) == len(names) {
		return nil
	}
	return others
}

// stem is a file's name without folder and ending, in lower case.
func stem(name string) string {
	base := strings.ToLower(path.Base(name))
	return strings.TrimSuffix(base, path.Ext(base))
}
