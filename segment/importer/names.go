package importer

import (
	"path"
	"slices"
	"strings"

	"collie/segment"
)

// names finds images by the names that a data set gives them. Keys are in lower
// case; a stem is a name without folder and ending.
type names struct {
	images map[string]string   // ids by file name, stem, and name in exports; empty: several
	masks  map[string]string   // the name in the data set by stem; empty: several
	photos map[string][]string // photographs of the data set by stem
}

func newNames(d *Dataset) names {
	n := names{map[string]string{}, map[string]string{}, map[string][]string{}}
	for _, name := range d.Images {
		name, key := strings.ToLower(name), stem(name)
		if other, known := n.masks[key]; known && other != name {
			name = ""
		}
		n.masks[key] = name
	}
	for _, name := range d.Photos {
		n.photos[stem(name)] = append(n.photos[stem(name)], name)
	}
	return n
}

// add registers an image of the project under its name and its stem.
func (n *names) add(im segment.Image) {
	name := strings.ToLower(im.Name)
	for _, key := range slices.Compact([]string{name, stem(name)}) {
		if _, twice := n.images[key]; twice {
			n.images[key] = ""
		} else {
			n.images[key] = im.ID
		}
	}
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
// its photograph. The whole name counts first. Folder and ending are passed over
// only if they don't tell images of the data set apart.
func (n *names) find(name string) (id, photo string, err error) {
	name = strings.ToLower(name)
	keys := []string{name, path.Base(name), stem(name)}
	several := false
	if only, known := n.masks[stem(name)]; known && only == "" {
		keys, several = keys[:1], true
	}
	taken := false
	for _, key := range keys {
		id, known := n.images[key]
		if id != "" {
			return id, "", nil
		}
		taken = taken || known
	}
	if taken {
		return "", "", segment.Errorf(segment.Invalid, "More than one image in the project has this name.")
	}
	if photo = n.photo(name, !several); photo != "" {
		return "", photo, nil
	}
	if several {
		return "", "", segment.Errorf(segment.Invalid, "The data set has more than one image called %s, and the project none with this folder and ending.", stem(name))
	}
	return "", "", segment.Errorf(segment.Invalid, "No image in the project has this name, and no photograph of this name came with it.")
}

// photo returns the photograph with a name: the only one whose path ends with it,
// with or without its ending, or, if any folder will do, the only one with its stem.
func (n *names) photo(name string, anyFolder bool) string {
	all := n.photos[stem(name)]
	for _, form := range []func(string) string{func(s string) string { return s }, func(s string) string { return strings.TrimSuffix(s, path.Ext(s)) }} {
		ends := slices.DeleteFunc(slices.Clone(all), func(photo string) bool {
			return !strings.HasSuffix("/"+form(strings.ToLower(photo)), "/"+form(name))
		})
		if len(ends) == 1 {
			return ends[0]
		}
	}
	if anyFolder && len(all) == 1 {
		return all[0]
	}
	return ""
}

// stem is a file's name without folder and ending, in lower case.
func stem(name string) string {
	name = strings.ToLower(path.Base(name))
	return strings.TrimSuffix(name, path.Ext(name))
}
