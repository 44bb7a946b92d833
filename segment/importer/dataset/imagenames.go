package dataset

import (
	"path"
	"strings"
	"unicode/utf8"

	"collie/segment"
)

// Limits of what a data set names. Few bytes of a zip archive can be very many of them,
// and each name is looked for in several forms.
const (
	maxImages  = 100_000
	maxNames   = 8 << 20 // bytes of the images' names and ids together
	maxOneName = 1000    // bytes of one; of a longer path the end counts, which tells images apart
)

// imageNames are the images that a data set names, in their order.
type imageNames struct {
	list  []string
	bytes int
}

// add adds an image of a file. id is what the file has besides to tell it by, or empty.
func (n *imageNames) add(file, name string, id identifier) error {
	if len(n.list) == maxImages {
		return segment.Errorf(segment.TooLarge, "With %s the data set lists more than %d images, which is the limit. Split it.", file, maxImages)
	}
	if n.bytes += len(name) + len(id); n.bytes > maxNames {
		return segment.Errorf(segment.TooLarge, "With %s the names of the images have more than %d MiB together, which is the limit. Split the data set.", file, maxNames>>20)
	}
	n.list = append(n.list, name)
	return nil
}

// slashed is a path, relative to a folder of any depth, as it is in archives.
func slashed(name string) string {
	name = path.Clean("/" + strings.ReplaceAll(endOf(name), `\`, "/"))
	return strings.TrimPrefix(name, "/")
}

// relative is the path of an image whose name is relative to the file that it stands in.
func relative(file, image string) string { return slashed(path.Dir(file) + "/" + endOf(image)) }

// endOf is the end of a name that is very long.
func endOf(name string) string {
	if len(name) <= maxOneName {
		return name
	}
	name = name[len(name)-maxOneName:]
	for name != "" && !utf8.RuneStart(name[0]) {
		name = name[1:]
	}
	return strings.Clone(name)
}
