package importer

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"collie/segment"
	"collie/segment/importer/dataset"
)

// names finds images by the names that a data set gives them. Keys are folded; a
// stem is a name without folder and ending.
type names struct {
	images map[string]string   // ids by file name, with ending and without, stem, and name in exports; empty: several
	masks  map[string]string   // the name in the data set by its form without ending, and by stem; empty: several
	own    map[string]string   // like masks, by the stem without what Label Studio puts before it
	studio map[string]string   // ids by the stem as Label Studio changes it; empty: several
	photos map[string][]string // photographs of the data set by stem
	beside map[string]string   // and by folder, if that has the name of the image

	within map[string]string // ids by what is left of a name without some of its outer folders; empty: several
	tails  map[string]string // like masks, by the same

	pictured bool // the data set names images after the photographs that Collie exported with it

	long map[string]string // stems in the data set by the end of a long one; empty: several
	kept map[string]kept   // images that the project has, by the end of a long stem; empty: several
}

// kept is an image with a long name, which can have lost its beginning when it was stored.
type kept struct{ image, stem string }

// newNames knows the names of masks in a data set, and those of images with scores.
func newNames(d *dataset.Set, scores []string) names {
	n := names{
		images: map[string]string{}, masks: map[string]string{}, own: map[string]string{}, studio: map[string]string{},
		photos: map[string][]string{}, beside: map[string]string{}, long: map[string]string{}, kept: map[string]kept{},
		within: map[string]string{}, tails: map[string]string{},
	}
	for _, name := range d.Images {
		name := segment.Folded(name)
		for _, form := range []string{name, dataset.Unmarked(name)} {
			note(n.masks, dataset.Endless(form), name)
			note(n.masks, stem(form), name)
			for _, tail := range tails(form) {
				note(n.tails, tail, name)
			}
		}
		note(n.own, ownStem(name), name)
	}
	for _, name := range d.Photos {
		n.photos[stem(name)] = append(n.photos[stem(name)], name)
		if folder := path.Dir(name); stem(name) == "image" && len(d.Images) == 0 { // as in our own exports of scores
			n.beside[segment.Folded(folder)] = name
		}
	}
	for _, name := range slices.Concat(d.Images, scores) {
		for _, form := range []string{name, dataset.Unmarked(name)} {
			if end, long := longStem(form); end != "" {
				note(n.long, end, long)
			}
		}
	}
	return n
}

// add registers an image of the project under its name, also without ending, and
// its stem.
func (n *names) add(im segment.Image) {
	name := segment.Folded(im.Name)
	for _, key := range slices.Compact([]string{name, dataset.Endless(name), stem(name)}) {
		note(n.images, key, im.ID)
	}
	for _, tail := range tails(name) {
		note(n.within, tail, im.ID)
	}
	note(n.studio, studioName(stem(name)), im.ID)
}

// addStored registers an image that the project had before the import, also under the end
// of a name that can have been cut. Then it is as long as a name can be, or one shorter
// without a space at its beginning.
func (n *names) addStored(im segment.Image) {
	n.add(im)
	if end, long := longStem(im.Name); end != "" && utf8.RuneCountInString(im.Name) >= segment.MaxName-1 {
		note(n.kept, end, kept{im.ID, long})
	}
}

// note registers an id or a name under a form, or nothing if another one has it, too.
func note[T comparable](forms map[string]T, form string, of T) {
	if other, known := forms[form]; known && other != of {
		of = *new(T)
	}
	forms[form] = of
}

// addExported registers images under their names in exports, which take
// precedence over others if Collie exported the data set itself.
func (n *names) addExported(ids map[string]string, own bool) {
	for key, id := range ids {
		if _, known := n.images[key]; own || !known {
			n.images[key] = id
		}
	}
}

// find returns the id of the image with a name in the data set, or else the file of
// its photograph and what the project is to call it. beside is the path if the name is
// relative to the file that it stands in, or empty; it counts first, then the whole name, and
// last of all the one without what programs put behind the names of masks and scores.
func (n *names) find(name, beside string) (id, photo, as string, err error) {
	if beside != "" && beside != name {
		if id := n.images[segment.Folded(beside)]; id != "" {
			return id, "", "", nil
		}
		if same := n.photos[stem(name)]; len(same) > 1 && slices.Contains(same, beside) {
			return "", beside, beside, nil
		}
	}
	name = segment.Folded(name)
	id, photo, as, err = n.findWhole(name)
	if image := scoreMark.ReplaceAllString(dataset.Unmarked(name), ""); err != nil && image != name {
		for _, other := range []string{image, image + "_img", image + "_leftimg8bit"} { // cellpose's own data set has a_img and a_masks; Cityscapes
			if id, photo, as, err := n.findWhole(other); err == nil {
				return id, photo, as, nil
			}
		}
	}
	return id, photo, as, err
}

// findWhole is find for a folded name as it is. Folder and ending are passed over only if
// they don't tell images of the data set apart. If they do, the inner folders are enough, since
// zip archives often have one around everything. Before a photograph counts as another image comes
// what Label Studio puts before its name.
func (n *names) findWhole(name string) (id, photo, as string, err error) {
	keys, several := []string{name}, n.several(stem(name))
	if !n.several(dataset.Endless(name)) {
		keys = append(keys, dataset.Endless(name))
	}
	if n.pictured {
		slices.Reverse(keys) // the ending is that of the photograph
	}
	if !several {
		keys = append(keys, path.Base(name), stem(name))
	}
	taken := false
	for _, key := range keys {
		id, known := n.images[key]
		if id != "" {
			return id, "", "", nil
		}
		taken = taken || known
	}
	for _, tail := range tails(name) {
		if only, known := n.tails[tail]; known && only == "" {
			continue
		}
		if id := n.within[tail]; id != "" {
			return id, "", "", nil
		}
	}
	if taken {
		return "", "", "", segment.Errorf(segment.Invalid, "More than one image in the project has this name.")
	}
	if id, err := n.shortened(name); id != "" || err != nil {
		return id, "", "", err
	}
	if photo = n.beside[dataset.Endless(name)]; photo != "" {
		return "", photo, path.Base(dataset.Endless(name)) + path.Ext(photo), nil
	}
	if own := ownStem(name); own != stem(name) && n.own[own] == name {
		if id := cmp.Or(n.images[own], n.studio[own]); id != "" {
			return id, "", "", nil
		}
	}
	if photo = n.photo(name, !several); photo != "" {
		as = path.Base(photo)
		if several { // the folders that the data set gives tell it from the others
			parts := strings.Split(photo, "/")
			as = path.Join(parts[len(parts)-1-strings.Count(name, "/"):]...)
		}
		return "", photo, as, nil
	}
	if several {
		return "", "", "", segment.Errorf(segment.Invalid, "The data set has more than one image called %s, and the project none with this folder and ending.", stem(name))
	}
	if taskPNG.MatchString(stem(name)) {
		return "", "", "", segment.Errorf(segment.Invalid, "Label Studio names its PNGs after tasks, not after images. Export JSON from it instead.")
	}
	return "", "", "", segment.Errorf(segment.Invalid, "No image in the project has this name, and no photograph of this name came with it. Add the photograph first.")
}

// shortened returns the id of the image that had a name before it was stored without the
// beginning; none if there is no such image.
func (n *names) shortened(name string) (id string, err error) {
	end, long := longStem(name)
	image, known := n.kept[end]
	switch {
	case !known, image.image != "" && !strings.HasSuffix(long, image.stem):
		return "", nil
	case image.image == "", n.long[end] != long, n.several(stem(name)):
		return "", segment.Errorf(segment.Invalid, "Names of more than %d characters lose their beginning when images are stored. Without it this one can't be told from another one.", segment.MaxName)
	}
	return image.image, nil
}

// longStem is a stem with its accents apart, as a name can have been cut between a letter
// and its accent, and the end of it, which is empty if the stem is not long.
func longStem(name string) (end, long string) {
	const length = 80
	long = norm.NFD.String(stem(name))
	if r := []rune(long); len(r) >= length {
		end = string(r[len(r)-length:])
	}
	return end, long
}

// taskPNG matches the stems of the PNGs that Label Studio makes of brush labels.
var taskPNG = regexp.MustCompile(`^task-\d+-annotation-\d+-by-`)

// several reports whether images of the data set share a form of their names.
func (n *names) several(form string) bool {
	only, known := n.masks[form]
	return known && only == ""
}

// photo returns the photograph with a name: the only one whose path ends with it, with or
// without its ending, or the one in the fewest folders, since a.jpg beside sub/a.jpg has no
// folder of its own; or, if any folder will do, the only one with its stem.
// Names of masks come without endings; what looks like one belongs to the name.
func (n *names) photo(name string, anyFolder bool) string {
	all := n.photos[stem(name)]
	if base := path.Base(name); base != stem(name) {
		all = append(slices.Clone(n.photos[base]), all...)
	}
	for _, same := range []func(photo string) bool{
		func(photo string) bool { return ends(photo, name) },
		func(photo string) bool { return ends(dataset.Endless(photo), name) },
		func(photo string) bool { return ends(dataset.Endless(photo), dataset.Endless(name)) },
	} {
		found := slices.DeleteFunc(slices.Clone(all), func(photo string) bool { return !same(segment.Folded(photo)) })
		depth := func(photo string) int { return strings.Count(photo, "/") }
		slices.SortFunc(found, func(a, b string) int { return depth(a) - depth(b) })
		if len(found) == 1 || len(found) > 1 && depth(found[0]) < depth(found[1]) {
			return found[0]
		}
	}
	if anyFolder && len(all) == 1 {
		return all[0]
	}
	return ""
}

// mostFolders is how many folders of a path can tell images apart.
const mostFolders = 8

// tails are a path and what is left of it without its outer folders, as long as one is left, with
// the ending of its file and without. Of very many folders only the inner ones count.
func tails(name string) (out []string) {
	for strings.Count(name, "/") > mostFolders {
		_, name, _ = strings.Cut(name, "/")
	}
	for strings.Contains(name, "/") {
		out = append(out, slices.Compact([]string{name, dataset.Endless(name)})...)
		_, name, _ = strings.Cut(name, "/")
	}
	return out
}

// ends reports whether a path ends with another one.
func ends(whole, end string) bool { return strings.HasSuffix("/"+whole, "/"+end) }

// ownStem is a stem without what Label Studio puts before the names of uploaded files,
// 8 random hexadecimal digits, and without the escapes of addresses in what follows. A
// date is part of the name.
func ownStem(name string) string {
	whole := stem(name)
	prefix, rest, ok := strings.Cut(whole, "-")
	if _, err := strconv.ParseUint(prefix, 16, 32); !ok || err != nil || len(prefix) != 8 {
		return whole
	}
	if _, err := time.Parse("20060102", prefix); err == nil {
		return whole
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		return segment.Folded(plain)
	}
	return rest
}

// studioName is a name as Label Studio stores it: underscores for spaces, and of other
// characters only letters, digits and -_. are kept.
func studioName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '_'
		case unicode.IsLetter(r), unicode.IsNumber(r), strings.ContainsRune("-_.", r):
			return r
		}
		return -1
	}, name)
}

// stem is a file's name without folder and ending, folded.
func stem(name string) string { return dataset.Endless(segment.Folded(path.Base(name))) }
