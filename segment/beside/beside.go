// Package beside tells the photographs of a data set from what lies beside them:
// lists, annotations, and masks, which are pictures, too.
package beside

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// endings are those of lists and annotations.
var endings = []string{".txt", ".json", ".xml", ".yaml", ".yml", ".csv", ".md", ".npz", ".npy"}

// folders are those of masks. labelme's scripts put masks as PNG, and photographs with masks drawn
// over them, into folders whose names begin with the first two.
var folders = regexp.MustCompile(`(?i)(^|/)(Segmentation(Class|Object)\w*|masks|annotations)/`)

// suffixes follow the name of a photograph in that of its mask. A JPEG of such a name may show
// somebody with a mask.
var suffixes = regexp.MustCompile(`_(cp_masks|masks?|gt(fine|coarse)_(color|(label|instance)(train)?ids))$`)

// Others returns which of the names, paths with slashes, are not those of
// photographs: lists and annotations by their endings, and whatever is in a folder for
// masks, or has the suffix of one, and has a namesake elsewhere or, unless it is a
// JPEG, among the photographs there. It returns none if nothing would be left, except when
// there are masks of photographs there. O(names + there).
func Others(names, there []string) map[string]bool {
	others, elsewhere, known := map[string]bool{}, map[string]bool{}, map[string]bool{}
	masks := map[string]string{} // the stems of their photographs
	for _, name := range names {
		if slices.Contains(endings, strings.ToLower(path.Ext(name))) {
			others[name] = true
			continue
		}
		if of := photographOf(name); of != "" {
			masks[name] = of
		}
		if !amongMasks(name) {
			elsewhere[stem(name)] = true
		}
	}
	for _, name := range there {
		if !amongMasks(name) {
			known[stem(name)] = true
		}
	}
	own := false
	for name, of := range masks {
		theirs := known[of] && !isJPEG(name)
		if elsewhere[of] || theirs {
			others[name] = true
		}
		own = own || theirs
	}
	if len(others) == len(names) && !own {
		return nil
	}
	return others
}

// LikeMask reports whether a file can be a mask by its name, a path with slashes.
func LikeMask(name string) bool { return photographOf(name) != "" }

// cityscapes ends the names of Cityscapes' pictures of classes.
var cityscapes = regexp.MustCompile(`(?i)_gt(fine|coarse)_labelids\.png$`)

// Cityscapes reports whether a file is a picture of classes of a data set of Cityscapes by its
// name. Others beside it have the objects.
func Cityscapes(name string) bool { return cityscapes.MatchString(name) }

// photographOf returns the stem of the photograph that a file would be the mask of; empty if
// it can't be a mask.
func photographOf(name string) string {
	if amongMasks(name) {
		return stem(name)
	}
	own := stem(name)
	if of := suffixes.ReplaceAllString(own, ""); of != own && !isJPEG(name) {
		return of
	}
	return ""
}

func isJPEG(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg"}, strings.ToLower(path.Ext(name)))
}

// amongMasks reports whether a file is in a folder for masks.
func amongMasks(name string) bool { return folders.MatchString(name) }

// stem is a file's name without folder and ending, in lower case, and without what Cityscapes
// puts behind the names of photographs.
func stem(name string) string {
	base := strings.ToLower(path.Base(name))
	return strings.TrimSuffix(strings.TrimSuffix(base, path.Ext(base)), "_leftimg8bit")
}
