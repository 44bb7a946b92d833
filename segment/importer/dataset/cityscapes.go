package dataset

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"collie/segment"
	"collie/segment/labelset"
)

// A data set of Cityscapes has for each image pictures of the classes, of the instances and
// of colours, and annotations in JSON. The number of an instance is its class times 1,000 and
// a number, that of other pixels their class.
var cityPictures = regexp.MustCompile(`(?i)_gt(Fine|Coarse)_[a-z]+\.png$`)

const leastInstance = 1000

// cityNames are the classes of Cityscapes by number.
var cityNames = []string{
	"unlabeled", "ego vehicle", "rectification border", "out of roi", "static", "dynamic", "ground", "road", "sidewalk", "parking", "rail track", "building",
	"wall", "fence", "guard rail", "bridge", "tunnel", "pole", "polegroup", "traffic light", "traffic sign", "vegetation", "terrain", "sky", "person", "rider",
	"car", "truck", "bus", "caravan", "trailer", "train", "motorcycle", "bicycle",
}

// openCityscapes reads the pictures of classes, and those of instances beside them. Without
// a list the classes are those of Cityscapes, unless a file comes alone, and can be of others.
func openCityscapes(files Files, names []string, list string, o Options) (*Set, error) {
	p := classPictures{names: names, folder: "gtFine", list: list, least: leastInstance, objects: map[string]string{}}
	byLower := map[string]string{}
	for _, name := range files.Names {
		byLower[strings.ToLower(name)] = name
	}
	for _, name := range names {
		p.objects[name] = byLower[strings.TrimSuffix(strings.ToLower(name), "labelids.png")+"instanceids.png"]
	}
	p.photos = slices.DeleteFunc(files.photos(), cityPictures.MatchString)
	d, err := openVOC(files, p, o)
	if err == nil && d.Classes == nil && files.Alone == nil {
		d.Classes = named(cityNames)
	}
	return d, err
}

// labelColorsFile is a list of classes as CVAT, Datumaro and Collie write it for Cityscapes,
// and as CamVid has it: three numbers of a colour and a name per line.
const labelColorsFile = "label_colors.txt"

// labelColors reads such a list; nil if it is another one. Names have _ for spaces, unless a
// class of the project is called so.
func labelColors(text string, project []segment.Class) ([]segment.Class, error) {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 4 {
			return nil, nil
		}
		for _, value := range fields[:3] {
			if _, err := strconv.ParseUint(value, 10, 8); err != nil {
				return nil, nil
			}
		}
		name := strings.Join(fields[3:], " ")
		for _, c := range project {
			if segment.OneWord(c.Name) == name {
				name = c.Name
			}
		}
		fmt.Fprintf(&lines, "%s:%s\n", name, strings.Join(fields[:3], ","))
	}
	return labelset.Read(strings.NewReader(lines.String()), labelset.VOC)
}

// named are classes with the names.
func named(names []string) (classes []segment.Class) {
	for _, name := range names {
		classes = append(classes, segment.Class{Name: name})
	}
	return classes
}
